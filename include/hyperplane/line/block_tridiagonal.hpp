// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/is_listed.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/line/block_tridiagonal_matrix.hpp>
#include <hyperplane/line/detail/line_matrices.hpp>
#include <hyperplane/line/detail/line_partitions.hpp>
#include <hyperplane/line/detail/line_solver.hpp>
#include <hyperplane/line/line_layout.hpp>
#include <hyperplane/line/line_path.hpp>
#include <hyperplane/line/line_set.hpp>
#include <hyperplane/line/line_status.hpp>
#include <hyperplane/line/line_vector.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

struct BlockTridiagonalOptions {
  LinePath path = LinePath::automatic;
  /// On LinePath::staged alone, what a thread loads at a time of a vector, 128 or 64 bits: two values of Scalar =
  /// double (four of float) of neighbouring lines, or one (two). Coefficients come to shared memory by bulk copies
  /// either way and are loaded from there, as many at a time: with StorageScalar = float and Scalar = double 64 or 32
  /// bits. For n = 1 that is what a thread loads from global memory. None: what is faster, 128 for solve() with n > 1,
  /// 64 else; of factors of 16 bits 64 with n > 1, 128 with n = 1.
  std::optional<int> load_bits = std::nullopt;
  /// Partitions that each line is cut into, to be worked on in parallel; 1: not cut, 0: as many as the execution space
  /// needs to be busy. Short lines have fewer.
  int partitions = 0;
};

/// Direct solution of block tridiagonal systems along many lines.
///
/// On each line, with blocks L (lower), D, U (upper) of position p,
///
///     d[p] = D[p] - L[p] d[p-1]^-1 U[p-1],    y[p] = d[p]^-1 (b[p] - L[p] y[p-1]),
///     x[p] = y[p] - d[p]^-1 U[p] x[p+1],
///
/// block LU without pivoting between blocks; d^-1 by Gauss-Jordan with partial pivoting inside the block
/// (LinePath::staged: a row keeps its place unless another's entry is more than twice as large). Kept: L, d^-1 and d^-1
/// U, so that a solve reads 3 n^2 values of StorageScalar per point, each once. Lines are worked on vector_length at a
/// time, interleaved entry by entry. Sources: K. Kim, "Performance Portable SIMD Approach Implementing Block Line
/// Solver For Coupled PDEs", SAND2019-2037C; the layout in K. Kim et al., "Designing vector-friendly compact BLAS and
/// LAPACK kernels", doi:10.1145/3126908.3126941; lines of scalars on LinePath::staged: H. S. Stone, "An efficient
/// parallel algorithm for the solution of a tridiagonal linear system of equations", doi:10.1145/321738.321741. Which
/// blocks are kept is our choice.
///
/// Matrices and vectors: on grid lines BlockStencil7, of which the diagonal and the two blocks along the direction are
/// used (along periodic lines with those that point out of the grid), and BlockVector; on lists, arrays with n unknowns
/// per point, one after the other (points on no line are left as they are); on any lines BlockTridiagonalMatrix and
/// LineVector, in one or many columns. StorageScalar = float with Scalar = double stores half the bytes and computes in
/// double; Half and BFloat16, a quarter, do so with either Scalar. Half is kept in units that follow the matrix
/// (FactorScales), for 2 n bytes per point more. Each factor is computed in full precision, also from those before it,
/// and rounded once; what is too small for storage becomes zero or keeps fewer bits, what is too large fails as an
/// overflow. Of 16 bits LinePath::staged leaves factorizations of lines along j and of cut lines to the portable path's
/// kernel.
///
/// Lines that are periodic, and few long ones, are cut into partitions that are solved at the same time; see
/// detail::LineSplit. A partition has no pivots from others: it may be singular where the whole line is not.
///
/// A plan: the constructor analyses and allocates; factor() and solve() do not, do not fence, and are asynchronous on
/// the instance that is given. Copies, made after factor(), share factors and working memory: at most one factor() or
/// solve() of a plan and all its copies may run at a time.
///
/// M^T has the same factors: solve_transposed() costs what solve() does on LinePath::staged and on hosts; of lines in
/// partitions on CUDA up to 1.5 times that.
///
/// Cost per point: factor 6 n^3 flops, 3 n^2 values read and 3 n^2 written (lines along j and lists on
/// LinePath::staged: 6 n^2 more for gathering); solve 6 n^2 flops, 3 n^2 + 4 n values. Periodic: n^2 values more in a
/// solve; cut: 2 n^2 more. Points here are those of LineLayout with its padding along i and k; where points are found
/// by a table (along j, lists, cut lines) it takes 4 bytes per point. Launches: factor two (one finishes the status),
/// three where LinePath::staged gathers, and three more, of a sample of the matrix, where StorageScalar is Half; solve
/// one; cut lines have more. On LinePath::staged each column of a
/// LineVector reads the factors anew.
///
/// Results are bitwise the same in every run, for a given path and number of partitions, whatever the number of
/// threads; Options::partitions = 0 chooses by that number.
template <Real Scalar, int n, ExecutionSpace Exec, StorageReal StorageScalar = Scalar>
class BlockTridiagonal {
 public:
  static_assert(n >= 1 && n <= max_block_size);
  static_assert(sizeof(StorageScalar) <= sizeof(Scalar), "storage may be narrower than arithmetic, not wider");
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using Layout = LineLayout<Scalar, Exec>;
  using Vector = BlockVector<Scalar, n, Exec>;
  using Options = BlockTridiagonalOptions;
  /// The same with factors of another type.
  template <StorageReal Other>
  using WithStorage = BlockTridiagonal<Scalar, n, Exec, Other>;
  static constexpr int block_size = n;
  static constexpr int vector_length = Layout::vector_length;

  /// Throws Error where the execution space cannot run the path, and where load_bits are given for another path.
  BlockTridiagonal(const Exec& exec, const Layout& layout, const Options& options = {})
      : m_path(checked_path(exec, options)),
        m_layout(layout),
        m_solver(exec, layout, partitions(exec, layout, options), m_path, options.load_bits) {}
  BlockTridiagonal(const Exec& exec, const LineSet& lines, const Options& options = {})
      : BlockTridiagonal(exec, Layout(exec, lines), options) {}

  const LineSet& lines() const { return m_layout.lines(); }
  const Layout& layout() const { return m_layout; }
  /// The path that runs; never automatic.
  LinePath path() const { return m_path; }
  /// Parts that long lines are cut into; 1 where they are not.
  int partitions() const { return m_solver.partitions(); }

  /// Factors the block tridiagonal part of A along the lines, which are grid lines of A's grid, or Error is thrown. A
  /// may be overwritten when the instance has finished. A singular pivot is recorded: see status().
  template <class MatrixStorage>
  void factor(const Exec& exec, const BlockStencil7<Scalar, n, Exec, MatrixStorage>& a) {
    detail::check_line_grid("BlockTridiagonal::factor", "A", a.grid(), lines());
    factor_from(exec, detail::LineData::outer, a.flat().data(), detail::stencil_line_entries<n>(lines().direction()));
  }

  /// The same of grid lines of several grids: `a` is the flat() of matrices of all of them, one grid after the other,
  /// as MultiBlockStencil7 has it. One grid may be so given, too.
  template <class MatrixStorage>
  void factor_flat(const Exec& exec, const MatrixStorage* a) {
    require(lines().on_grids(), "BlockTridiagonal::factor_flat: the lines are not grid lines");
    factor_from(exec, detail::LineData::outer, a, detail::stencil_line_entries<n>(lines().direction()));
  }

  /// Factors matrices on the same lines, or Error is thrown.
  template <class MatrixStorage>
  void factor(const Exec& exec, const BlockTridiagonalMatrix<Scalar, n, Exec, MatrixStorage>& a) {
    m_layout.require_same("BlockTridiagonal::factor", "A", a.layout());
    factor_from(exec, detail::LineData::lines, a.flat().data(), detail::matrix_line_entries<n>());
  }

  /// x = M^-1 rhs; x may be rhs. Throws Error before the first factor() and where the grid is another one.
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const { on_grid<false>(exec, rhs, x); }

  /// x = M^-1 rhs, or M^-T rhs, of grid lines of several grids, in the flat() of vectors of all of them.
  template <bool transposed = false>
  void solve_flat(const Exec& exec, const Scalar* rhs, Scalar* x) const {
    require(lines().on_grids(), "BlockTridiagonal::solve_flat: the lines are not grid lines");
    solve_in<false, transposed>(exec, detail::LineData::outer, rhs, x, 1);
  }

  /// The same for all columns of vectors on the same lines; the number of columns is the same, or Error is thrown.
  void solve(const Exec& exec, const LineVector<Scalar, n, Exec>& rhs, const LineVector<Scalar, n, Exec>& x) const {
    on_lines<false>(exec, rhs, x);
  }

  /// The same for lists, in views of rank 1 (point * n + c) or contiguous ones of rank 2 (point, c), LayoutRight, and
  /// for several columns in those of rank 3 (point, column, c), as many columns in x, or Error is thrown.
  template <class Rhs, class X>
    requires(Kokkos::is_view_v<Rhs> && Kokkos::is_view_v<X>)
  void solve(const Exec& exec, const Rhs& rhs, const X& x) const {
    on_lists<false>(exec, rhs, x);
  }

  /// x = M^-T rhs, from the same factors, as solve() with each kind of vectors. On LinePath::staged by the kernel of
  /// the portable path.
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const { on_grid<true>(exec, rhs, x); }
  void solve_transposed(const Exec& exec, const LineVector<Scalar, n, Exec>& rhs,
                        const LineVector<Scalar, n, Exec>& x) const {
    on_lines<true>(exec, rhs, x);
  }
  template <class Rhs, class X>
    requires(Kokkos::is_view_v<Rhs> && Kokkos::is_view_v<X>)
  void solve_transposed(const Exec& exec, const Rhs& rhs, const X& x) const {
    on_lists<true>(exec, rhs, x);
  }

  /// Whether the last factor() failed, where, and why. Waits for the instance.
  LineStatus status(const Exec& exec) const {
    auto const found = m_solver.find_singular(exec);
    if (!found) return {};
    return detail::line_status(lines(), found->ordinal, found->finding);
  }

 private:
  using Solver = detail::LineSolver<Scalar, n, Exec, StorageScalar>;
  using FastPath = typename Solver::Direct::FastPath;

  static LinePath checked_path(const Exec& exec, const Options& options) {
    if (options.path != LinePath::automatic && options.path != LinePath::portable &&
        !detail::is_listed(FastPath::paths, options.path)) {
      fail(std::string("BlockTridiagonal: ") + Exec::name() + " has no path " + name(options.path));
    }
    auto const path = options.path == LinePath::automatic ? FastPath::choose(exec) : options.path;
    if (!options.load_bits) return path;
    if (*options.load_bits != 64 && *options.load_bits != 128) {
      fail("BlockTridiagonal: loads of " + std::to_string(*options.load_bits) + " bits are not possible");
    }
    if (path != LinePath::staged) {
      fail("BlockTridiagonal: loads of " + std::to_string(*options.load_bits) + " bits need path staged, not " +
           name(path));
    }
    return path;
  }

  static int partitions(const Exec& exec, const Layout& layout, const Options& options) {
    if (options.partitions < 0) {
      fail("BlockTridiagonal: " + std::to_string(options.partitions) + " partitions are not possible");
    }
    if (options.partitions > 0) return options.partitions;
    return detail::choose_line_partitions(layout.lines().count(), layout.lines().longest(), FastPath::cutting(exec));
  }

  static std::string function(bool transposed) {
    return transposed ? "BlockTridiagonal::solve_transposed" : "BlockTridiagonal::solve";
  }

  template <bool transposed>
  void on_grid(const Exec& exec, const Vector& rhs, const Vector& x) const {
    detail::check_line_grid(function(transposed).c_str(), "the right-hand side", rhs.grid(), lines());
    detail::check_line_grid(function(transposed).c_str(), "x", x.grid(), lines());
    solve_in<false, transposed>(exec, detail::LineData::outer, rhs.flat().data(), x.flat().data(), 1);
  }

  template <bool transposed>
  void on_lines(const Exec& exec, const LineVector<Scalar, n, Exec>& rhs, const LineVector<Scalar, n, Exec>& x) const {
    m_layout.require_same(function(transposed).c_str(), "the right-hand side", rhs.layout());
    m_layout.require_same(function(transposed).c_str(), "x", x.layout());
    check_columns(transposed, rhs.columns(), x.columns());
    // One column stays in registers from step to step.
    if (x.columns() == 1) {
      solve_in<false, transposed>(exec, detail::LineData::lines, rhs.flat().data(), x.flat().data(), 1);
    } else {
      solve_in<true, transposed>(exec, detail::LineData::lines, rhs.flat().data(), x.flat().data(), x.columns());
    }
  }

  static void check_columns(bool transposed, int of_rhs, int of_x) {
    if (of_rhs == of_x && of_x > 0) return;
    fail(function(transposed) + ": the right-hand side has " + std::to_string(of_rhs) + " columns, x has " +
         std::to_string(of_x));
  }

  template <bool transposed, class Rhs, class X>
  void on_lists(const Exec& exec, const Rhs& rhs, const X& x) const {
    if (lines().on_grids()) fail(function(transposed) + ": arrays of points belong to lists, not to grid lines");
    check_rows(function(transposed), "the right-hand side", rhs);
    check_rows(function(transposed), "x", x);
    static_assert((Rhs::rank() == 3) == (X::rank() == 3), "columns in one of them alone");
    if constexpr (X::rank() == 3) {
      check_columns(transposed, static_cast<int>(rhs.extent(1)), static_cast<int>(x.extent(1)));
      solve_in<true, transposed>(exec, detail::LineData::outer, rhs.data(), x.data(), static_cast<int>(x.extent(1)));
    } else {
      solve_in<false, transposed>(exec, detail::LineData::outer, rhs.data(), x.data(), 1);
    }
  }

  template <class View>
  void check_rows(const std::string& of, const char* argument, const View& view) const {
    static_assert(View::rank() >= 1 && View::rank() <= 3, "(point * n + c), (point, c) or (point, column, c)");
    static_assert(std::is_same_v<typename View::non_const_value_type, Scalar>);
    static_assert(Kokkos::SpaceAccessibility<Exec, typename View::memory_space>::accessible);
    bool ok = view.span_is_contiguous();
    if constexpr (View::rank() == 1) {
      ok = ok && static_cast<std::int64_t>(view.extent(0)) == lines().point_count() * n;
    } else {
      constexpr int last = View::rank() - 1;
      // Of columns, as many as there are.
      auto const values = last == 2 ? n * static_cast<std::int64_t>(view.extent(1)) : n;
      ok = ok && static_cast<std::int64_t>(view.extent(0)) == lines().point_count() && view.extent(last) == n &&
           (view.extent(0) <= 1 || static_cast<std::int64_t>(view.stride(0)) == values) &&
           (last == 1 || view.extent(1) <= 1 || view.stride(1) == n);
    }
    if (!ok) {
      fail(of + ": " + argument + " is not a contiguous array of " + std::to_string(lines().point_count()) +
           (View::rank() == 3 ? " rows of columns of " : " rows of ") + std::to_string(n));
    }
  }

  template <class MatrixStorage>
  void factor_from(const Exec& exec, detail::LineData where, const MatrixStorage* data, const detail::LineEntries& of) {
    m_factored = false;
    m_solver.factor(exec, where, data, of);
    m_factored = true;
  }

  template <bool many, bool transposed>
  void solve_in(const Exec& exec, detail::LineData where, const Scalar* rhs, Scalar* x, int columns) const {
    if (!m_factored) fail(function(transposed) + ": called before factor");
    m_solver.template solve<many, transposed>(exec, where, rhs, x, columns);
  }

  LinePath m_path;
  Layout m_layout;
  Solver m_solver;
  bool m_factored = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
