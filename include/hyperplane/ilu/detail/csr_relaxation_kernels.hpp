// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/columns.hpp>
#include <hyperplane/block/row_sums.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/host/prefetch.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// Sweeps with the triangles of a BlockCsr itself, and the inverses of its pivots: each block row by one thread.
/// Values of vectors that other threads may be writing to are not read where they do not matter.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// How many rows before it a row is asked for: blocks of about 10 kB.
template <int n>
inline constexpr int csr_rows_ahead = std::clamp(200 / (n * n), 1, 8);

/// What kernels read. Blocks of A are stored by rows, those of d^-1 by columns.
template <class Scalar, int n, class MatrixRef>
struct CsrRelaxationBlocks {
  MatrixRef m_a;
  BlockCsrEnds m_ends;
  CsrIluRows m_rows;
  const std::int64_t* m_sources;  ///< numbers in A
  const Scalar* m_inverses;

  KOKKOS_FUNCTION const Scalar* inverse(std::int64_t row) const { return m_inverses + row * n * n; }

  /// The sum of A_ij x_j over the blocks begin, ..., end - 1: take(r, total) for each equation.
  template <class Take>
  KOKKOS_FUNCTION void sum(std::int64_t begin, std::int64_t end, const Scalar* x, const Take& take) const {
    block::sum_rows<Scalar, n>(
        [&](auto& sums) {
          for (auto number = begin; number < end; ++number) {
            auto const source = m_sources[number];
            const Scalar* const values = x + std::int64_t{m_rows.m_columns[number]} * n;
            if (m_ends.has_more(source)) {
              sums.template add<true, false>(&m_a(source, 0, 0), values);
            } else {
              sums.template add<false, false>(&m_a(source, 0, 0), values);
            }
          }
        },
        take);
  }

  /// Asks for the blocks of a row before its diagonal, behind it, or of a column, which are between those of the other
  /// triangle: not even in the order of memory are they a stream that processors follow.
  void prefetch_lower(std::int64_t row) const { prefetch(m_rows.m_lower_begin[row], m_rows.m_diagonal[row]); }
  void prefetch_upper(std::int64_t row) const { prefetch(m_rows.m_upper_begin[row], m_rows.m_upper_end[row]); }
  void prefetch_column(const CsrIluColumnLists& lists, std::int64_t column) const {
    for (auto entry = lists.m_begin[column]; entry < lists.m_begin[column + 1]; ++entry) {
      auto const number = lists.m_numbers[entry];
      prefetch(number, number + 1);
    }
  }

  /// The product A_ij^T x_i of a block with this number.
  KOKKOS_FUNCTION block::ColumnSum<Scalar, n> transposed_product(std::int64_t number, const Scalar* x) const {
    block::ColumnSum<Scalar, n> sum;
    add_transposed<false>(number, x, sum);
    return sum;
  }

  /// total += or -= A_ij^T x_i over the blocks (i, j) of a column. `adds_each`: one product after the other, as
  /// CsrRelaxationForwardGiving and CsrRelaxationBackwardGiving do.
  template <bool subtract, bool adds_each>
  KOKKOS_FUNCTION void add_column(const CsrIluColumnLists& lists, std::int64_t column, const Scalar* x,
                                  Scalar* total) const {
    auto const begin = lists.m_begin[column], end = lists.m_begin[column + 1];
    auto const values = [&](std::int64_t entry) { return x + std::int64_t{lists.m_rows[entry]} * n; };
    if constexpr (adds_each) {
      for (auto entry = begin; entry < end; ++entry) {
        transposed_product(lists.m_numbers[entry], values(entry)).template add_to<subtract>(total);
      }
    } else {
      block::ColumnSum<Scalar, n> sum(total);
      for (auto entry = begin; entry < end; ++entry) {
        add_transposed<subtract>(lists.m_numbers[entry], values(entry), sum);
      }
      sum.store(total);
    }
  }

 private:
  void prefetch(std::int64_t begin, std::int64_t end) const {
    for (auto number = begin; number < end; ++number) host::prefetch_values(&m_a(m_sources[number], 0, 0), n * n);
  }

  template <bool subtract>
  KOKKOS_FUNCTION void add_transposed(std::int64_t number, const Scalar* x, block::ColumnSum<Scalar, n>& sum) const {
    auto const source = m_sources[number];
    // Blocks by rows are those of A^T by columns.
    if (m_ends.has_more(source)) {
      sum.template add<subtract>(&m_a(source, 0, 0), x);
    } else {
      sum.template add_last<subtract>(&m_a(source, 0, 0), x);
    }
  }
};

/// y = d^-1 (s b - L y); y may be b.
template <class Scalar, int n, class Blocks>
struct CsrRelaxationForward {
  Blocks m_blocks;
  Scalar m_scale;
  CsrIluSequence m_order;
  const Scalar* m_rhs;
  Scalar* m_y;

  static constexpr int prefetched = csr_rows_ahead<n>;
  void prefetch(std::int64_t index) const {
    prefetch_point<n>(m_order, index, m_rhs, m_y);
    m_blocks.prefetch_lower(m_order.row(index));
  }
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const row = m_order.row(index);
    auto const& rows = m_blocks.m_rows;
    Scalar right[std::size_t{n}];
    m_blocks.sum(rows.m_lower_begin[row], rows.m_diagonal[row], m_y,
                 [&](int r, Scalar total) { right[r] = m_scale * m_rhs[row * n + r] - total; });
    block::ColumnSum<Scalar, n> solved;
    solved.template add<false>(m_blocks.inverse(row), right);
    solved.store(m_y + row * n);
  }
};

/// x = y - d^-1 U x; x may be y.
template <class Scalar, int n, class Blocks>
struct CsrRelaxationBackward {
  Blocks m_blocks;
  CsrIluSequence m_order;
  const Scalar* m_y;
  Scalar* m_x;

  static constexpr int prefetched = csr_rows_ahead<n>;
  void prefetch(std::int64_t index) const {
    prefetch_point<n>(m_order, index, m_y, m_x);
    m_blocks.prefetch_upper(m_order.row(index));
  }
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const row = m_order.row(index);
    auto const& rows = m_blocks.m_rows;
    Scalar right[std::size_t{n}];
    m_blocks.sum(rows.m_upper_begin[row], rows.m_upper_end[row], m_x, [&](int r, Scalar total) { right[r] = total; });
    block::ColumnSum<Scalar, n> rest(m_y + row * n);
    rest.template add<true>(m_blocks.inverse(row), right);
    rest.store(m_x + row * n);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
