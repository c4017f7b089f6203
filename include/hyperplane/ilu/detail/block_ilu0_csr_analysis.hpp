// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/csr/check_structure.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

/// What BILU(0) has to know of the structure of a BlockCsr, found on the host.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Block rows by levels: those of a level depend on rows of levels before it alone.
struct CsrLevels {
  std::vector<int> rows;
  /// The rows of level l are rows[begin[l]], ..., rows[begin[l + 1] - 1], ascending.
  std::vector<std::int64_t> begin;

  explicit CsrLevels(const std::vector<int>& level_of) {
    int count = 0;
    for (int const level : level_of) count = std::max(count, level + 1);
    begin.assign(as_size(count) + 1, 0);
    for (int const level : level_of) ++begin[as_size(level) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    rows.resize(level_of.size());
    auto next = begin;
    for (std::size_t row = 0; row < level_of.size(); ++row) {
      rows[as_size(next[as_size(level_of[row])]++)] = static_cast<int>(row);
    }
  }
  int count() const { return static_cast<int>(begin.size()) - 1; }
};

/// Blocks of the factors have numbers: those before the diagonal and the diagonal block itself, which is the last of
/// its row, row after row; then those behind the diagonal, row after row. Columns of a row ascend.
struct Ilu0CsrBlocks {
  std::vector<std::int64_t> lower_begin;  ///< of each row; the end is the diagonal block
  std::vector<std::int64_t> diagonal;
  std::vector<std::int64_t> upper_begin;
  std::vector<std::int64_t> upper_end;
  std::vector<int> columns;
  std::vector<std::int64_t> sources;  ///< which block of A it is made from

  std::int64_t rows() const { return static_cast<std::int64_t>(diagonal.size()); }
  std::int64_t upper_count() const {
    std::int64_t count = 0;
    for (std::size_t row = 0; row < diagonal.size(); ++row) count += upper_end[row] - upper_begin[row];
    return count;
  }

  /// Rows by their numbers.
  template <class Offset>
  Ilu0CsrBlocks(const std::vector<Offset>& offsets, const std::vector<int>& given) {
    check_offsets(offsets, given);
    auto const rows = offsets.size() - 1;
    columns.reserve(given.size());
    sources.reserve(given.size());
    std::vector<std::pair<int, std::int64_t>> sorted, behind;
    for (std::size_t row = 0; row < rows; ++row) {
      sorted.clear();
      for (auto block = offsets[row]; block < offsets[row + 1]; ++block) {
        sorted.emplace_back(given[static_cast<std::size_t>(block)], static_cast<std::int64_t>(block));
      }
      std::ranges::sort(sorted);
      check_row(row, rows, sorted);
      lower_begin.push_back(static_cast<std::int64_t>(columns.size()));
      upper_begin.push_back(static_cast<std::int64_t>(behind.size()));
      for (auto const& block : sorted) {
        if (std::cmp_less_equal(block.first, row)) {
          add(block);
        } else {
          behind.push_back(block);
        }
      }
      diagonal.push_back(static_cast<std::int64_t>(columns.size()) - 1);
      upper_end.push_back(static_cast<std::int64_t>(behind.size()));
    }
    auto const lower = static_cast<std::int64_t>(columns.size());
    for (auto& begin : upper_begin) begin += lower;
    for (auto& end : upper_end) end += lower;
    for (auto const& block : behind) add(block);
  }

  /// Gives blocks other numbers, so that they follow one another in the order in which sweeps take the rows.
  void renumber(const std::vector<int>& forward, const std::vector<int>& backward) {
    Ilu0CsrBlocks const before = *this;
    columns.clear();
    sources.clear();
    auto const take = [&](std::int64_t begin, std::int64_t end) {
      auto const first = static_cast<std::int64_t>(columns.size());
      for (auto number = as_size(begin); number < as_size(end); ++number) {
        add({before.columns[number], before.sources[number]});
      }
      return first;
    };
    for (int const row : forward) {
      auto const r = as_size(row);
      lower_begin[r] = take(before.lower_begin[r], before.diagonal[r] + 1);
      diagonal[r] = static_cast<std::int64_t>(columns.size()) - 1;
    }
    for (int const row : backward) {
      auto const r = as_size(row);
      upper_begin[r] = take(before.upper_begin[r], before.upper_end[r]);
      upper_end[r] = static_cast<std::int64_t>(columns.size());
    }
  }

 private:
  static constexpr const char* plan = "BlockIlu0Csr";

  void add(const std::pair<int, std::int64_t>& block) {
    columns.push_back(block.first);
    sources.push_back(block.second);
  }

  /// Arrays that a caller shares have not been looked at before.
  template <class Offset>
  static void check_offsets(const std::vector<Offset>& offsets, const std::vector<int>& given) {
    if (offsets.front() != 0) fail("BlockIlu0Csr: offsets[0] is " + std::to_string(offsets.front()) + ", expected 0");
    for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
      check_csr_row(plan, static_cast<std::int64_t>(row), offsets[row], offsets[row + 1],
                    static_cast<std::int64_t>(given.size()));
    }
    if (std::cmp_not_equal(offsets.back(), given.size())) {
      fail("BlockIlu0Csr: the last offset is " + std::to_string(offsets.back()) + ", but there are " +
           std::to_string(given.size()) + " columns");
    }
  }

  static void check_row(std::size_t row, std::size_t rows, const std::vector<std::pair<int, std::int64_t>>& sorted) {
    bool diagonal = false;
    for (std::size_t e = 0; e < sorted.size(); ++e) {
      int const column = sorted[e].first;
      check_csr_column(plan, static_cast<std::int64_t>(row), column, static_cast<std::int64_t>(rows));
      if (e > 0 && sorted[e - 1].first == column) {
        fail("BlockIlu0Csr: row " + std::to_string(row) + " has column " + std::to_string(column) + " twice");
      }
      diagonal = diagonal || std::cmp_equal(column, row);
    }
    if (!diagonal) {
      fail("BlockIlu0Csr: row " + std::to_string(row) + " has no diagonal block, column " + std::to_string(row));
    }
  }
};

/// The products that are subtracted from each block: lower block of its row times upper block of its column, in the
/// order of the rows of the latter.
struct Ilu0CsrProducts {
  std::vector<std::int64_t> begin;  ///< of each block, and the end
  std::vector<std::int64_t> lower;  ///< numbers of blocks
  std::vector<std::int64_t> upper;

  explicit Ilu0CsrProducts(const Ilu0CsrBlocks& blocks) : begin(blocks.columns.size() + 1, 0) {
    for_each(blocks, [&](std::size_t target, std::int64_t, std::int64_t) { ++begin[target + 1]; });
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    lower.resize(as_size(begin.back()));
    upper.resize(lower.size());
    auto next = begin;
    for_each(blocks, [&](std::size_t target, std::int64_t l, std::int64_t u) {
      auto const at = as_size(next[target]++);
      lower[at] = l;
      upper[at] = u;
    });
  }

 private:
  template <class Visit>
  static void for_each(const Ilu0CsrBlocks& blocks, const Visit& visit) {
    // Of the row: the block of each column, or -1.
    std::vector<std::int64_t> block_of(as_size(blocks.rows()), -1);
    auto const for_row = [&](std::int64_t row, const auto& set) {
      for (auto b = blocks.lower_begin[as_size(row)]; b <= blocks.diagonal[as_size(row)]; ++b) set(b);
      for (auto b = blocks.upper_begin[as_size(row)]; b < blocks.upper_end[as_size(row)]; ++b) set(b);
    };
    for (std::int64_t row = 0; row < blocks.rows(); ++row) {
      for_row(row, [&](std::int64_t b) { block_of[as_size(blocks.columns[as_size(b)])] = b; });
      for (auto l = blocks.lower_begin[as_size(row)]; l < blocks.diagonal[as_size(row)]; ++l) {
        auto const before = as_size(blocks.columns[as_size(l)]);
        for (auto u = blocks.upper_begin[before]; u < blocks.upper_end[before]; ++u) {
          auto const target = block_of[as_size(blocks.columns[as_size(u)])];
          if (target >= 0) visit(as_size(target), l, u);
        }
      }
      for_row(row, [&](std::int64_t b) { block_of[as_size(blocks.columns[as_size(b)])] = -1; });
    }
  }
};

/// A row comes after those of the columns of its blocks begin[row], ..., end[row] - 1, which are all before it where
/// rows are taken by their numbers, by step 1 from the first or -1 from the last.
inline CsrLevels ilu0_csr_levels(const std::vector<int>& columns, const std::vector<std::int64_t>& begin,
                                 const std::vector<std::int64_t>& end, int step) {
  std::vector<int> level(begin.size(), 0);
  auto const rows = static_cast<std::int64_t>(begin.size());
  for (std::int64_t row = step > 0 ? 0 : rows - 1; 0 <= row && row < rows; row += step) {
    int& own = level[as_size(row)];
    for (auto b = begin[as_size(row)]; b < end[as_size(row)]; ++b) {
      own = std::max(own, level[as_size(columns[as_size(b)])] + 1);
    }
  }
  return CsrLevels(level);
}

/// All of it. Where rows are run by levels, blocks are numbered by them, too.
struct Ilu0CsrAnalysis {
  Ilu0CsrBlocks blocks;
  CsrLevels forward;
  CsrLevels backward;
  Ilu0CsrProducts products;

  template <class Offset>
  Ilu0CsrAnalysis(const std::vector<Offset>& offsets, const std::vector<int>& columns, bool by_levels)
      : blocks(offsets, columns),
        forward(ilu0_csr_levels(blocks.columns, blocks.lower_begin, blocks.diagonal, 1)),
        backward(ilu0_csr_levels(blocks.columns, blocks.upper_begin, blocks.upper_end, -1)),
        products(numbered(by_levels)) {}

 private:
  const Ilu0CsrBlocks& numbered(bool by_levels) {
    if (by_levels) blocks.renumber(forward.rows, backward.rows);
    return blocks;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
