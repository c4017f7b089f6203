// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/check_grid.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/sip/sip_coefficients.hpp>
#include <hyperplane/sip/sip_slab.hpp>
#include <hyperplane/stencil/apply.hpp>  // for Krylov methods, which need that of the matrix
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/stencil/block_vectors.hpp>
#include <hyperplane/sweep/sweep_path.hpp>
#include <hyperplane/sweep/triangular_sweeps.hpp>

#include <Kokkos_Core.hpp>
#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/sip/sip_cuda.hpp>
#endif

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {
template <class Scalar, class Exec, class Storage>
class GroupedSipFactor;
}  // namespace detail

struct SipOptions {
  /// Share of the extrapolation, 0 <= alpha < 1. 0 is ILU(0); 0.9 to 0.95 suits most elliptic equations.
  double alpha = 0.9;
  /// How the sweeps run.
  SweepPath path = SweepPath::automatic;
  /// Multiprocessors of a CUDA device that kernels of the plan may occupy, see TriangularSweepsOptions; 0: all.
  int multiprocessors = 0;
  /// Right-hand sides that are solved together at most, see TriangularSweepsOptions: 1 to 3, such as the components of
  /// a velocity.
  int right_hand_sides = 1;
};

/// SIP, Stone's strongly implicit procedure, for scalar equations on the seven-point stencil; with it the correction
/// iteration x += M^-1 (b - A x) (Richardson) is the iteration of SIP.
///
/// M = L U with lower (bottom, south, west) and diagonal coefficients in L and upper ones (top, north, east) in U.
/// Where the product of the factors has entries that A does not have, for points such as (i+1, j-1), the unknown there
/// is replaced by alpha (x[i+1] + x[j-1] - x) of neighbours that the stencil has, so that M is close to A for smooth x
/// and not only on the pattern. Source: H. L. Stone, "Iterative Solution of Implicit Approximations of Multidimensional
/// Partial Differential Equations", doi:10.1137/0705044; the seven-point form as in J. H. Ferziger, M. Peric,
/// "Computational Methods for Fluid Dynamics", doi:10.1007/978-3-642-56026-2. On a grid with one layer it is the
/// five-point form; on a single line, and for alpha = 0 as ILU(0), nothing is extrapolated.
///
/// The factors have the form of those of BILU(0), so TriangularSweeps solve with them, with the same paths, speed,
/// labels and launches; factor() is a recursion of its own: with SweepPath::slab one kernel (one more finishes the
/// status, and on CUDA one more prepares a mask), else a launch for each of the I + J + K - 2 hyperplanes. A path to
/// compare with the papers is in sweep/comparison_paths.hpp. Boundaries are what A says (Dirichlet, Neumann); entries
/// of A that point out of the grid are ignored. Periodic directions are not handled: a BlockStencil7 has no entries for
/// them, and the order of the sweeps would have no beginning. Solid points may be masked, see factor(); or they are
/// rows of A with a diagonal entry alone, to which no other row points: mask_points() makes them so.
///
/// Factors of 16 bits are as those of BlockIlu0: Half has a unit for each point, a power of two, 2 bytes.
///
/// A plan: the constructor allocates 7 values of StorageScalar per point, and on CUDA for SweepPath::slab packets,
/// about 15 bytes per point on large grids, more on flat ones; factor() and solve() allocate nothing, fence nothing,
/// and are asynchronous on the instance that is given. Copies, made after factor(), share factors: at most one call of
/// a plan and all its copies may run at a time.
///
/// Cost per point: factor 36 flops and 4 divisions, 7 values read and 7 written; solve 14 flops, 11 values. Results are
/// bitwise the same whatever the number of threads or multiprocessors, for a given path.
template <Real Scalar, ExecutionSpace Exec, StorageReal StorageScalar = Scalar>
class Sip {
 public:
  using Sweeps = TriangularSweeps<Scalar, 1, Exec, StorageScalar>;
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using Options = SipOptions;
  /// The same with factors of another type.
  template <StorageReal Other>
  using WithStorage = Sip<Scalar, Exec, Other>;
  using Vector = BlockVector<Scalar, 1, Exec>;
  /// A value for each point by its number i + I (j + J k), zero where it is masked.
  using Mask = Kokkos::View<const std::int8_t*, typename Exec::memory_space>;
  static constexpr int block_size = 1;
  /// What solves instead of a path, see sweep/comparison_paths.hpp.
  using Comparison = typename Sweeps::Comparison;

  /// Throws Error where alpha is out of range, where the execution space cannot run the path, and where the comparison
  /// was made for another grid.
  Sip(const Exec& exec, const Grid& grid, const SipOptions& options = {},
      std::shared_ptr<Comparison> comparison = nullptr)
      : m_alpha(checked_alpha(options)),
        m_sweeps(exec, grid, "Sip",
                 {.path = options.path,
                  .multiprocessors = options.multiprocessors,
                  .right_hand_sides = options.right_hand_sides},
                 std::move(comparison)),
        m_coefficients(exec, m_sweeps.map(), m_sweeps.path() == SweepPath::slab, options.multiprocessors) {}

  const Grid& grid() const { return m_sweeps.grid(); }
  /// The path of the sweeps; never automatic.
  SweepPath path() const { return m_sweeps.path(); }
  double alpha() const { return m_alpha; }

  /// Computes the coefficients from A, which may be overwritten when the instance has finished. Throws Error where the
  /// grid of A is another one. A singular pivot is recorded: see status().
  template <class MatrixStorage>
  void factor(const Exec& exec, const BlockStencil7<Scalar, 1, Exec, MatrixStorage>& a) {
    compute(exec, a, detail::SipMask{nullptr});
  }

  /// The same with masked points: their rows of A, and what other rows have for them, are ignored, whatever they are,
  /// and never singular. Solves give zero there for any finite right-hand side, and elsewhere what they would give for
  /// A with unit rows at masked points and zeros for them in the others, bit by bit. Nothing of this costs a solve
  /// anything. The mask may change when the instance has finished. A residual of A still has all rows, so keep x zero
  /// at masked points, and do not count them. Throws Error where the mask has not a value for each point.
  template <class MatrixStorage>
  void factor(const Exec& exec, const BlockStencil7<Scalar, 1, Exec, MatrixStorage>& a, const Mask& mask) {
    if (static_cast<std::int64_t>(mask.extent(0)) != grid().size()) {
      fail("Sip::factor: the mask has " + std::to_string(mask.extent(0)) + " values, expected " +
           std::to_string(grid().size()));
    }
    compute(exec, a, detail::SipMask{mask.data()});
  }

  /// x = M^-1 rhs; x may be rhs. Throws Error before the first factor() and where a grid is another one.
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const { m_sweeps.solve(exec, rhs, x); }

  /// x[v] = M^-1 rhs[v] for each v, on CUDA with the bits of single solves: see TriangularSweeps.
  void solve(const Exec& exec, std::span<const Vector> rhs, std::span<const Vector> x) const {
    m_sweeps.solve(exec, rhs, x);
  }

  /// The same of vectors in one piece of memory; on hosts all of them are taken together, see TriangularSweeps.
  template <int count>
  void solve(const Exec& exec, const BlockVectors<Scalar, 1, count, Exec>& rhs,
             const BlockVectors<Scalar, 1, count, Exec>& x) const {
    m_sweeps.solve(exec, rhs, x);
  }

  /// y = L^-1 rhs, the first half of a solve; y may be rhs. Throws Error as solve() does.
  void forward(const Exec& exec, const Vector& rhs, const Vector& y) const { m_sweeps.forward(exec, rhs, y); }

  /// x = U^-1 y, the second half, so that both have the bits of solve(); x may be y. Throws Error as solve() does.
  void backward(const Exec& exec, const Vector& y, const Vector& x) const { m_sweeps.backward(exec, y, x); }

  /// x = M^-T rhs, from the same factors, as adjoint systems want it; x may be rhs. See TriangularSweeps. Throws Error
  /// as solve() does.
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const {
    m_sweeps.solve_transposed(exec, rhs, x);
  }

  /// The same of vectors in one piece of memory, see TriangularSweeps.
  template <int count>
  void solve_transposed(const Exec& exec, const BlockVectors<Scalar, 1, count, Exec>& rhs,
                        const BlockVectors<Scalar, 1, count, Exec>& x) const {
    m_sweeps.solve_transposed(exec, rhs, x);
  }

  /// y = U^-T rhs, the first half of a transposed solve; y may be rhs. Throws Error as solve() does.
  void forward_transposed(const Exec& exec, const Vector& rhs, const Vector& y) const {
    m_sweeps.forward_transposed(exec, rhs, y);
  }

  /// x = L^-T y, the second half; x may be y. Throws Error as solve() does.
  void backward_transposed(const Exec& exec, const Vector& y, const Vector& x) const {
    m_sweeps.backward_transposed(exec, y, x);
  }

  /// Whether the last factor() failed, where, and why. Waits for the instance.
  FactorStatus status(const Exec& exec) const { return m_sweeps.status(exec); }

  /// The plan that solves.
  const Sweeps& sweeps() const { return m_sweeps; }

 private:
  // Fills the sweeps of several plans at once.
  friend class detail::GroupedSipFactor<Scalar, Exec, StorageScalar>;

  template <class MatrixStorage>
  void compute(const Exec& exec, const BlockStencil7<Scalar, 1, Exec, MatrixStorage>& a, const detail::SipMask& mask) {
    detail::check_grid("Sip::factor", "A", a.grid(), grid());
    m_sweeps.fill(exec, [&](const auto& factors, const auto& singular) {
      auto const alpha = static_cast<Scalar>(m_alpha);
      m_coefficients(exec, a.ref(), factors, singular, alpha, mask);
      detail::conclude_sip_coefficients(exec, a.ref(),
                                        detail::SipOrderedFactors<StorageScalar, Sweeps::vector_length>{factors, false},
                                        singular, alpha, mask);
    });
  }

  static double checked_alpha(const SipOptions& options) {
    if (!(options.alpha >= 0 && options.alpha < 1)) {
      fail("Sip: alpha is " + detail::shortest(options.alpha) + ", expected at least 0 and less than 1");
    }
    return options.alpha;
  }

  double m_alpha;
  Sweeps m_sweeps;
  detail::SipCoefficients<Scalar, Exec, StorageScalar, Sweeps::vector_length> m_coefficients;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
