// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

/// Orders of the rows of a BlockCsr, found on the host. Rows have numbers of int, as columns have.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Which rows have a block for which, seen from both sides, without the diagonal.
class RowGraph {
 public:
  template <class Offset>
  RowGraph(const std::vector<Offset>& offsets, const std::vector<int>& columns) : m_begin(offsets.size(), 0) {
    auto const for_pairs = [&](const auto& visit) {
      for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
        for (auto block = offsets[row]; block < offsets[row + 1]; ++block) {
          auto const column = as_size(columns[static_cast<std::size_t>(block)]);
          if (column == row) continue;
          visit(row, column);
          visit(column, row);
        }
      }
    };
    for_pairs([&](std::size_t row, std::size_t) { ++m_begin[row + 1]; });
    std::partial_sum(m_begin.begin(), m_begin.end(), m_begin.begin());
    std::vector<int> all(as_size(m_begin.back()));
    auto next = m_begin;
    for_pairs([&](std::size_t row, std::size_t other) { all[as_size(next[row]++)] = static_cast<int>(other); });
    // A pair that has blocks on both sides was added twice.
    m_neighbours.reserve(all.size() / 2);
    for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
      auto const begin = all.begin() + m_begin[row], end = all.begin() + m_begin[row + 1];
      std::sort(begin, end);
      m_begin[row] = static_cast<std::int64_t>(m_neighbours.size());
      m_neighbours.insert(m_neighbours.end(), begin, std::unique(begin, end));
    }
    m_begin.back() = static_cast<std::int64_t>(m_neighbours.size());
  }

  int rows() const { return static_cast<int>(m_begin.size()) - 1; }
  /// By their numbers.
  std::span<const int> neighbours(int row) const {
    auto const* const first = m_neighbours.data();
    return {first + m_begin[as_size(row)], first + m_begin[as_size(row) + 1]};
  }
  std::size_t degree(int row) const { return neighbours(row).size(); }
  /// Neighbours of all rows before it.
  std::int64_t first(int row) const { return m_begin[as_size(row)]; }

 private:
  std::vector<std::int64_t> m_begin;
  std::vector<int> m_neighbours;
};

/// How far a search came: the distance of the last rows, and where they begin.
struct Reach {
  int distance = 0;
  std::size_t last = 0;
};

/// Adds all rows that can be reached from a row to `order`, by their distance from it; those that the same row leads
/// to, by their degrees. `reached` says which rows are not to be taken.
inline Reach order_from(const RowGraph& graph, int first, std::vector<char>& reached, std::vector<int>& order) {
  Reach reach{0, order.size()};
  order.push_back(first);
  reached[as_size(first)] = 1;
  for (auto next = reach.last;;) {
    auto const end = order.size();
    for (; next < end; ++next) {
      auto const begin = order.size();
      for (int const row : graph.neighbours(order[next])) {
        if (reached[as_size(row)] != 0) continue;
        reached[as_size(row)] = 1;
        order.push_back(row);
      }
      std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(begin), order.end(),
                       [&](int a, int b) { return graph.degree(a) < graph.degree(b); });
    }
    if (order.size() == end) return reach;
    ++reach.distance;
    reach.last = end;
  }
}

/// A row at an end of the part of the graph that has the row `first`: George and Liu's search.
inline int find_end(const RowGraph& graph, int first, std::vector<char>& reached) {
  std::vector<int> order;
  for (int farthest = -1;;) {
    order.clear();
    auto const reach = order_from(graph, first, reached, order);
    for (int const row : order) reached[as_size(row)] = 0;
    if (reach.distance <= farthest) return first;
    farthest = reach.distance;
    first = *std::min_element(order.begin() + static_cast<std::ptrdiff_t>(reach.last), order.end(),
                              [&](int a, int b) { return graph.degree(a) < graph.degree(b); });
  }
}

inline std::vector<int> reverse_cuthill_mckee(const RowGraph& graph) {
  std::vector<int> order;
  order.reserve(as_size(graph.rows()));
  std::vector<char> reached(as_size(graph.rows()), 0);
  for (int row = 0; row < graph.rows(); ++row) {
    if (reached[as_size(row)] == 0) order_from(graph, find_end(graph, row, reached), reached, order);
  }
  std::ranges::reverse(order);
  return order;
}

inline std::vector<int> rows_by_colours(const RowGraph& graph) {
  constexpr int none = -1;
  std::vector<int> colour(as_size(graph.rows()), none);
  // Of each colour, the last row that has a neighbour of it.
  std::vector<int> seen_by;
  for (int row = 0; row < graph.rows(); ++row) {
    for (int const other : graph.neighbours(row)) {
      if (colour[as_size(other)] != none) seen_by[as_size(colour[as_size(other)])] = row;
    }
    auto const first = std::ranges::find_if(seen_by, [&](int last) { return last != row; });
    colour[as_size(row)] = static_cast<int>(first - seen_by.begin());
    if (first == seen_by.end()) seen_by.push_back(none);
  }
  std::vector<int> order(as_size(graph.rows()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int row) { return colour[as_size(row)]; });
  return order;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
