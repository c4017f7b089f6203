// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/check_grid.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/folded_order.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_outside.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/ssor/detail/ssor_factor.hpp>
#include <hyperplane/ssor/ssor_relaxation.hpp>
#include <hyperplane/stencil/apply.hpp>  // for Krylov methods, which need that of the matrix
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/stencil/block_vectors.hpp>
#include <hyperplane/stencil/for_packs.hpp>
#include <hyperplane/stencil/stencil_diagnosis.hpp>
#include <hyperplane/sweep/stencil_sample.hpp>
#include <hyperplane/sweep/sweep_path.hpp>
#include <hyperplane/sweep/triangular_sweeps.hpp>
#include <hyperplane/sweep/triangular_sweeps_options.hpp>

#include <Kokkos_Core.hpp>

#include <span>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {
template <class Scalar, int n, class Exec, class Storage>
class GroupedSsorFactor;
}  // namespace detail

struct SsorOptions {
  /// w of the formula, 0 < w < 2. 1 is symmetric Gauss-Seidel.
  double relaxation = 1.0;
  /// How the sweeps run.
  SweepPath path = SweepPath::automatic;
  /// Right-hand sides that are solved together at most, see TriangularSweepsOptions: 1 to 3.
  int right_hand_sides = 1;
  /// Directions in which points are taken from both ends to the middle. None: the natural order. Paths
  /// are those that TriangularSweepsOptions::folded has.
  FoldedDirections folded{};
};

/// Block SSOR, symmetric successive over-relaxation, on the seven-point block stencil:
///
///     M = w / (2 - w) (D / w + L) D^-1 (D / w + U),
///
/// with D the block diagonal of A and L and U its lower (west, south, bottom) and upper (east, north, top) blocks. One
/// correction with it is a Gauss-Seidel sweep upwards and one downwards, both over-relaxed with w. Source: Y. Saad,
/// "Iterative Methods for Sparse Linear Systems", 2nd ed., doi:10.1137/1.9780898718003, sections 4.1 and 10.2.
///
/// With d = D / w it is M = (d + L)(I + d^-1 U) / (2 - w), the form of BILU(0). So TriangularSweeps solve
/// with it, with the same paths, speed, labels and launches, for the factors L / (2 - w), w (2 - w) D^-1 and w D^-1 U;
/// and factor() needs no recursion: it is two launches (one finishes the status), three before them where StorageScalar
/// is Half or Quarter, and, where it is Quarter, one more that rounds; each point for itself.
///
/// Factors of 16 bits, Half in units of its own, and of 8 bits, Quarter with scales of rows and columns, are as those
/// of BlockIlu0: memory, what a solve reads, paths, and what is refused.
/// Where directions are folded, L and U are those of that order of points, see FoldedOrder.
///
/// A plan: the constructor allocates 7 n^2 values of StorageScalar per point, and with Quarter as many of Half;
/// factor() and solve() allocate nothing, fence nothing, and are asynchronous on the instance that is given. Copies
/// share factors: at most one call of a plan and all its copies may run at a time. Inverses by Gauss-Jordan with
/// partial pivoting inside the block.
///
/// Cost per point: factor 8 n^3 flops, 7 n^2 values read and 7 n^2 written; solve 14 n^2 flops, 7 n^2 + 4 n values.
/// Results are bitwise the same whatever the number of threads or multiprocessors, for a given path.
template <Real Scalar, int n, ExecutionSpace Exec, FactorReal StorageScalar = Scalar>
class Ssor {
 public:
  using Sweeps = TriangularSweeps<Scalar, n, Exec, StorageScalar>;
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using Options = SsorOptions;
  /// The same with factors of another type.
  template <FactorReal Other>
  using WithStorage = Ssor<Scalar, n, Exec, Other>;
  using Vector = BlockVector<Scalar, n, Exec>;
  static constexpr int block_size = n;
  static constexpr int vector_length = vector_length_v<Scalar, Exec>;

  /// Whether factors of its type have what the options ask for: Quarter has no folded directions.
  static bool has_options(const SsorOptions& options) { return StorageReal<StorageScalar> || !options.folded.any(); }
  /// Where solves with Quarter are faster than with Half, for choose_storage().
  static bool quarter_pays(const SsorOptions& options)
    requires(detail::quarter_may_pay<n, Exec>)
  {
    return detail::quarter_pays(options.path, options.folded);
  }

  /// Throws Error where the relaxation is out of range or the execution space cannot run the path.
  Ssor(const Exec& exec, const Grid& grid, const SsorOptions& options = {})
      : m_relaxation(detail::checked_ssor_relaxation("Ssor", options.relaxation)),
        m_sweeps(exec, grid, "Ssor",
                 {.path = options.path, .right_hand_sides = options.right_hand_sides, .folded = options.folded}) {}

  const Grid& grid() const { return m_sweeps.grid(); }
  /// The path of the sweeps; never automatic.
  SweepPath path() const { return m_sweeps.path(); }
  double relaxation() const { return m_relaxation; }

  /// Computes the factors of A, which may be overwritten when the instance has finished. Throws Error where the grid
  /// of A is another one. A singular diagonal block is recorded: see status().
  template <class MatrixStorage>
  void factor(const Exec& exec, const BlockStencil7<Scalar, n, Exec, MatrixStorage>& a) {
    detail::check_grid("Ssor::factor", "A", a.grid(), grid());
    m_sweeps.fill(exec, [&](const auto& factors, const auto& singular) {
      m_sweeps.units().template choose<Scalar>(exec, detail::StencilSample(a.ref()));
      using Range = detail::StoredRange<Scalar, Factored>;
      using Diagnosis = detail::DiagonalDiagnosis<Scalar, n, Range, MatrixStorage, vector_length, true>;
      if constexpr (StorageReal<StorageScalar>) {
        if (auto const& order = m_sweeps.order(); order.is_folded()) {
          using Kernel = detail::SsorFactor<Scalar, Scalar, n, Exec, Factored, MatrixStorage, vector_length,
                                            detail::NoOutside, FoldedOrder>;
          factor_slots<MatrixStorage>(
              exec, Kernel{a.ref(), factors, singular.ref(), static_cast<Scalar>(m_relaxation), {}, order});
          return singular.conclude(exec, detail::FoldedDiagnosis<Diagnosis>{order, Diagnosis{a.ref()}});
        }
      }
      using T = std::conditional_t<HostExecutionSpace<Exec>, Pack<Scalar, vector_length>, Scalar>;
      using Kernel = detail::SsorFactor<T, Scalar, n, Exec, Factored, MatrixStorage, vector_length>;
      Kernel const kernel{a.ref(), factors, singular.ref(), static_cast<Scalar>(m_relaxation)};
      if constexpr (HostExecutionSpace<Exec>) {
        detail::for_packs<n>("Hyperplane::Ssor::factor", exec, a.map(),
                             vector_length * 7.0 * n * n * (sizeof(MatrixStorage) + sizeof(Factored)), kernel);
      } else {
        factor_slots<MatrixStorage>(exec, kernel);
      }
      singular.conclude(exec, Diagnosis{a.ref()});
    });
  }

  /// x = M^-1 rhs; x may be rhs. Throws Error before the first factor() and where a grid is another one.
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const { m_sweeps.solve(exec, rhs, x); }

  /// x[v] = M^-1 rhs[v] for each v, on CUDA with the bits of single solves: see TriangularSweeps.
  void solve(const Exec& exec, std::span<const Vector> rhs, std::span<const Vector> x) const {
    m_sweeps.solve(exec, rhs, x);
  }

  /// The same of vectors in one piece of memory; on hosts all of them are taken together, see TriangularSweeps.
  template <int count>
  void solve(const Exec& exec, const BlockVectors<Scalar, n, count, Exec>& rhs,
             const BlockVectors<Scalar, n, count, Exec>& x) const {
    m_sweeps.solve(exec, rhs, x);
  }

  /// y = w (2 - w) (D + w L)^-1 rhs, the first half of a solve; y may be rhs. Throws Error as solve() does.
  void forward(const Exec& exec, const Vector& rhs, const Vector& y) const { m_sweeps.forward(exec, rhs, y); }

  /// x = (I + w D^-1 U)^-1 y, the second half, so that both have the bits of solve(); x may be y. Throws Error as
  /// solve() does.
  void backward(const Exec& exec, const Vector& y, const Vector& x) const { m_sweeps.backward(exec, y, x); }

  /// x = M^-T rhs, from the same factors, as adjoint systems want it; x may be rhs. See TriangularSweeps. Throws Error
  /// as solve() does.
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const {
    m_sweeps.solve_transposed(exec, rhs, x);
  }

  /// The same of vectors in one piece of memory, see TriangularSweeps.
  template <int count>
  void solve_transposed(const Exec& exec, const BlockVectors<Scalar, n, count, Exec>& rhs,
                        const BlockVectors<Scalar, n, count, Exec>& x) const {
    m_sweeps.solve_transposed(exec, rhs, x);
  }

  /// y = (I + w D^-1 U)^-T rhs, the first half of a transposed solve; y may be rhs. Throws Error as solve() does.
  void forward_transposed(const Exec& exec, const Vector& rhs, const Vector& y) const {
    m_sweeps.forward_transposed(exec, rhs, y);
  }

  /// x = w (2 - w) (D + w L)^-T y, the second half; x may be y. Throws Error as solve() does.
  void backward_transposed(const Exec& exec, const Vector& y, const Vector& x) const {
    m_sweeps.backward_transposed(exec, y, x);
  }

  /// Whether the last factor() failed, where, and why. Waits for the instance.
  FactorStatus status(const Exec& exec) const { return m_sweeps.status(exec); }

  /// The plan that solves.
  const Sweeps& sweeps() const { return m_sweeps; }

 private:
  using Factored = detail::FactoredAs<StorageScalar>;

  template <class MatrixStorage, class Kernel>
  void factor_slots(const Exec& exec, const Kernel& kernel) const {
    detail::launch("Hyperplane::Ssor::factor",
                   detail::IndexRange<Exec>(exec, 0, m_sweeps.map().pack_count() * vector_length),
                   7.0 * n * n * (sizeof(MatrixStorage) + sizeof(Factored)), kernel);
  }

  // Fills the sweeps of several plans at once.
  template <class, int, class, class>
  friend class detail::GroupedSsorFactor;

  double m_relaxation;
  Sweeps m_sweeps;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
