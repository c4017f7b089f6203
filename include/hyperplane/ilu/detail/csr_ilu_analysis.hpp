// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/host/row_needs.hpp>
#include <hyperplane/ilu/detail/csr_fill.hpp>
#include <hyperplane/ilu/detail/csr_ilu_structure.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <ranges>
#include <utility>
#include <vector>

/// What incomplete factorizations have to know of the structure of a BlockCsr, found on the host.
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
  /// Rows of the largest level.
  std::int64_t widest() const {
    std::int64_t result = 0;
    for (std::size_t level = 1; level < begin.size(); ++level)
      result = std::max(result, begin[level] - begin[level - 1]);
    return result;
  }
};

/// Blocks of the factors have numbers: those before the diagonal and the diagonal block itself, which is the last of
/// its row, row after row; then those behind the diagonal, from the last row to the first. Before and behind are meant
/// in the order in which rows are taken, and so do rows and the columns of a row follow one another.
struct CsrIluBlocks {
  std::vector<std::int64_t> lower_begin;  ///< of each row; the end is the diagonal block
  std::vector<std::int64_t> diagonal;
  std::vector<std::int64_t> upper_begin;
  std::vector<std::int64_t> upper_end;
  std::vector<int> columns;
  std::vector<std::int64_t> sources;  ///< which block of A it is made from, or no_source; empty where rows were known
  static constexpr std::int64_t no_source = -1;

  std::int64_t rows() const { return static_cast<std::int64_t>(diagonal.size()); }
  std::int64_t upper_count() const {
    std::int64_t count = 0;
    for (std::size_t row = 0; row < diagonal.size(); ++row) count += upper_end[row] - upper_begin[row];
    return count;
  }

  /// Of a structure that was checked; blocks of up to `fill` levels are added to it.
  template <class Host>
  CsrIluBlocks(const Host& host, const CsrColumns& given, const CsrIluOrder& order, int fill)
      : lower_begin(order.rows.size()),
        diagonal(order.rows.size()),
        upper_begin(order.rows.size()),
        upper_end(order.rows.size()) {
    CsrColumns added_behind(order.rows.size()), added_before(order.rows.size());
    if (fill > 0) {
      added_behind = CsrFill(given, order.positions, fill).find(host);
      added_before = CsrFill(given.transposed(), order.positions, fill).find(host).transposed();
    }
    columns.reserve(given.columns.size() + added_behind.columns.size() + added_before.columns.size());
    sources.reserve(columns.capacity());
    // Blocks of a row: position and source of each.
    std::vector<std::pair<int, std::int64_t>> blocks;
    auto const add_blocks = [&](std::size_t r, bool behind) {
      auto const first = static_cast<std::int64_t>(columns.size());
      blocks.clear();
      for (auto e = given.begin[r]; e < given.begin[r + 1]; ++e) {
        auto const position = order.positions[as_size(given.columns[as_size(e)])];
        if ((position > order.positions[r]) == behind) blocks.emplace_back(position, e);
      }
      add_fill(behind ? added_behind : added_before, r, order, blocks);
      for (auto const& [position, source] : blocks) {
        columns.push_back(order.rows[as_size(position)]);
        sources.push_back(source);
      }
      return first;
    };
    for (int const row : order.rows) {
      auto const r = as_size(row);
      lower_begin[r] = add_blocks(r, false);
      diagonal[r] = static_cast<std::int64_t>(columns.size()) - 1;
    }
    for (int const row : order.rows | std::views::reverse) {
      auto const r = as_size(row);
      upper_begin[r] = add_blocks(r, true);
      upper_end[r] = static_cast<std::int64_t>(columns.size());
    }
  }

  /// Of rows that are known, in the order in which they are taken: positions of the columns, rising, `lower()` up to
  /// the diagonal and `upper()` behind it.
  template <class Row>
  CsrIluBlocks(const CsrIluOrder& order, const std::vector<Row>& rows)
      : lower_begin(order.rows.size()),
        diagonal(order.rows.size()),
        upper_begin(order.rows.size()),
        upper_end(order.rows.size()) {
    std::size_t count = 0;
    for (auto const& row : rows) count += row.positions.size();
    columns.reserve(count);
    for (std::size_t at = 0; at < rows.size(); ++at) {
      auto const r = as_size(order.rows[at]);
      lower_begin[r] = static_cast<std::int64_t>(columns.size());
      for (int const position : rows[at].lower()) columns.push_back(order.rows[as_size(position)]);
      diagonal[r] = static_cast<std::int64_t>(columns.size()) - 1;
    }
    for (auto at = rows.size(); at-- > 0;) {
      auto const r = as_size(order.rows[at]);
      upper_begin[r] = static_cast<std::int64_t>(columns.size());
      for (int const position : rows[at].upper()) columns.push_back(order.rows[as_size(position)]);
      upper_end[r] = static_cast<std::int64_t>(columns.size());
    }
  }

  /// Gives blocks other numbers, so that they follow one another in the order in which sweeps take the rows.
  void renumber(const std::vector<int>& forward, const std::vector<int>& backward) {
    CsrIluBlocks const old = *this;
    columns.clear();
    sources.clear();
    auto const take = [&](std::int64_t begin, std::int64_t end) {
      auto const first = static_cast<std::int64_t>(columns.size());
      columns.insert(columns.end(), old.columns.begin() + begin, old.columns.begin() + end);
      if (!old.sources.empty()) sources.insert(sources.end(), old.sources.begin() + begin, old.sources.begin() + end);
      return first;
    };
    for (int const row : forward) {
      auto const r = as_size(row);
      lower_begin[r] = take(old.lower_begin[r], old.diagonal[r] + 1);
      diagonal[r] = static_cast<std::int64_t>(columns.size()) - 1;
    }
    for (int const row : backward) {
      auto const r = as_size(row);
      upper_begin[r] = take(old.upper_begin[r], old.upper_end[r]);
      upper_end[r] = static_cast<std::int64_t>(columns.size());
    }
  }

 private:
  /// Sorts the blocks of a row, those that `added` has and A has not with them.
  static void add_fill(const CsrColumns& added, std::size_t row, const CsrIluOrder& order,
                       std::vector<std::pair<int, std::int64_t>>& blocks) {
    if (!std::ranges::is_sorted(blocks)) std::ranges::sort(blocks);
    if (added.begin[row] == added.begin[row + 1]) return;
    auto const known = static_cast<std::ptrdiff_t>(blocks.size());
    for (auto e = added.begin[row]; e < added.begin[row + 1]; ++e) {
      auto const position = order.positions[as_size(added.columns[as_size(e)])];
      auto const end = blocks.begin() + known;
      auto const at =
          std::lower_bound(blocks.begin(), end, position, [](const auto& block, int p) { return block.first < p; });
      if (at == end || at->first != position) blocks.emplace_back(position, no_source);
    }
    std::ranges::sort(blocks);
  }
};

/// The products that are subtracted from each block: lower block of its row times upper block of its column, in the
/// order of the rows of the latter.
struct CsrIluProducts {
  std::vector<std::int64_t> begin;  ///< of each block, and the end
  std::vector<std::int64_t> lower;  ///< numbers of blocks
  std::vector<std::int64_t> upper;

  explicit CsrIluProducts(const CsrIluBlocks& blocks) : begin(blocks.columns.size() + 1, 0) {
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
  static void for_each(const CsrIluBlocks& blocks, const Visit& visit) {
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

/// How block rows run: by levels, or in their order, for threads of a host that wait for one another, or for one.
enum class CsrIluSequenceKind { by_levels, in_order_by_threads, in_order_alone };

/// What the rows of a sweep wait for.
struct CsrIluRecursion {
  CsrLevels levels;
  host::RowNeeds needs;  ///< for threads that take rows in their order

  /// A row comes after those of the columns of its blocks begin[row], ..., end[row] - 1, which are all before it in the
  /// order that is given.
  template <std::ranges::input_range Rows>
  CsrIluRecursion(const std::vector<int>& columns, const std::vector<std::int64_t>& begin,
                  const std::vector<std::int64_t>& end, const Rows& order, CsrIluSequenceKind kind)
      : levels(levels_of(columns, begin, end, order)) {
    if (kind != CsrIluSequenceKind::in_order_by_threads) return;
    std::vector<int> place(end.size());
    for (int number = 0; int const row : order) place[as_size(row)] = number++;
    needs.begin.reserve(end.size() + 1);
    for (int const row : order) {
      for (auto b = begin[as_size(row)]; b < end[as_size(row)]; ++b) {
        needs.rows.push_back(place[as_size(columns[as_size(b)])]);
      }
      std::sort(needs.rows.begin() + needs.begin.back(), needs.rows.end());
      needs.begin.push_back(static_cast<std::int64_t>(needs.rows.size()));
    }
  }

 private:
  template <class Rows>
  static CsrLevels levels_of(const std::vector<int>& columns, const std::vector<std::int64_t>& begin,
                             const std::vector<std::int64_t>& end, const Rows& order) {
    std::vector<int> level(end.size(), 0);
    for (int const row : order) {
      int& own = level[as_size(row)];
      for (auto b = begin[as_size(row)]; b < end[as_size(row)]; ++b) {
        own = std::max(own, level[as_size(columns[as_size(b)])] + 1);
      }
    }
    return CsrLevels(level);
  }
};

/// Which blocks the factors have, and when rows can be taken. Blocks are numbered as sweeps take the rows: in their
/// order, and from its end, or by levels.
struct CsrIluPattern {
  CsrIluOrder order;
  CsrIluBlocks blocks;
  CsrIluRecursion forward;
  CsrIluRecursion backward;

  CsrIluPattern(CsrIluOrder rows, CsrIluBlocks of, CsrIluSequenceKind kind)
      : order(std::move(rows)),
        blocks(std::move(of)),
        forward(blocks.columns, blocks.lower_begin, blocks.diagonal, order.rows, kind),
        backward(blocks.columns, blocks.upper_begin, blocks.upper_end, order.rows | std::views::reverse, kind) {
    if (kind == CsrIluSequenceKind::by_levels) blocks.renumber(forward.levels.rows, backward.levels.rows);
  }
};

/// The same where the structure decides which blocks there are, with the products that make them.
struct CsrIluAnalysis : CsrIluPattern {
  CsrIluProducts products;

  /// Of a structure that was checked.
  template <class Host>
  CsrIluAnalysis(const Host& host, const CsrColumns& of, const CsrIluOrder& rows, int fill, CsrIluSequenceKind kind)
      : CsrIluPattern(rows, CsrIluBlocks(host, of, rows, fill), kind), products(blocks) {}
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
