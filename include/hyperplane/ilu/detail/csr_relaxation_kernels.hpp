// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/columns.hpp>
#include <hyperplane/block/row_sums.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// Sweeps with the triangles of a BlockCsr itself, and the inverses of its pivots: each block row by one thread.
/// Values of vectors that other threads may be writing to are not read where they do not matter.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What kernels read. Blocks of A are stored by rows, those of d^-1 by columns.
template <class Scalar, int n, class Storage, class MatrixRef>
struct CsrRelaxationBlocks {
  MatrixRef m_a;
  BlockCsrEnds m_ends;
  CsrIluRows m_rows;
  const std::int64_t* m_sources;  ///< numbers in A
  const Storage* m_inverses;

  KOKKOS_FUNCTION const Storage* inverse(std::int64_t row) const { return m_inverses + row * n * n; }

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

  /// sum += or -= A_ij^T x_i over the blocks (i, j) of a column.
  template <bool subtract>
  KOKKOS_FUNCTION void add_column(const CsrIluColumnLists& lists, std::int64_t column, const Scalar* x,
                                  block::ColumnSum<Scalar, n>& sum) const {
    auto const end = lists.m_begin[column + 1];
    for (auto entry = lists.m_begin[column]; entry < end; ++entry) {
      auto const source = m_sources[lists.m_numbers[entry]];
      const Scalar* const values = x + std::int64_t{lists.m_rows[entry]} * n;
      // Blocks by rows are those of A^T by columns.
      if (m_ends.has_more(source)) {
        sum.template add<subtract>(&m_a(source, 0, 0), values);
      } else {
        sum.template add_last<subtract>(&m_a(source, 0, 0), values);
      }
    }
  }
};

/// y = d^-1 (s b - L y); y may be b.
template <class Scalar, int n, class Storage, class MatrixRef>
struct CsrRelaxationForward {
  CsrRelaxationBlocks<Scalar, n, Storage, MatrixRef> m_blocks;
  Scalar m_scale;
  CsrIluSequence m_order;
  const Scalar* m_rhs;
  Scalar* m_y;

  static constexpr int prefetched = 8;
  void prefetch(std::int64_t index) const { prefetch_point<n>(m_order, index, m_rhs, m_y); }
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
template <class Scalar, int n, class Storage, class MatrixRef>
struct CsrRelaxationBackward {
  CsrRelaxationBlocks<Scalar, n, Storage, MatrixRef> m_blocks;
  CsrIluSequence m_order;
  const Scalar* m_y;
  Scalar* m_x;

  static constexpr int prefetched = 8;
  void prefetch(std::int64_t index) const { prefetch_point<n>(m_order, index, m_y, m_x); }
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

/// y = d^-T (s b - U^T y); y may be b.
template <class Scalar, int n, class Storage, class MatrixRef>
struct CsrRelaxationForwardTransposed {
  CsrRelaxationBlocks<Scalar, n, Storage, MatrixRef> m_blocks;
  CsrIluColumnLists m_lists;
  Scalar m_scale;
  CsrIluSequence m_order;
  const Scalar* m_rhs;
  Scalar* m_y;

  static constexpr int prefetched = 8;
  void prefetch(std::int64_t index) const { prefetch_point<n>(m_order, index, m_rhs, m_y); }
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const row = m_order.row(index);
    Scalar right[std::size_t{n}];
    for (int r = 0; r < n; ++r) right[r] = m_scale * m_rhs[row * n + r];
    block::ColumnSum<Scalar, n> sum(right);
    m_blocks.template add_column<true>(m_lists, row, m_y, sum);
    sum.store(right);
    block::sum_rows<Scalar, n>([&](auto& sums) { sums.template add<true, false>(m_blocks.inverse(row), right); },
                               [&](int r, Scalar total) { m_y[row * n + r] = total; });
  }
};

/// x = y - d^-T L^T x; x may be y.
template <class Scalar, int n, class Storage, class MatrixRef>
struct CsrRelaxationBackwardTransposed {
  CsrRelaxationBlocks<Scalar, n, Storage, MatrixRef> m_blocks;
  CsrIluColumnLists m_lists;
  CsrIluSequence m_order;
  const Scalar* m_y;
  Scalar* m_x;

  static constexpr int prefetched = 8;
  void prefetch(std::int64_t index) const { prefetch_point<n>(m_order, index, m_y, m_x); }
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const row = m_order.row(index);
    block::ColumnSum<Scalar, n> sum;
    m_blocks.template add_column<false>(m_lists, row, m_x, sum);
    Scalar right[std::size_t{n}];
    sum.store(right);
    block::sum_rows<Scalar, n>([&](auto& sums) { sums.template add<true, false>(m_blocks.inverse(row), right); },
                               [&](int r, Scalar total) { m_x[row * n + r] = m_y[row * n + r] - total; });
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
