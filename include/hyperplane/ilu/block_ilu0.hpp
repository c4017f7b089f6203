// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/grid/check_grid.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/folded_order.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/ilu/comparison/comparison_ilu0.hpp>
#include <hyperplane/ilu/detail/block_ilu0_diagnosis.hpp>
#include <hyperplane/ilu/detail/block_ilu0_fast_factor.hpp>
#include <hyperplane/ilu/detail/block_ilu0_folded.hpp>
#include <hyperplane/ilu/detail/block_ilu0_folded_factor.hpp>
#include <hyperplane/ilu/detail/block_ilu0_portable.hpp>
#include <hyperplane/ilu/detail/block_ilu0_slab.hpp>
#include <hyperplane/stencil/apply.hpp>  // for Krylov methods, which need that of the matrix
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/stencil/block_vectors.hpp>
#include <hyperplane/sweep/stencil_sample.hpp>
#include <hyperplane/sweep/sweep_path.hpp>
#include <hyperplane/sweep/triangular_sweeps.hpp>
#include <hyperplane/sweep/triangular_sweeps_options.hpp>

#include <Kokkos_Core.hpp>
#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/ilu/detail/block_ilu0_cuda.hpp>
#include <hyperplane/ilu/detail/block_ilu0_folded_factor_cuda.hpp>
#endif

#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {
template <class Scalar, int n, class Exec, class Storage>
class GroupedBlockIlu0Factor;
}  // namespace detail

struct BlockIlu0Options {
  SweepPath path = SweepPath::automatic;
  /// Multiprocessors of a CUDA device that kernels of the plan may occupy, see TriangularSweepsOptions; 0: all.
  int multiprocessors = 0;
  /// Right-hand sides that a solve of several takes together at most, see TriangularSweepsOptions: 1 to 3.
  int right_hand_sides = 1;
  /// Directions in which points are eliminated from both ends to the middle. None: the natural order. Paths
  /// are those that TriangularSweepsOptions::folded has.
  FoldedDirections folded{};
};

/// BILU(0): block incomplete LU factorization without fill on the seven-point block stencil.
///
/// M = (d + L)(I + d^-1 U), with L and U the lower (west, south, bottom) and upper (east, north, top) blocks of A and
///
///     d = D - W d^-1[i-1] E[i-1] - S d^-1[j-1] N[j-1] - B d^-1[k-1] T[k-1],
///
/// so that M equals A on A's block pattern; on a grid that is one line M = A. Points of a hyperplane i + j + k = p are
/// independent of one another. Source: L. Luo, J. R. Edwards, H. Luo, F. Mueller, W. Feng, "Optimization of a
/// Fine-grained BILU by CUDA Inter-block Synchronization"; the ordering by hyperplanes and ILU(0) as in Y. Saad,
/// "Iterative Methods for Sparse Linear Systems", 2nd ed., doi:10.1137/1.9780898718003.
///
/// Where directions are folded, it is BILU(0) in another order of the same points, from all corners of the grid to the
/// middle: L has the blocks of neighbours that come before, up to six, and U those of the others; see FoldedOrder. M
/// equals A on A's pattern then, too, and on a grid that is one line, but its iterations are others: docs/orders.md has
/// numbers. Source: H. A. van der Vorst, "High Performance Preconditioning", SIAM Journal on Scientific and Statistical
/// Computing 10 (1989), pages 1174-1185.
///
/// Kept: L, d^-1 (Gauss-Jordan with partial pivoting inside the block) and d^-1 U. TriangularSweeps solve with them, in
/// all their ways: one vector or several, forward() and backward() by themselves, paths, cost. StorageScalar = float
/// with Scalar = double stores half the bytes and computes in double; Half and BFloat16, a quarter, do so with either
/// Scalar. Half is kept in units that follow A (FactorScales), for 2 n bytes per point more. Each factor is rounded
/// once computed; what is too small for storage becomes zero or keeps fewer bits, what is too large fails as an
/// overflow.
///
/// Quarter is 8 bits for L and d^-1 U, with scales of rows and columns, beside d^-1 in Half. factor() is that of Half,
/// whose factors the plan keeps and rounds once more. So a plan has more memory than one with Half, a solve reads less
/// (n = 1 aside), and what overflows is the same. Paths are the portable one and, on hosts, SweepPath::slab, without
/// folded directions; MultiBlock has no couplings for it, and takes its grid blocks one after another.
///
/// A plan: the constructor allocates; the other functions do not, do not fence, and are asynchronous on the instance
/// that is given, but for the first transposed solve on CUDA, which may allocate and wait for the instance. Copies,
/// made after factor(), share factors and working memory: at most one factor(), solve(), forward() or backward() of a
/// plan and all its copies may run at a time.
///
/// Cost of factor() per point: 14 n^3 flops, 7 n^2 values read and 7 n^2 written. Launches: one for each hyperplane on
/// SweepPath::portable and inside a graph on SweepPath::cuda_graph, one on SweepPath::slab, and up to four on hosts
/// where directions are folded; one more that finishes the status; where StorageScalar is Half or Quarter, three before
/// them, of a sample of A, and, where it is Quarter, one more that rounds: it reads the 7 n^2 values that were written
/// and writes all that a solve reads. Factors of 16 bits are those of the portable
/// path where sweeps have SweepPath::cuda_graph. No path can deadlock, whatever else the device does. Paths to compare
/// with the papers are in ilu/comparison_paths.hpp.
///
/// Results are bitwise the same whatever the number of threads or multiprocessors and in every run, for a given path;
/// on CUDA factorizations and plain solves for all paths.
template <Real Scalar, int n, ExecutionSpace Exec, FactorReal StorageScalar = Scalar>
class BlockIlu0 {
 public:
  using Sweeps = TriangularSweeps<Scalar, n, Exec, StorageScalar>;
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using Options = BlockIlu0Options;
  /// The same with factors of another type.
  template <FactorReal Other>
  using WithStorage = BlockIlu0<Scalar, n, Exec, Other>;
  using Vector = typename Sweeps::Vector;
  static constexpr int block_size = n;
  static constexpr int vector_length = Sweeps::vector_length;
  /// What factors and solves instead of a path, see ilu/comparison_paths.hpp.
  using Comparison = detail::ComparisonIlu0<Scalar, n, Exec, StorageScalar, vector_length>;

  /// Whether factors of its type have what the options ask for: Quarter has no folded directions.
  static bool has_options(const BlockIlu0Options& options) {
    return StorageReal<StorageScalar> || !options.folded.any();
  }
  /// Where solves with Quarter are faster than with Half, for choose_storage().
  static bool quarter_pays(const BlockIlu0Options& options)
    requires(detail::quarter_may_pay<n, Exec>)
  {
    return detail::quarter_pays(options.path, options.folded);
  }

  /// Throws Error where the execution space cannot run the path, and where the comparison was made for another grid.
  BlockIlu0(const Exec& exec, const Grid& grid, const BlockIlu0Options& options = {},
            std::shared_ptr<Comparison> comparison = nullptr)
      : m_comparison(std::move(comparison)),
        m_sweeps(exec, grid, "BlockIlu0",
                 {.path = path_of_sweeps(exec, options, m_comparison != nullptr),
                  .multiprocessors = options.multiprocessors,
                  .right_hand_sides = options.right_hand_sides,
                  .folded = options.folded},
                 m_comparison),
        m_fast_factor(exec, m_sweeps.map(), m_sweeps.path_of_natural_order(), options.multiprocessors),
        m_folded_factor(exec, m_sweeps.order(), m_sweeps.path()) {}

  const Grid& grid() const { return m_sweeps.grid(); }
  /// The path that runs; never automatic.
  SweepPath path() const { return m_sweeps.path(); }

  /// Computes the factors of A, which may be overwritten when the instance has finished. Throws Error where the grid
  /// of A is another one. A singular pivot, or what else makes the factors useless, is recorded: see status().
  template <class MatrixStorage>
  void factor(const Exec& exec, const BlockStencil7<Scalar, n, Exec, MatrixStorage>& a) {
    detail::check_grid("BlockIlu0::factor", "A", a.grid(), grid());
    m_sweeps.fill(exec, [&](const auto& factors, const auto& singular) {
      m_sweeps.units().template choose<Scalar>(exec, detail::StencilSample(a.ref()));
      if (m_comparison) {
        if constexpr (StorageReal<StorageScalar>) m_comparison->factor(exec, a.ref(), factors, singular);
      } else if (m_sweeps.order().is_folded()) {
        if constexpr (StorageReal<StorageScalar>) m_folded_factor(exec, a.ref(), factors, singular);
      } else if (path() != SweepPath::portable) {
        m_fast_factor(exec, a.ref(), factors, singular);
      } else {
        detail::block_ilu0_factor_portable<Scalar, n>(exec, a.ref(), factors, singular);
      }
      detail::count_bytes("Hyperplane::BlockIlu0::factor", 7.0 * n * n * (sizeof(MatrixStorage) + sizeof(Factored)) *
                                                               static_cast<double>(grid().size()));
      if constexpr (StorageReal<StorageScalar>) {
        if (m_sweeps.order().is_folded()) {
          using Diagnosis = detail::BlockIlu0FoldedDiagnosis<Scalar, n, Factored, MatrixStorage, vector_length>;
          return singular.conclude(exec, Diagnosis{a.ref(), {factors, m_sweeps.order()}});
        }
      }
      using Diagnosis = detail::BlockIlu0Diagnosis<Scalar, n, Factored, MatrixStorage, vector_length>;
      singular.conclude(exec, Diagnosis{a.ref(), factors});
    });
  }

  /// x = M^-1 rhs; x may be rhs. Throws Error before the first factor() and where a grid is another one.
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const { m_sweeps.solve(exec, rhs, x); }

  /// x[v] = M^-1 rhs[v] for each v, as single solves do, on CUDA bit by bit, on the host to rounding; x[v] may be
  /// rhs[v], and has nothing in common with the others. BlockIlu0Options::right_hand_sides of them are taken together.
  /// Throws Error as solve() does, and where there are not as many x as right-hand sides.
  void solve(const Exec& exec, std::span<const Vector> rhs, std::span<const Vector> x) const {
    m_sweeps.solve(exec, rhs, x);
  }

  /// The same of vectors in one piece of memory; on hosts all of them are taken together, see TriangularSweeps.
  template <int count>
  void solve(const Exec& exec, const BlockVectors<Scalar, n, count, Exec>& rhs,
             const BlockVectors<Scalar, n, count, Exec>& x) const {
    m_sweeps.solve(exec, rhs, x);
  }

  /// y = (d + L)^-1 rhs, the first half of a solve; y may be rhs. Throws Error as solve() does.
  void forward(const Exec& exec, const Vector& rhs, const Vector& y) const { m_sweeps.forward(exec, rhs, y); }

  /// x = (I + d^-1 U)^-1 y, the second half, so that both have the bits of solve(); x may be y. Throws Error as solve()
  /// does.
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

  /// y = (I + d^-1 U)^-T rhs, the first half of a transposed solve; y may be rhs. Throws Error as solve() does.
  void forward_transposed(const Exec& exec, const Vector& rhs, const Vector& y) const {
    m_sweeps.forward_transposed(exec, rhs, y);
  }

  /// x = (d + L)^-T y, the second half; x may be y. Throws Error as solve() does.
  void backward_transposed(const Exec& exec, const Vector& y, const Vector& x) const {
    m_sweeps.backward_transposed(exec, y, x);
  }

  /// Whether the last factor() failed, where, and why. Waits for the instance.
  FactorStatus status(const Exec& exec) const { return m_sweeps.status(exec); }

  /// The plan that solves.
  const Sweeps& sweeps() const { return m_sweeps; }

 private:
  template <class, int, class, class>
  friend class detail::GroupedBlockIlu0Factor;

  using Factored = detail::FactoredAs<StorageScalar>;
  /// Devices have none for factors of 8 bits, as their sweeps have none.
  using FastFactor =
      detail::BlockIlu0FastFactor<Scalar, n, Exec,
                                  std::conditional_t<HostExecutionSpace<Exec>, Factored, StorageScalar>, vector_length>;
  using FoldedFactor = detail::BlockIlu0FoldedFactor<Scalar, n, Exec, Factored, vector_length>;

  /// The factorization may lack what sweeps of the natural order have.
  static SweepPath path_of_sweeps(const Exec& exec, const BlockIlu0Options& options, bool compares) {
    return compares || options.folded.any() ? options.path : FastFactor::sweep_path(exec, options.path);
  }

  std::shared_ptr<Comparison> m_comparison;
  Sweeps m_sweeps;
  FastFactor m_fast_factor;
  FoldedFactor m_folded_factor;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
