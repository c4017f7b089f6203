// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/check_grid.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/line/block_tridiagonal.hpp>
#include <hyperplane/line/line_implicit_iteration.hpp>
#include <hyperplane/line/line_implicit_options.hpp>
#include <hyperplane/line/line_status.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// The line-implicit iteration on the seven-point block stencil: with A = M - S and M the block tridiagonal part of A
/// along all grid lines of a direction,
///
///     x <- (1 - w) x + w M^-1 (b + S x),
///
/// a fixed number of times, in one direction or in several in turn. Source: K. Kim, "Performance Portable SIMD Approach
/// Implementing Block Line Solver For Coupled PDEs", SIAM CSE 2019 (SAND2019-2037C). Good where the coupling along the
/// lines is much stronger than across them, as across a boundary layer.
///
/// b + S x is one kernel, which reads b, x and the four blocks that leave the line; then M is solved by
/// the line solver: BlockTridiagonal, or, approximately, LineJacobi.
///
/// A is stored as StorageScalar, or, where that has 16 bits, as Scalar; beside a matrix of float it is `Lines` that has
/// factors of 16 bits: LineImplicit<double, 5, Exec, float, BlockTridiagonal<double, 5, Exec, Half>>.
///
/// A plan: the constructor allocates; factor(), solve() and iterate() do not, do not fence, and are asynchronous on the
/// instance that is given. The plan keeps the handle of A instead of a copy of S: after factor(), A must not change
/// until the last solve() with these factors. Copies, made after factor(), share factors and working memory: at most
/// one solve() or iterate() of a plan and all its copies may run at a time.
///
/// Cost per point and sweep: 14 n^2 flops, 7 n^2 + 7 n values, and 3 n values with w other than 1; the first sweep of
/// solve() has no rest: 6 n^2 flops, 3 n^2 + 4 n values. Launches: two, and one with w other than 1; factor() those of
/// the line solver for each direction (BlockTridiagonal two, or three). Memory: 3 n^2 values of StorageScalar per point
/// and direction, and two vectors. Results are bitwise the same whatever the number of threads, unless the line solver
/// cuts lines by that number (BlockTridiagonalOptions::partitions = 0, few long lines).
template <Real Scalar, int n, ExecutionSpace Exec, StorageReal StorageScalar = Scalar,
          class Lines = BlockTridiagonal<Scalar, n, Exec, StorageScalar>>
class LineImplicit {
 public:
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using Options = LineImplicitOptions;
  using Vector = BlockVector<Scalar, n, Exec>;
  using Matrix = BlockStencil7<Scalar, n, Exec, detail::WideStorage<Scalar, StorageScalar>>;
  /// The same, of the same matrix, with factors of another type.
  template <StorageReal Other>
  using WithStorage = LineImplicit<Scalar, n, Exec, detail::WideStorage<Scalar, StorageScalar>,
                                   typename Lines::template WithStorage<Other>>;
  static constexpr int block_size = n;

  /// Throws Error where an option is out of range or the execution space cannot run the path.
  LineImplicit(const Exec& exec, const Grid& grid, const LineImplicitOptions& options = {},
               const typename Lines::Options& line_options = {})
      : m_grid(grid), m_iteration(exec, grid, {grid}, options, line_options) {}

  const Grid& grid() const { return m_grid; }
  const LineImplicitOptions& options() const { return m_iteration.options(); }

  /// Factors M of every direction, and keeps A. Throws Error where the grid of A is another one. A singular pivot is
  /// recorded: see status().
  void factor(const Exec& exec, const Matrix& a) {
    detail::check_grid("LineImplicit::factor", "A", a.grid(), grid());
    m_iteration.factor(exec, a);
  }

  /// The iteration from x = 0; x may be rhs. Throws Error before the first factor() and where a grid is another one.
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    run<false>(exec, "LineImplicit::solve", rhs, x, false);
  }

  /// The transpose of what solve() does, which is the iteration with A^T and M^T whose directions come the other way
  /// round; x may be rhs. Throws Error as solve() does, and with several directions whose lines are not solved
  /// directly: it takes M^-1 for the inverse of M. (With several directions it is the transpose but for the rounding of
  /// stored factors.)
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const {
    run<true>(exec, "LineImplicit::solve_transposed", rhs, x, false);
  }

  /// The iteration from the x that is given; x is not rhs, or Error is thrown. See solve().
  void iterate(const Exec& exec, const Vector& rhs, const Vector& x) const {
    require(x.flat().data() != rhs.flat().data(), "LineImplicit::iterate: x must not be the right-hand side");
    run<false>(exec, "LineImplicit::iterate", rhs, x, true);
  }

  /// Whether the last factor() met a singular pivot, and where: that of the first direction that has one. Waits for
  /// the instance.
  LineStatus status(const Exec& exec) const {
    for (auto const& lines : m_iteration.lines()) {
      if (auto const status = lines.status(exec); !status.ok()) return status;
    }
    return {};
  }

 private:
  template <bool transposed>
  void run(const Exec& exec, const char* function, const Vector& rhs, const Vector& x, bool has_guess) const {
    detail::check_grid(function, "the right-hand side", rhs.grid(), grid());
    detail::check_grid(function, "x", x.grid(), grid());
    m_iteration.template run<transposed>(exec, function, rhs, x, has_guess);
  }

  Grid m_grid;
  detail::LineImplicitIteration<Vector, Matrix, Lines> m_iteration;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
