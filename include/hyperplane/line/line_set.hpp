// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// A direction of grid lines.
enum class LineDirection : int { i, j, k };

constexpr const char* name(LineDirection direction) {
  return direction == LineDirection::i ? "i" : direction == LineDirection::j ? "j" : "k";
}

/// The neighbour that comes before, and after, a point on a line of the direction.
constexpr Direction lower_neighbour(LineDirection direction) {
  return direction == LineDirection::i   ? Direction::west
         : direction == LineDirection::j ? Direction::south
                                         : Direction::bottom;
}
constexpr Direction upper_neighbour(LineDirection direction) { return opposite(lower_neighbour(direction)); }

/// What the last point of a line has after it: nothing, or the first point again.
enum class LineEnds : int { open, periodic };

/// A set of lines of points: all grid lines of one direction, or lists of points. A value on the host.
///
/// Points have numbers (of the grid; of the mesh); a point is on one line at most. Lines are numbered, and have
/// positions 0, 1, ...: line j + J*k along i, i + I*k along j, i + I*j along k; lists in the order in which they are
/// given. The ordinal of (line, position) counts points through all lines.
class LineSet {
 public:
  /// All lines of a grid in one direction.
  static LineSet along(const Grid& grid, LineDirection direction, LineEnds ends = LineEnds::open) {
    LineSet set(ends);
    set.m_grid = grid;
    set.m_direction = direction;
    set.m_length = direction == LineDirection::i ? grid.ni() : direction == LineDirection::j ? grid.nj() : grid.nk();
    set.m_count = grid.size() / set.m_length;
    set.m_point_count = grid.size();
    return set;
  }

  /// The same of several grids, whose points are counted one grid after the other: line 0 of the second grid comes
  /// after the last line of the first one. A grid alone is as above. Throws Error where there is no grid.
  static LineSet along(const std::vector<Grid>& grids, LineDirection direction, LineEnds ends = LineEnds::open) {
    require(!grids.empty(), "LineSet: there is no grid");
    if (grids.size() == 1) return along(grids.front(), direction, ends);
    LineSet set(ends);
    Several several;
    for (auto const& grid : grids) {
      several.grids.push_back(along(grid, direction, ends));
      several.first_lines.push_back(set.m_count);
      several.first_points.push_back(set.m_point_count);
      set.m_count += several.grids.back().count();
      set.m_point_count += grid.size();
    }
    set.m_direction = direction;
    set.m_several = std::make_shared<const Several>(std::move(several));
    return set;
  }

  /// Lines of one length: position p of line l is point l * length + p. Throws Error unless both are at least 1.
  static LineSet uniform(std::int64_t count, int length, LineEnds ends = LineEnds::open) {
    if (count < 1 || length < 1 || count > std::numeric_limits<int>::max() / std::int64_t{length}) {
      fail("LineSet: " + std::to_string(count) + " lines of " + std::to_string(length) + " points are not possible");
    }
    LineSet set(ends);
    set.m_length = length;
    set.m_count = count;
    set.m_point_count = count * length;
    return set;
  }

  /// Lists: line l is points[offsets[l]], ..., points[offsets[l + 1] - 1]; offsets {0} are no line, as on a part of a
  /// mesh without a boundary layer. Throws Error where offsets do not begin with 0, rise, and end with the number of
  /// listed points; where a point is not in 0..point_count-1; and where one is listed twice.
  static LineSet lists(std::int64_t point_count, std::vector<std::int64_t> offsets, std::vector<std::int64_t> points,
                       LineEnds ends = LineEnds::open) {
    check_lists(point_count, offsets, points);
    LineSet set(ends);
    set.m_count = static_cast<std::int64_t>(offsets.size()) - 1;
    set.m_point_count = point_count;
    set.m_lists = std::make_shared<const Lists>(Lists{std::move(offsets), std::move(points)});
    return set;
  }

  /// Number of lines.
  std::int64_t count() const { return m_count; }
  /// Number of points of a line.
  int length(std::int64_t line) const {
    if (m_several) return m_several->grids[as_grid(line)].m_length;
    return m_lists ? static_cast<int>(offset(line + 1) - offset(line)) : m_length;
  }
  /// Ordinal of the first point of a line; first(count()) is the number of points on lines.
  std::int64_t first(std::int64_t line) const {
    if (!m_several) return m_lists ? offset(line) : line * m_length;
    if (line == m_count) return m_point_count;
    auto const g = as_grid(line);
    return m_several->first_points[g] + m_several->grids[g].first(line - m_several->first_lines[g]);
  }
  /// Points on lines.
  std::int64_t size() const { return first(m_count); }
  /// Points there are, on a line or not.
  std::int64_t point_count() const { return m_point_count; }
  int longest() const {
    if (of_one_length()) return m_length;
    int result = 0;
    for (std::int64_t line = 0; line < m_count; ++line) result = std::max(result, length(line));
    return result;
  }
  LineEnds ends() const { return m_ends; }
  /// The grid of grid lines, where it is one.
  const std::optional<Grid>& grid() const { return m_grid; }
  /// Whether they are grid lines, of one grid or several.
  bool on_grids() const { return m_grid.has_value() || m_several != nullptr; }
  /// The lines of each grid; empty where they are not grid lines.
  std::vector<LineSet> of_grids() const {
    if (m_several) return m_several->grids;
    return m_grid ? std::vector{*this} : std::vector<LineSet>{};
  }
  /// The grid of a grid line, and the line's number there.
  std::pair<int, std::int64_t> grid_of(std::int64_t line) const {
    if (!m_several) return {0, line};
    auto const g = as_grid(line);
    return {static_cast<int>(g), line - m_several->first_lines[g]};
  }
  /// The direction of grid lines; i otherwise.
  LineDirection direction() const { return m_direction; }
  bool has_lists() const { return m_lists != nullptr; }
  /// Whether all lines have the same length, as those of one grid have.
  bool of_one_length() const { return !m_lists && !m_several; }

  /// Grid point at a position of a grid line, in its grid.
  Point grid_point(std::int64_t line, int position) const {
    if (m_several) {
      auto const [g, own] = grid_of(line);
      return m_several->grids[detail::as_size(g)].grid_point(own, position);
    }
    Grid const& grid = *m_grid;
    int const across = m_direction == LineDirection::i ? grid.nj() : grid.ni();
    auto const first = static_cast<int>(line % across);
    auto const second = static_cast<int>(line / across);
    switch (m_direction) {
      case LineDirection::i: return {position, first, second};
      case LineDirection::j: return {first, position, second};
      case LineDirection::k: break;
    }
    return {first, second, position};
  }
  /// Point number at a position of a line.
  std::int64_t point(std::int64_t line, int position) const {
    if (m_several) {
      auto const g = as_grid(line);
      return m_several->first_points[g] + m_several->grids[g].point(line - m_several->first_lines[g], position);
    }
    if (m_grid) return m_grid->index(grid_point(line, position));
    return m_lists ? m_lists->points[detail::as_size(offset(line) + position)] : line * m_length + position;
  }
  /// The line of an ordinal.
  std::int64_t line_of(std::int64_t ordinal) const {
    if (m_several) {
      auto const g = last_not_above(m_several->first_points, ordinal);
      return m_several->first_lines[g] + m_several->grids[g].line_of(ordinal - m_several->first_points[g]);
    }
    if (!m_lists) return ordinal / m_length;
    return static_cast<std::int64_t>(last_not_above(m_lists->offsets, ordinal));
  }

  /// The same lines as lists.
  LineSet as_lists() const {
    if (m_lists) return *this;
    auto listed = listed_points();
    return lists(m_point_count, std::move(listed.offsets), std::move(listed.points), m_ends);
  }

  /// The same lines, and a line of its own for each point that is on none: block Jacobi where there is no line.
  LineSet completed() const {
    if (size() == m_point_count) return *this;
    auto [offsets, points] = listed_points();
    std::vector<char> on_line(detail::as_size(m_point_count), 0);
    for (auto const listed : points) on_line[detail::as_size(listed)] = 1;
    for (std::int64_t p = 0; p < m_point_count; ++p) {
      if (on_line[detail::as_size(p)]) continue;
      points.push_back(p);
      offsets.push_back(static_cast<std::int64_t>(points.size()));
    }
    return lists(m_point_count, std::move(offsets), std::move(points), m_ends);
  }

  friend bool operator==(const LineSet& a, const LineSet& b) {
    if (a.m_ends != b.m_ends || a.m_count != b.m_count || a.m_length != b.m_length || a.m_grid != b.m_grid ||
        a.m_direction != b.m_direction || a.m_point_count != b.m_point_count || a.has_lists() != b.has_lists() ||
        (a.m_several != nullptr) != (b.m_several != nullptr)) {
      return false;
    }
    if (a.m_several != b.m_several) return a.m_several->grids == b.m_several->grids;
    return a.m_lists == b.m_lists ||
           (a.m_lists->offsets == b.m_lists->offsets && a.m_lists->points == b.m_lists->points);
  }

 private:
  struct Lists {
    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> points;
  };

  /// Of each of several grids: its lines, and the numbers of its first line and point.
  struct Several {
    std::vector<LineSet> grids;
    std::vector<std::int64_t> first_lines;
    std::vector<std::int64_t> first_points;
  };

  explicit LineSet(LineEnds ends) : m_ends(ends) {}

  /// The last of rising values that is not above a value.
  static std::size_t last_not_above(const std::vector<std::int64_t>& values, std::int64_t value) {
    return static_cast<std::size_t>(std::upper_bound(values.begin(), values.end(), value) - values.begin() - 1);
  }
  /// The grid of a line.
  std::size_t as_grid(std::int64_t line) const { return last_not_above(m_several->first_lines, line); }

  std::int64_t offset(std::int64_t line) const { return m_lists->offsets[detail::as_size(line)]; }

  Lists listed_points() const {
    if (m_lists) return *m_lists;
    Lists lists{{0}, {}};
    for (std::int64_t line = 0; line < m_count; ++line) {
      for (int position = 0; position < length(line); ++position) lists.points.push_back(point(line, position));
      lists.offsets.push_back(static_cast<std::int64_t>(lists.points.size()));
    }
    return lists;
  }

  static void check_lists(std::int64_t point_count, const std::vector<std::int64_t>& offsets,
                          const std::vector<std::int64_t>& points) {
    auto const text = [](auto value) { return std::to_string(value); };
    auto const listed = static_cast<std::int64_t>(points.size());
    if (point_count < 1 || point_count > std::numeric_limits<int>::max()) {
      fail("LineSet: " + text(point_count) + " points are not possible");
    }
    if (offsets.empty()) fail("LineSet: offsets is empty, expected 0 at least");
    if (offsets.front() != 0) fail("LineSet: offsets[0] is " + text(offsets.front()) + ", expected 0");
    for (std::size_t line = 0; line + 1 < offsets.size(); ++line) {
      if (offsets[line + 1] <= offsets[line]) {
        fail("LineSet: line " + text(line) + " has no point: offsets " + text(offsets[line]) + " and " +
             text(offsets[line + 1]));
      }
    }
    if (offsets.back() != listed) {
      fail("LineSet: the last offset is " + text(offsets.back()) + ", but " + text(listed) + " points are listed");
    }
    std::vector<std::int64_t> line_of(detail::as_size(point_count), -1);
    for (std::size_t line = 0; line + 1 < offsets.size(); ++line) {
      for (auto e = offsets[line]; e < offsets[line + 1]; ++e) {
        auto const p = points[detail::as_size(e)];
        if (p < 0 || p >= point_count) {
          fail("LineSet: point " + text(p) + " of line " + text(line) + " is not between 0 and " +
               text(point_count - 1));
        }
        auto& on = line_of[detail::as_size(p)];
        if (on >= 0) fail("LineSet: point " + text(p) + " is on line " + text(on) + " and on line " + text(line));
        on = static_cast<std::int64_t>(line);
      }
    }
  }

  LineEnds m_ends;
  std::int64_t m_count = 0;
  int m_length = 0;  ///< of every line, unless there are lists
  std::int64_t m_point_count = 0;
  std::optional<Grid> m_grid;
  LineDirection m_direction = LineDirection::i;
  std::shared_ptr<const Lists> m_lists;
  std::shared_ptr<const Several> m_several;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
