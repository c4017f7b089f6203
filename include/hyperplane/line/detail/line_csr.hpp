// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/csr/check_structure.hpp>
#include <hyperplane/line/block_tridiagonal_matrix.hpp>
#include <hyperplane/line/detail/line_tables.hpp>
#include <hyperplane/line/line_layout_ref.hpp>
#include <hyperplane/line/line_set.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Copies the blocks along lines from a block CSR matrix; -1 is a block that the matrix does not have.
template <class MatrixRef, class LineRef, int n>
struct LineCsrGather {
  MatrixRef m_a;
  LineRef m_lines;
  const std::int64_t* m_blocks;  ///< of each ordinal: lower, diagonal, upper
  const std::int64_t* m_line_of;
  const int* m_position_of;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
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

/// One equation of b + S x.
template <class Scalar, int n, class MatrixRef>
struct LineCsrRest {
  MatrixRef m_a;
  const std::int64_t* m_offsets;
  const std::int64_t* m_blocks;
  const Scalar* m_b;
  const Scalar* m_x;
  Scalar* m_right;

  KOKKOS_FUNCTION void operator()(std::int64_t equation) const {
    auto const row = equation / n;
    int const r = static_cast<int>(equation % n);
    Scalar sum = m_b[equation];
    for (auto e = m_offsets[row]; e < m_offsets[row + 1]; ++e) {
      const Scalar* const x = m_x + m_a.column(m_blocks[e]) * n;
      for (int c = 0; c < n; ++c) sum -= static_cast<Scalar>(m_a(m_blocks[e], r, c)) * x[c];
    }
    m_right[equation] = sum;
  }
};

/// Which blocks of a block CSR matrix are along lines, and which are the rest: found on the host, used on the device.
template <class Matrix>
class LineCsrStructure {
  using Exec = typename Matrix::execution_space;
  using Scalar = typename Matrix::scalar_type;
  using Vector = typename Matrix::Vector;
  static constexpr int n = Matrix::block_size;

 public:
  /// All points are on open lines.
  LineCsrStructure(const Exec& exec, const Matrix& a, const LineSet& lines) : m_rows(a.rows()), m_blocks(a.blocks()) {
    auto const offsets = to_vector(exec, a.offsets());
    auto const columns = to_vector(exec, a.columns());
    check(offsets, columns);
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
    m_line_blocks = to_space(exec, line_blocks_of);
    m_line_of = to_space(exec, line_of);
    m_position_of = to_space(exec, position_of);
    m_rest_offsets = to_space(exec, rest_offsets);
    m_rest_blocks = to_space(exec, rest_blocks);
  }

  std::int64_t rows() const { return m_rows; }
  std::int64_t blocks() const { return m_blocks; }

  /// Copies the blocks along the lines.
  template <class LineMatrix>
  void gather(const Exec& exec, const Matrix& a, const LineMatrix& lines) const {
    using Kernel = LineCsrGather<typename Matrix::Ref, typename LineMatrix::Ref, n>;
    launch("Hyperplane::LineImplicit::gather", policy(exec, static_cast<std::int64_t>(m_line_blocks.extent(0))),
           1.0 * n * n * (sizeof(typename Matrix::storage_type) + sizeof(Scalar)),
           Kernel{a.ref(), lines.ref(), m_line_blocks.data(), m_line_of.data(), m_position_of.data()});
  }

  /// right = b + S x.
  void rest(const Exec& exec, const Matrix& a, const Vector& b, const Vector& x, const Vector& right) const {
    launch("Hyperplane::LineImplicit::rest", policy(exec, m_rows * n),
           static_cast<double>(m_blocks) / static_cast<double>(std::max<std::int64_t>(m_rows, 1)) * n * sizeof(Scalar),
           LineCsrRest<Scalar, n, typename Matrix::Ref>{a.ref(), m_rest_offsets.data(), m_rest_blocks.data(), b.data(),
                                                        x.data(), right.data()});
  }

 private:
  /// Arrays that a caller shares have not been looked at before.
  template <class Offset>
  void check(const std::vector<Offset>& offsets, const std::vector<int>& columns) const {
    for (std::int64_t row = 0; row < m_rows; ++row) {
      auto const begin = offsets[as_size(row)], end = offsets[as_size(row + 1)];
      check_csr_row("LineImplicitCsr", row, begin, end, m_blocks);
      for (auto block = begin; block < end; ++block) {
        check_csr_column("LineImplicitCsr", row, columns[as_size(block)], m_rows);
      }
    }
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
  std::int64_t m_blocks;
  Table<std::int64_t> m_line_blocks;
  Table<std::int64_t> m_line_of;
  Table<int> m_position_of;
  Table<std::int64_t> m_rest_offsets;
  Table<std::int64_t> m_rest_blocks;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
