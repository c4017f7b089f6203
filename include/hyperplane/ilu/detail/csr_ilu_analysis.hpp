// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/csr/csr_path.hpp>
#include <hyperplane/host/row_needs.hpp>
#include <hyperplane/ilu/detail/csr_fill.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>
#include <hyperplane/ilu/detail/csr_ilu_structure.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <ranges>
#include <span>
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
    if (fill == 0) {
      std::vector<int> row;
      take_rows(given, order, given.columns.size(), [&](std::size_t position) {
        row.clear();
        given.add_ordered(order.rows, order.positions, position, row);
        auto const at = std::ranges::find(row, static_cast<int>(position)) - row.begin();
        return std::pair(std::span<const int>(row).first(as_size(at)),
                         std::span<const int>(row).subspan(as_size(at) + 1));
      });
      return;
    }
    auto const rows = given.ordered(order.rows, order.positions), columns_of_rows = rows.transposed();
    auto const behind = CsrFill(rows, fill).find(host);
    auto const before =
        columns_of_rows == rows ? behind.transposed() : CsrFill(columns_of_rows, fill).find(host).transposed();
    take_rows(given, order, before.columns.size() + order.rows.size() + behind.columns.size(),
              [&](std::size_t position) { return std::pair(before.row(position), behind.row(position)); });
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

  /// Blocks of the largest row.
  std::size_t widest() const {
    std::int64_t result = 0;
    for (std::size_t row = 0; row < diagonal.size(); ++row) {
      result = std::max(result, diagonal[row] + 1 - lower_begin[row] + upper_end[row] - upper_begin[row]);
    }
    return as_size(result);
  }

  CsrIluRows lists() const {
    return {lower_begin.data(), diagonal.data(), upper_begin.data(), upper_end.data(), columns.data()};
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
  /// halves(position): of the row that is taken as the one of this number, positions of the columns before the diagonal
  /// and behind it, rising. All rows have `count` blocks.
  template <class Halves>
  void take_rows(const CsrColumns& given, const CsrIluOrder& order, std::size_t count, const Halves& halves) {
    columns.resize(count);
    sources.resize(count);
    // Of each position, the block of the last row that has one in its column.
    std::vector<std::int64_t> last(order.rows.size(), no_source);
    std::size_t lower = 0, upper = count;
    for (std::size_t position = 0; position < order.rows.size(); ++position) {
      auto const r = as_size(order.rows[position]);
      auto const begin = given.begin[r], end = given.begin[r + 1];
      for (auto e = begin; e < end; ++e) last[as_size(order.positions[as_size(given.columns[as_size(e)])])] = e;
      auto const put = [&](std::size_t number, int at) {
        columns[number] = order.rows[as_size(at)];
        auto const source = last[as_size(at)];
        sources[number] = source < begin || source >= end ? no_source : source;
      };
      auto const [before, behind] = halves(position);
      lower_begin[r] = static_cast<std::int64_t>(lower);
      for (int const at : before) put(lower++, at);
      diagonal[r] = static_cast<std::int64_t>(lower);
      put(lower++, static_cast<int>(position));
      upper_end[r] = static_cast<std::int64_t>(upper);
      upper -= behind.size();
      upper_begin[r] = static_cast<std::int64_t>(upper);
      for (std::size_t b = 0; b < behind.size(); ++b) put(upper + b, behind[b]);
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

/// What CsrPath::automatic is on CUDA. By tickets a sweep stores each value once more, as one that is awaited, and
/// makes another one vacant: that counts where blocks are scalars, and is for nothing where levels are so wide that a
/// launch for each of them takes less.
constexpr CsrPath choose_csr_path_cuda(int block_size, std::int64_t rows, int levels) {
  constexpr std::int64_t rows_worth_a_launch = 150000;
  return block_size == 1 && rows >= rows_worth_a_launch * levels ? CsrPath::portable : CsrPath::tickets;
}
/// The path of a plan that was asked for one; `path` is that of checked_csr_path().
inline CsrPath csr_path_of_plan(CsrPath asked, CsrPath path, int block_size, const CsrIluPattern& of) {
  if (asked != CsrPath::automatic || path != CsrPath::tickets) return path;
  return choose_csr_path_cuda(block_size, of.blocks.rows(), std::max(of.forward.levels.count(), 1));
}

/// Of a structure that was checked, where it decides which blocks there are.
template <class Host>
CsrIluPattern csr_ilu_pattern(const Host& host, const CsrColumns& of, const CsrIluOrder& rows, int fill,
                              CsrIluSequenceKind kind) {
  return {rows, CsrIluBlocks(host, of, rows, fill), kind};
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
