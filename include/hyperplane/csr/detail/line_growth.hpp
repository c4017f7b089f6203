// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/csr/detail/row_couplings.hpp>
#include <hyperplane/csr/detail/row_graph.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

/// Lines of rows along strong couplings, found on the host.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Which rows follow one another on lines.
class LineGrowth {
 public:
  static constexpr int none = -1;

  /// A coupling is strong where it is at least `strong` times the third strongest of both rows.
  LineGrowth(const RowCouplings& couplings, double strong)
      : m_couplings(couplings),
        m_strong(strong),
        m_is_on_line(as_size(couplings.rows()), 0),
        m_next(as_size(couplings.rows()), {none, none}) {
    std::vector<double> anisotropy(as_size(couplings.rows()));
    std::vector<int> starts(anisotropy.size());
    std::iota(starts.begin(), starts.end(), 0);
    for (int const row : starts) anisotropy[as_size(row)] = couplings.anisotropy(row);
    std::ranges::stable_sort(starts, std::greater<>(), [&](int row) { return anisotropy[as_size(row)]; });
    for (int const row : starts) {
      if (m_is_on_line[as_size(row)] != 0) continue;
      m_is_on_line[as_size(row)] = 1;
      grow(row);
      // To the other side.
      grow(row);
    }
  }

  /// The rows of a row's line, from an end.
  std::vector<int> line_of(int row) const {
    int const end = rows_from(row).back();
    return rows_from(end);
  }

 private:
  void grow(int row) {
    for (int next = strongest_from(row); next != none; next = strongest_from(row)) {
      m_is_on_line[as_size(next)] = 1;
      link(row, next);
      link(next, row);
      row = next;
    }
  }
  void link(int row, int next) {
    auto& sides = m_next[as_size(row)];
    (sides[0] == none ? sides[0] : sides[1]) = next;
  }
  /// The neighbour on no line with the strongest coupling, if that is strong; of equal ones the first.
  int strongest_from(int row) const {
    auto const neighbours = m_couplings.graph().neighbours(row);
    auto const strengths = m_couplings.strengths(row);
    int strongest = none;
    double most = 0.0;
    for (std::size_t at = 0; at < neighbours.size(); ++at) {
      int const other = neighbours[at];
      if (m_is_on_line[as_size(other)] != 0 || !(strengths[at] > most)) continue;
      if (strengths[at] < m_strong * std::max(m_couplings.beside(row), m_couplings.beside(other))) continue;
      strongest = other;
      most = strengths[at];
    }
    return strongest;
  }

  /// All to one side, the row itself in front.
  std::vector<int> rows_from(int row) const {
    std::vector<int> rows;
    for (int before = none; row != none;) {
      rows.push_back(row);
      auto const& sides = m_next[as_size(row)];
      before = std::exchange(row, sides[0] == before ? sides[1] : sides[0]);
    }
    return rows;
  }

  const RowCouplings& m_couplings;
  double m_strong;
  std::vector<char> m_is_on_line;
  std::vector<std::array<int, 2>> m_next;  ///< on either side
};

/// Rows line by line: those of line l are rows[begin[l]], ..., rows[begin[l + 1] - 1].
struct RowLines {
  std::vector<std::int64_t> begin{0};
  std::vector<int> rows;

  std::size_t count() const { return begin.size() - 1; }
  void add(const std::vector<int>& line) {
    rows.insert(rows.end(), line.begin(), line.end());
    begin.push_back(static_cast<std::int64_t>(rows.size()));
  }
};

/// All lines by reverse Cuthill-McKee, as if each were a row, and each from the end that comes first in that order of
/// rows. Where lines are single rows, it is that order.
inline RowLines lines_along_couplings(const RowCouplings& couplings, double strong) {
  auto const& graph = couplings.graph();
  LineGrowth const growth(couplings, strong);
  std::vector<int> position(as_size(graph.rows())), line_of(position.size(), LineGrowth::none);
  auto const rcm = reverse_cuthill_mckee(graph);
  for (std::size_t at = 0; at < rcm.size(); ++at) position[as_size(rcm[at])] = static_cast<int>(at);
  RowLines found;
  for (int row = 0; row < graph.rows(); ++row) {
    if (line_of[as_size(row)] != LineGrowth::none) continue;
    auto line = growth.line_of(row);
    if (position[as_size(line.back())] < position[as_size(line.front())]) std::ranges::reverse(line);
    for (int const each : line) line_of[as_size(each)] = static_cast<int>(found.count());
    found.add(line);
  }
  std::vector<std::int64_t> offsets{0};
  std::vector<int> columns;
  for (std::size_t line = 0; line < found.count(); ++line) {
    for (auto at = found.begin[line]; at < found.begin[line + 1]; ++at) {
      for (int const other : graph.neighbours(found.rows[as_size(at)])) columns.push_back(line_of[as_size(other)]);
    }
    offsets.push_back(static_cast<std::int64_t>(columns.size()));
  }
  RowLines result;
  for (int const line : reverse_cuthill_mckee(RowGraph(offsets, columns))) {
    auto const from = found.rows.begin() + found.begin[as_size(line)];
    result.add({from, found.rows.begin() + found.begin[as_size(line) + 1]});
  }
  return result;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
