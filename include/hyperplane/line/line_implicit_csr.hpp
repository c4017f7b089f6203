// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/csr/point_vectors.hpp>
#include <hyperplane/line/block_tridiagonal.hpp>
#include <hyperplane/line/block_tridiagonal_matrix.hpp>
#include <hyperplane/line/detail/line_csr.hpp>
#include <hyperplane/line/detail/line_csr_columns.hpp>
#include <hyperplane/line/detail/line_sweeps.hpp>
#include <hyperplane/line/line_implicit_options.hpp>
#include <hyperplane/line/line_set.hpp>
#include <hyperplane/line/line_status.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace hyperplane::inline HYPERPLANE_ABI {

/// LineImplicit for unstructured meshes: M is the block tridiagonal part of a block CSR matrix along lists of points,
///
///     x <- (1 - w) x + w M^-1 (b + S x),
///
/// and the diagonal blocks of points that are on no line. Blocks that couple points of one line that are not next to
/// one another belong to the rest S. Options as for LineImplicit; directions have no meaning. With vectors of type
/// PointVector it is a preconditioner for Krylov methods on the matrix.
///
/// A plan: the constructor reads the structure of the matrix, on the host, and allocates; factor() and solve() do not,
/// do not fence, and are asynchronous, with arrays of a structure that factor() has seen last. The plan keeps the
/// handle of A: after factor(), its values must not change until the last solve() with these factors. At most one
/// factor() or solve() of a plan and its copies may run at a time.
///
/// Cost of a sweep: 2 n^2 flops per block of the rest, n^2 values and an index; and the solution of the lines.
/// Launches: two, and one with w other than 1; factor() two, of which the first compares structures, and those of the
/// line solver. Memory: 6 n^2 values of StorageScalar, two vectors, 44 bytes and an Offset per point, 12 bytes per
/// block, and up to a byte per block and point for the comparison; with LineImplicitOptions::transposed 12 bytes more
/// per block of the rest and 8 per point, in several sweeps with LineImplicitOptions::vectors > 1 twice as many vectors
/// more.
template <Real Scalar, int n, ExecutionSpace Exec, StorageReal StorageScalar = Scalar,
          std::integral Offset = std::int64_t, class Lines = BlockTridiagonal<Scalar, n, Exec, StorageScalar>>
class LineImplicitCsr {
 public:
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using Matrix = BlockCsr<Scalar, n, Exec, detail::WideStorage<Scalar, StorageScalar>, Offset>;
  using Vector = typename Matrix::Vector;
  static constexpr int block_size = n;

  /// Of the structure of `a`; its values may be anything. Without a line, points are lines of their own: block Jacobi.
  /// Waits for the instance. Throws Error where an option is out
  /// of range, lines are periodic or have another number of points than A, and where a row has a block of the lines
  /// twice, or a point no diagonal block.
  LineImplicitCsr(const Exec& exec, const Matrix& a, const LineSet& lines, const LineImplicitOptions& options = {},
                  const typename Lines::Options& line_options = {})
      : LineImplicitCsr(Prepared{checked(lines, a)}, exec, a, options, line_options) {}

  const LineImplicitOptions& options() const { return m_options; }
  /// The lines as lists, those of single points included.
  const LineSet& lines() const { return m_lines.lines(); }

  /// Factors M, and keeps A, whose structure is that given to the constructor. Error is thrown where it has another
  /// number of rows or blocks, and where offsets and columns are other arrays than before, which are looked at once and
  /// waited for, and differ. Of arrays that are known, which may have been written to, a difference is recorded, as is
  /// a singular pivot: see status().
  void factor(const Exec& exec, const Matrix& a) {
    m_structure.gather(exec, a, m_tridiagonal);
    m_matrix = a;
    m_lines.factor(exec, m_tridiagonal);
  }

  /// The iteration from x = 0; x may be rhs. Throws Error before the first factor() and where extents are others.
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    run<false>(exec, "LineImplicitCsr::solve", rhs, x, true);
  }

  /// The transpose of what solve() does, which is the iteration with A^T and M^T. Throws Error as solve() does, and
  /// where the plan was made without LineImplicitOptions::transposed.
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const {
    require(m_options.transposed, "LineImplicitCsr::solve_transposed: the plan was made without the option transposed");
    run<true>(exec, "LineImplicitCsr::solve_transposed", rhs, x, true);
  }

  /// The same for several vectors, of each with the sums of a solve with it alone, where Lines take columns, as
  /// BlockTridiagonal does: the rest of A is read once for all of them, and so are the factors of whole lines, but on
  /// LinePath::staged, where each vector reads them, as it does what joins the parts of lines that are cut. The first
  /// sweep has two launches more for all vectors, later ones have one more. That pays where there are several sweeps:
  /// with one, vectors may as well follow one another. Throws Error as for one vector, and in several sweeps where
  /// there are more of them than LineImplicitOptions::vectors.
  template <int count>
  void solve(const Exec& exec, const PointVectors<Scalar, n, count, Exec>& rhs,
             const PointVectors<Scalar, n, count, Exec>& x) const {
    run_several<false>(exec, "LineImplicitCsr::solve", rhs, x);
  }
  template <int count>
  void solve_transposed(const Exec& exec, const PointVectors<Scalar, n, count, Exec>& rhs,
                        const PointVectors<Scalar, n, count, Exec>& x) const {
    require(m_options.transposed, "LineImplicitCsr::solve_transposed: the plan was made without the option transposed");
    run_several<true>(exec, "LineImplicitCsr::solve_transposed", rhs, x);
  }

  /// The iteration from the x that is given; x is not rhs, or Error is thrown. See solve().
  void iterate(const Exec& exec, const Vector& rhs, const Vector& x) const {
    require(x.data() != rhs.data(), "LineImplicitCsr::iterate: x must not be the right-hand side");
    run<false>(exec, "LineImplicitCsr::iterate", rhs, x, false);
  }

  /// Whether the last factor() failed, where, and why. Of another structure it is the first row in the first piece of
  /// the arrays that differs, of columns before offsets, whatever pivots there are. Waits for the instance.
  LineStatus status(const Exec& exec) const {
    auto const row = m_structure.other_row(exec);
    return row ? detail::other_structure_status(lines(), *row) : m_lines.status(exec);
  }

 private:
  /// All points on open lists.
  struct Prepared {
    LineSet lines;
  };

  LineImplicitCsr(const Prepared& prepared, const Exec& exec, const Matrix& a, const LineImplicitOptions& options,
                  const typename Lines::Options& line_options)
      : m_options(options),
        m_structure(exec, a, prepared.lines, options.transposed),
        m_lines(exec, prepared.lines, line_options),
        m_tridiagonal(exec, m_lines.layout(), "Hyperplane::LineImplicit::M"),
        m_x(Kokkos::view_alloc(exec, "Hyperplane::LineImplicit::x"), detail::as_size(a.rows() * n)),
        m_right(Kokkos::view_alloc(exec, "Hyperplane::LineImplicit::right"), detail::as_size(a.rows() * n)) {
    detail::check_options(options);
    if (options.sweeps == 1 || options.vectors == 1) return;
    auto const values = detail::as_size(a.rows() * n * options.vectors);
    m_several_x = Vector(Kokkos::view_alloc(exec, "Hyperplane::LineImplicit::several_x"), values);
    m_several_right = Vector(Kokkos::view_alloc(exec, "Hyperplane::LineImplicit::several_right"), values);
  }

  static LineSet checked(const LineSet& lines, const Matrix& a) {
    require(lines.ends() == LineEnds::open, "LineImplicitCsr: lines must be open");
    if (lines.point_count() != a.rows()) {
      fail("LineImplicitCsr: the lines are of " + std::to_string(lines.point_count()) + " points, A has " +
           std::to_string(a.rows()) + " rows");
    }
    // Vectors are arrays of points here, also along the lines of a grid.
    return lines.as_lists().completed();
  }

  template <bool transposed>
  void run(const Exec& exec, const char* function, const Vector& rhs, const Vector& x, bool from_zero) const {
    detail::check_rows(function, "the right-hand side", rhs, m_structure.rows(), n);
    detail::check_rows(function, "x", x, m_structure.rows(), n);
    if (!m_matrix) fail(std::string(function) + ": called before factor");
    detail::for_line_sweeps(m_options.sweeps, from_zero, m_x, x, [&](int, const Vector* before, const Vector& after) {
      step<transposed>(exec, rhs, before, after);
    });
  }

  /// after <- (1 - w) before + w M^-1 (rhs + S before); nothing before is zero.
  template <bool transposed>
  void step(const Exec& exec, const Vector& rhs, const Vector* before, const Vector& after) const {
    auto const w = static_cast<Scalar>(m_options.relaxation);
    if (before != nullptr) m_structure.template rest<transposed>(exec, *m_matrix, rhs, *before, m_right);
    auto const& right = before != nullptr ? m_right : rhs;
    auto const& solved = w == Scalar(1) ? after : m_right;
    if constexpr (transposed) {
      m_lines.solve_transposed(exec, right, solved);
    } else {
      m_lines.solve(exec, right, solved);
    }
    if (w == Scalar(1)) return;
    detail::relax(exec, w, static_cast<std::int64_t>(after.extent(0)), m_right.data(),
                  before != nullptr ? before->data() : nullptr, after.data());
  }

  template <bool transposed, int count>
  void run_several(const Exec& exec, const char* function, const PointVectors<Scalar, n, count, Exec>& rhs,
                   const PointVectors<Scalar, n, count, Exec>& x) const {
    detail::check_rows(function, "the right-hand side", rhs.flat(), m_structure.rows(), n * count);
    detail::check_rows(function, "x", x.flat(), m_structure.rows(), n * count);
    if (!m_matrix) fail(std::string(function) + ": called before factor");
    if (m_options.sweeps > 1 && count > m_options.vectors) {
      fail(std::string(function) + ": " + std::to_string(count) + " vectors in several sweeps, the option vectors is " +
           std::to_string(m_options.vectors));
    }
    using Vectors = PointVectors<Scalar, n, count, Exec>;
    auto const sweep = [&](const Vectors& work, Scalar* right) {
      detail::for_line_sweeps(m_options.sweeps, true, work, x, [&](int, const Vectors* before, const Vectors& after) {
        step_of_several<transposed>(exec, rhs, before, after, right);
      });
    };
    // One sweep has its columns in x, and no iterate before.
    if (m_options.sweeps == 1) return sweep(x, x.flat().data());
    auto const of_several = [&](const Vector& all) {
      return Vectors(Kokkos::subview(all, std::pair(std::size_t{0}, x.flat().size())));
    };
    sweep(of_several(count == 1 ? m_x : m_several_x), (count == 1 ? m_right : m_several_right).data());
  }

  /// As step(); `right` has room for the columns of the lines.
  template <bool transposed, int count>
  void step_of_several(const Exec& exec, const PointVectors<Scalar, n, count, Exec>& rhs,
                       const PointVectors<Scalar, n, count, Exec>* before,
                       const PointVectors<Scalar, n, count, Exec>& after, Scalar* right) const {
    detail::LongIndexRange<Exec> const points(exec, 0, m_structure.rows());
    constexpr double bytes = 2.0 * n * count * sizeof(Scalar);
    if (before != nullptr) {
      m_structure.template rest<transposed>(exec, *m_matrix, rhs, *before, right);
    } else {
      detail::launch("Hyperplane::LineImplicit::to_columns", points, bytes,
                     detail::LineCsrToColumns<Scalar, n, count>{rhs.flat().data(), right});
    }
    Kokkos::View<Scalar***, Kokkos::LayoutRight, typename Exec::memory_space,
                 Kokkos::MemoryTraits<Kokkos::Unmanaged>> const columns(right, detail::as_size(m_structure.rows()),
                                                                        count, n);
    if constexpr (transposed) {
      m_lines.solve_transposed(exec, columns, columns);
    } else {
      m_lines.solve(exec, columns, columns);
    }
    auto const w = static_cast<Scalar>(m_options.relaxation);
    bool const relaxes = w != Scalar(1) && before != nullptr;
    detail::launch("Hyperplane::LineImplicit::relax", points, bytes,
                   detail::LineCsrRelaxColumns<Scalar, n, count>{w, right, relaxes ? before->flat().data() : nullptr,
                                                                 after.flat().data()});
  }

  LineImplicitOptions m_options;
  detail::LineCsrStructure<Matrix> m_structure;
  Lines m_lines;
  BlockTridiagonalMatrix<Scalar, n, Exec, typename Matrix::storage_type> m_tridiagonal;
  Vector m_x;
  Vector m_right;
  Vector m_several_x, m_several_right;  ///< of several vectors in several sweeps
  std::optional<Matrix> m_matrix;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
