// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/ilu/detail/csr_ilu_analysis.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>
#include <hyperplane/ilu/detail/csr_ilu_structure.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

/// The products of blocks that incomplete factorizations of a BlockCsr take, found on the host.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// visit(target, lower, upper) for each of them: numbers of the block that it is subtracted from, and of its factors,
/// row after row and in each by rising position of the row of the upper one.
template <class Visit>
void for_csr_ilu_products(const CsrIluRows& blocks, std::int64_t rows, const Visit& visit) {
  // Of the row: the block of each column, or -1.
  std::vector<std::int64_t> block_of(as_size(rows), -1);
  auto const for_row = [&](std::int64_t row, const auto& set) {
    for (auto b = blocks.m_lower_begin[row]; b <= blocks.m_diagonal[row]; ++b) set(b);
    for (auto b = blocks.m_upper_begin[row]; b < blocks.m_upper_end[row]; ++b) set(b);
  };
  for (std::int64_t row = 0; row < rows; ++row) {
    for_row(row, [&](std::int64_t b) { block_of[as_size(blocks.m_columns[b])] = b; });
    for (auto l = blocks.m_lower_begin[row]; l < blocks.m_diagonal[row]; ++l) {
      auto const before = blocks.m_columns[l];
      for (auto u = blocks.m_upper_begin[before]; u < blocks.m_upper_end[before]; ++u) {
        auto const target = block_of[as_size(blocks.m_columns[u])];
        if (target >= 0) visit(as_size(target), l, u);
      }
    }
    for_row(row, [&](std::int64_t b) { block_of[as_size(blocks.m_columns[b])] = -1; });
  }
}

/// The products that are subtracted from each block: lower block of its row times upper block of its column, in the
/// order of the rows of the latter.
struct CsrIluProducts {
  std::vector<std::int64_t> begin;  ///< of each block, and the end
  std::vector<std::int64_t> lower;  ///< numbers of blocks
  std::vector<std::int64_t> upper;

  /// None.
  CsrIluProducts() = default;
  explicit CsrIluProducts(const CsrIluBlocks& blocks, CsrIluTargets targets = CsrIluTargets::all)
      : begin(blocks.columns.size() + 1, 0) {
    if (targets == CsrIluTargets::none) return;
    auto const is_target = [&](std::size_t target) {
      return targets == CsrIluTargets::all || blocks.diagonal[as_size(blocks.columns[target])] == std::int64_t(target);
    };
    auto const count = [&](std::size_t target, std::int64_t, std::int64_t) { begin[target + 1] += is_target(target); };
    for_csr_ilu_products(blocks.lists(), blocks.rows(), count);
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    lower.resize(as_size(begin.back()));
    upper.resize(lower.size());
    auto next = begin;
    for_csr_ilu_products(blocks.lists(), blocks.rows(), [&](std::size_t target, std::int64_t l, std::int64_t u) {
      if (!is_target(target)) return;
      auto const at = as_size(next[target]++);
      lower[at] = l;
      upper[at] = u;
    });
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
