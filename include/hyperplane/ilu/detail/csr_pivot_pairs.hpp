// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/ilu/detail/csr_fill.hpp>
#include <hyperplane/ilu/detail/csr_ilu_analysis.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Where a BlockCsr has the blocks that pivots are made of.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The numbers in A of the blocks of the diagonal.
inline std::vector<std::int64_t> csr_diagonal_blocks(const CsrIluBlocks& blocks) {
  std::vector<std::int64_t> result;
  result.reserve(blocks.diagonal.size());
  for (auto const number : blocks.diagonal) result.push_back(blocks.sources[as_size(number)]);
  return result;
}
/// The same of a structure that was checked.
inline std::vector<std::int64_t> csr_diagonal_blocks(const CsrColumns& structure) {
  std::vector<std::int64_t> result;
  result.reserve(as_size(structure.rows()));
  for (std::int64_t row = 0; row < structure.rows(); ++row) {
    auto const begin = structure.columns.begin() + structure.begin[as_size(row)];
    auto const end = structure.columns.begin() + structure.begin[as_size(row) + 1];
    result.push_back(std::find(begin, end, static_cast<int>(row)) - structure.columns.begin());
  }
  return result;
}

/// Of each block (i, j) up to the diagonal, the number in A of (j, i) behind the diagonal, or -1.
inline std::vector<std::int64_t> csr_opposite_blocks(const CsrIluPattern& of) {
  auto const& blocks = of.blocks;
  auto const& positions = of.order.positions;
  std::vector<std::int64_t> result(blocks.columns.size() - as_size(blocks.upper_count()), -1);
  for (int const row : of.order.rows) {
    for (auto number = blocks.lower_begin[as_size(row)]; number < blocks.diagonal[as_size(row)]; ++number) {
      auto const other = as_size(blocks.columns[as_size(number)]);
      auto const end = blocks.columns.begin() + blocks.upper_end[other];
      auto const at = std::lower_bound(blocks.columns.begin() + blocks.upper_begin[other], end, positions[as_size(row)],
                                       [&](int column, int position) { return positions[as_size(column)] < position; });
      if (at != end && *at == row) result[as_size(number)] = blocks.sources[as_size(at - blocks.columns.begin())];
    }
  }
  return result;
}

/// Pairs of blocks of A with the same two rows, for kernels: what DILU subtracts from diagonal blocks.
struct CsrPivotPairs {
  CsrIluRows m_rows;
  const std::int64_t* m_sources;    ///< of each block, its number in A
  const std::int64_t* m_opposites;  ///< of a block (i, j) before the diagonal, the number of (j, i) in A, or negative

  /// visit(j, number of (i, j), number of (j, i)) for the pairs of row i, until it returns false.
  template <class Visit>
  KOKKOS_FUNCTION void for_pairs(std::int64_t row, const Visit& visit) const {
    for (auto number = m_rows.m_lower_begin[row]; number < m_rows.m_diagonal[row]; ++number) {
      if (m_opposites[number] < 0) continue;
      if (!visit(std::int64_t{m_rows.m_columns[number]}, m_sources[number], m_opposites[number])) return;
    }
  }
};

/// The blocks to be inverted are those of the diagonal themselves.
struct NoCsrPivotPairs {
  template <class Visit>
  KOKKOS_FUNCTION void for_pairs(std::int64_t, const Visit&) const {}
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
