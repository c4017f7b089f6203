// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/csr/check_structure.hpp>
#include <hyperplane/csr/given_structure.hpp>
#include <hyperplane/csr/point_vectors.hpp>
#include <hyperplane/csr/structure_fingerprints.hpp>
#include <hyperplane/line/block_tridiagonal_matrix.hpp>
#include <hyperplane/line/detail/line_csr_columns.hpp>
#include <hyperplane/line/detail/line_csr_difference.hpp>
#include <hyperplane/line/detail/line_tables.hpp>
#include <hyperplane/line/line_layout_ref.hpp>
#include <hyperplane/line/line_set.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Copies the blocks along lines from a block CSR matrix; -1 is a block that the matrix does not have. Behind them
/// comes one index more, which finds the row for the piece of the structure that is another one.
template <class MatrixRef, class LineRef, int n, class Difference>
struct LineCsrGather {
  MatrixRef m_a;
  LineRef m_lines;
  const std::int64_t* m_blocks;  ///< of each ordinal: lower, diagonal, upper
  std::int64_t m_count;
  const std::int64_t* m_line_of;
  const int* m_position_of;
  Difference m_difference;
  std::uint64_t* m_words;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    if (index == m_count) return conclude_csr_difference(m_difference, m_words);
    auto const ordinal = index / line_blocks;
    auto const which = static_cast<LineBlock>(index % line_blocks);
    auto const block = m_blocks[index];
    for (int c = 0; c < n; ++c) {
      for (int r = 0; r < n; ++r) {
        m_lines(m_line_of[ordinal], m_position_of[ordinal], which, r, c) = block < 0 ? 0 : m_a(block, r, c);
      }
    }
  }
};

/// One equation of b + S x, or of b + S^T x, whose blocks are by columns: `m_points` are their columns, or their rows.
template <class Scalar, int n, class MatrixRef, class Points, bool transposed>
struct LineCsrRest {
  MatrixRef m_a;
  const std::int64_t* m_offsets;
  const std::int64_t* m_blocks;
  Points m_points;
  const Scalar* m_b;
  const Scalar* m_x;
  Scalar* m_right;

  KOKKOS_FUNCTION void operator()(std::int64_t equation) const {
    auto const row = equation / n;
    int const r = static_cast<int>(equation % n);
    Scalar sum = m_b[equation];
    for (auto e = m_offsets[row]; e < m_offsets[row + 1]; ++e) {
      const Scalar* const x = m_x + m_points(m_blocks[e], e) * n;
      for (int c = 0; c < n; ++c) {
        sum -= static_cast<Scalar>(transposed ? m_a(m_blocks[e], c, r) : m_a(m_blocks[e], r, c)) * x[c];
      }
    }
    m_right[equation] = sum;
  }
};

/// The column of a block.
struct LineCsrColumns {
  const int* m_columns;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t block, std::int64_t) const { return m_columns[block]; }
};

/// The row of an entry of a list by columns.
struct LineCsrRows {
  const int* m_rows;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t, std::int64_t entry) const { return m_rows[entry]; }
};

/// Which blocks of a block CSR matrix are along lines, and which are the rest: found on the host, used on the device.
/// Knows them by columns of its own, so that what is written to those of A leads no kernel out of a vector.
template <class Matrix>
class LineCsrStructure {
  using Exec = typename Matrix::execution_space;
  using Scalar = typename Matrix::scalar_type;
  using Vector = typename Matrix::Vector;
  using Offset = typename Matrix::Offsets::non_const_value_type;
  using Fingerprints = StructureFingerprints<Exec, Offset>;
  static constexpr int n = Matrix::block_size;

 public:
  /// All points are on open lines. `transposed`: with lists of the rest by columns, too.
  LineCsrStructure(const Exec& exec, const Matrix& a, const LineSet& lines, bool transposed)
      : m_rows(a.rows()),
        m_given(a.offsets(), a.columns()),
        m_fingerprints(exec, a.offsets(), a.columns()),
        m_words(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Hyperplane::LineImplicit::structure"), 2) {
    Kokkos::deep_copy(exec, m_words, no_structure_word);
    auto const offsets = to_vector(exec, a.offsets());
    auto const columns = to_vector(exec, a.columns());
    check_csr_structure("LineImplicitCsr", offsets, columns);
    std::vector<std::int64_t> line_blocks_of(as_size(lines.size() * line_blocks), -1), line_of,
        rest_offsets(as_size(m_rows + 1), 0);
    std::vector<int> position_of;
    // Lines do not come in the order of rows, so the rest is counted first.
    std::vector<std::vector<std::int64_t>> rest(as_size(m_rows));
    for (std::int64_t line = 0; line < lines.count(); ++line) {
      for (int position = 0; position < lines.length(line); ++position) {
        auto const point = lines.point(line, position);
        auto* const own = line_blocks_of.data() + line_of.size() * line_blocks;
        for (auto block = offsets[as_size(point)]; block < offsets[as_size(point + 1)]; ++block) {
          int const which = place(lines, line, position, columns[as_size(block)]);
          if (which < 0) {
            rest[as_size(point)].push_back(static_cast<std::int64_t>(block));
            continue;
          }
          if (own[which] >= 0) {
            fail("LineImplicitCsr: row " + std::to_string(point) + " has column " +
                 std::to_string(columns[as_size(block)]) + " twice");
          }
          own[which] = static_cast<std::int64_t>(block);
        }
        if (own[static_cast<int>(LineBlock::diagonal)] < 0) {
          fail("LineImplicitCsr: row " + std::to_string(point) + " has no diagonal block");
        }
        line_of.push_back(line);
        position_of.push_back(position);
      }
    }
    std::vector<std::int64_t> rest_blocks;
    for (std::int64_t row = 0; row < m_rows; ++row) {
      auto const& of_row = rest[as_size(row)];
      rest_blocks.insert(rest_blocks.end(), of_row.begin(), of_row.end());
      rest_offsets[as_size(row + 1)] = static_cast<std::int64_t>(rest_blocks.size());
    }
    m_offsets = to_space(exec, offsets);
    m_columns = to_space(exec, columns);
    m_line_blocks = to_space(exec, line_blocks_of);
    m_line_of = to_space(exec, line_of);
    m_position_of = to_space(exec, position_of);
    m_rest_offsets = to_space(exec, rest_offsets);
    m_rest_blocks = to_space(exec, rest_blocks);
    if (transposed) list_columns(exec, rest, columns);
  }

  std::int64_t rows() const { return m_rows; }

  /// Copies the blocks along the lines, and compares the structure. Throws Error as CsrGivenStructure::check does.
  template <class LineMatrix>
  void gather(const Exec& exec, const Matrix& a, const LineMatrix& lines) {
    using Difference = LineCsrDifference<typename Matrix::Ref, typename Fingerprints::Pieces, Offset>;
    Difference const difference{a.ref(), m_offsets.data(), m_columns.data(), m_fingerprints.pieces(a)};
    m_given.check(exec, "LineImplicitCsr", a, difference, Fingerprints::bytes, m_words.data());
    auto const count = static_cast<std::int64_t>(m_line_blocks.extent(0));
    using Kernel = LineCsrGather<typename Matrix::Ref, typename LineMatrix::Ref, n, Difference>;
    launch("Hyperplane::LineImplicit::gather", policy(exec, count + 1),
           1.0 * n * n * (sizeof(typename Matrix::storage_type) + sizeof(Scalar)),
           Kernel{a.ref(), lines.ref(), m_line_blocks.data(), count, m_line_of.data(), m_position_of.data(), difference,
                  m_words.data()});
  }

  /// A row of the last matrix that has another structure, in the first piece of the arrays that differs. Waits for the
  /// instance.
  std::optional<std::int64_t> other_row(const Exec& exec) const {
    auto const row = to_vector(exec, m_words)[1];
    if (row == no_structure_word) return std::nullopt;
    return static_cast<std::int64_t>(row);
  }

  /// right = b + S x, or b + S^T x.
  template <bool transposed>
  void rest(const Exec& exec, const Matrix& a, const Vector& b, const Vector& x, const Vector& right) const {
    double const bytes =
        static_cast<double>(a.blocks()) / static_cast<double>(std::max<std::int64_t>(m_rows, 1)) * n * sizeof(Scalar);
    if constexpr (transposed) {
      launch("Hyperplane::LineImplicit::transposed_rest", policy(exec, m_rows * n), bytes,
             LineCsrRest<Scalar, n, typename Matrix::Ref, LineCsrRows, true>{a.ref(),
                                                                             m_column_offsets.data(),
                                                                             m_column_blocks.data(),
                                                                             {m_column_rows.data()},
                                                                             b.data(),
                                                                             x.data(),
                                                                             right.data()});
    } else {
      launch("Hyperplane::LineImplicit::rest", policy(exec, m_rows * n), bytes,
             LineCsrRest<Scalar, n, typename Matrix::Ref, LineCsrColumns, false>{a.ref(),
                                                                                 m_rest_offsets.data(),
                                                                                 m_rest_blocks.data(),
                                                                                 {m_columns.data()},
                                                                                 b.data(),
                                                                                 x.data(),
                                                                                 right.data()});
    }
  }
  /// The same of several vectors, into columns.
  template <bool transposed, int count>
  void rest(const Exec& exec, const Matrix& a, const PointVectors<Scalar, n, count, Exec>& b,
            const PointVectors<Scalar, n, count, Exec>& x, Scalar* right) const {
    using Points = std::conditional_t<transposed, LineCsrRows, LineCsrColumns>;
    using Kernel = LineCsrTallRest<Scalar, n, count, Exec, typename Matrix::Ref, Points, transposed>;
    double const bytes = static_cast<double>(a.blocks()) / static_cast<double>(std::max<std::int64_t>(m_rows, 1)) * n *
                         sizeof(Scalar) * (1 + count) / Kernel::shares;
    launch(transposed ? "Hyperplane::LineImplicit::transposed_rest" : "Hyperplane::LineImplicit::rest",
           policy(exec, m_rows * n * Kernel::shares), bytes,
           Kernel{a.ref(), (transposed ? m_column_offsets : m_rest_offsets).data(),
                  (transposed ? m_column_blocks : m_rest_blocks).data(),
                  Points{(transposed ? m_column_rows : m_columns).data()}, b.flat().data(), x.flat().data(), right});
  }

 private:
  /// The blocks of the rest by columns; in each, rows come in their order.
  void list_columns(const Exec& exec, const std::vector<std::vector<std::int64_t>>& rest,
                    const std::vector<int>& columns) {
    std::vector<std::int64_t> offsets(as_size(m_rows + 1), 0);
    for (auto const& of_row : rest) {
      for (auto const block : of_row) ++offsets[as_size(columns[as_size(block)]) + 1];
    }
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    std::vector<std::int64_t> blocks(as_size(offsets.back())), next = offsets;
    std::vector<int> rows(blocks.size());
    for (std::size_t row = 0; row < rest.size(); ++row) {
      for (auto const block : rest[row]) {
        auto const at = as_size(next[as_size(columns[as_size(block)])]++);
        blocks[at] = block;
        rows[at] = static_cast<int>(row);
      }
    }
    m_column_offsets = to_space(exec, offsets);
    m_column_blocks = to_space(exec, blocks);
    m_column_rows = to_space(exec, rows);
  }

  /// Which block of the line's matrix a column is for a point, or -1.
  static int place(const LineSet& lines, std::int64_t line, int position, std::int64_t column) {
    if (column == lines.point(line, position)) return static_cast<int>(LineBlock::diagonal);
    if (position > 0 && column == lines.point(line, position - 1)) return static_cast<int>(LineBlock::lower);
    if (position + 1 < lines.length(line) && column == lines.point(line, position + 1)) {
      return static_cast<int>(LineBlock::upper);
    }
    return -1;
  }

  static auto policy(const Exec& exec, std::int64_t count) { return LongIndexRange<Exec>(exec, 0, count); }

  template <class T>
  using Table = Kokkos::View<T*, typename Exec::memory_space>;

  std::int64_t m_rows;
  CsrGivenStructure<Matrix> m_given;
  Fingerprints m_fingerprints;
  Table<std::uint64_t> m_words;  ///< of conclude_csr_difference()
  Table<Offset> m_offsets;
  Table<int> m_columns;
  Table<std::int64_t> m_line_blocks;
  Table<std::int64_t> m_line_of;
  Table<int> m_position_of;
  Table<std::int64_t> m_rest_offsets;
  Table<std::int64_t> m_rest_blocks;
  Table<std::int64_t> m_column_offsets;
  Table<std::int64_t> m_column_blocks;
  Table<int> m_column_rows;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
