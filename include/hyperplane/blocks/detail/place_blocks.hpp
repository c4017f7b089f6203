// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/axis_transform.hpp>
#include <hyperplane/blocks/detail/face_axes.hpp>
#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

/// Where grid blocks are in the box whose parts they are.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

[[noreturn]] inline void refuse_natural_order(const std::string& why) {
  fail("coupling natural is for parts of one box, but " + why);
}

/// Whether grids that begin at these points share none.
inline bool lie_apart(const Grid& a, const Point& begin_a, const Grid& b, const Point& begin_b) {
  auto const before = [](const Point& begin, const Grid& grid, const Point& next) {
    return begin.i + grid.ni() <= next.i || begin.j + grid.nj() <= next.j || begin.k + grid.nk() <= next.k;
  };
  return before(begin_a, a, begin_b) || before(begin_b, b, begin_a);
}

/// Places the grid blocks that are joined to one, in its indices, and then in those of the box.
class JoinedBlocks {
 public:
  /// Adds them to `begins`, which knows none of them. Throws Error where they are no parts of one box.
  JoinedBlocks(const MultiBlockGrid& grid, int first, std::vector<std::optional<Point>>& begins)
      : m_grid(grid), m_begins(begins), m_blocks{first} {
    m_begins[as_size(first)] = Point{};
    for (std::size_t next = 0; next < m_blocks.size(); ++next) {
      for (auto const& interface : grid.interfaces(m_blocks[next])) follow(interface);
    }
    std::ranges::sort(m_blocks);
    for (int axis = 0; axis < 3; ++axis) wrap(axis);
    check_apart();
  }

 private:
  Point& begin(int block) const { return *m_begins[as_size(block)]; }
  int extent(int block, int axis) const {
    auto const& grid = m_grid.block(block);
    return along(Point{grid.ni(), grid.nj(), grid.nk()}, axis);
  }

  /// Where a grid block is found in two places, a direction is periodic.
  void follow(const Interface& interface) {
    if (interface.transform != AxisTransform{}) {
      refuse_natural_order("at the " + to_string(interface) + ", axes change: " + to_string(interface.transform));
    }
    Point const own = begin(interface.block), step = offset(interface.face);
    Point const from = interface.points.begin, to = interface.donor_begin;
    Point const found{own.i + from.i + step.i - to.i, own.j + from.j + step.j - to.j, own.k + from.k + step.k - to.k};
    auto& known = m_begins[as_size(interface.donor)];
    if (!known) {
      known = found;
      m_blocks.push_back(interface.donor);
      return;
    }
    for (int axis = 0; axis < 3; ++axis) {
      along(m_period, axis) = std::gcd(along(m_period, axis), along(found, axis) - along(*known, axis));
    }
  }

  /// Moves all of them into one period, which begins at the first of them where no other one lies across.
  void wrap(int axis) {
    int const period = along(m_period, axis);
    if (period == 0) return;
    auto const place = [&](int block, int origin) {
      int const rest = (along(begin(block), axis) - origin) % period;
      return rest < 0 ? rest + period : rest;
    };
    for (int const candidate : m_blocks) {
      int const origin = along(begin(candidate), axis);
      if (!std::ranges::all_of(m_blocks, [&](int b) { return place(b, origin) + extent(b, axis) <= period; })) continue;
      for (int const b : m_blocks) along(begin(b), axis) = place(b, origin);
      return;
    }
    refuse_natural_order(
        std::string("along ") + "ijk"[axis] +
        ", which is periodic, grid blocks lie across each other's ends, so that it has no beginning: rings "
        "are sheared, staggered or of different lengths");
  }

  /// Throws Error where two grid blocks share points of the box, as in grids that are bent.
  void check_apart() const {
    for (std::size_t a = 0; a < m_blocks.size(); ++a) {
      for (std::size_t b = a + 1; b < m_blocks.size(); ++b) {
        if (lie_apart(m_grid.block(m_blocks[a]), begin(m_blocks[a]), m_grid.block(m_blocks[b]), begin(m_blocks[b])))
          continue;
        refuse_natural_order("grid blocks " + std::to_string(m_blocks[a]) + " and " + std::to_string(m_blocks[b]) +
                             " would share points of it: the grid is bent");
      }
    }
  }

  const MultiBlockGrid& m_grid;
  std::vector<std::optional<Point>>& m_begins;
  std::vector<int> m_blocks;
  Point m_period{};  ///< in points; 0 where a direction is not periodic
};

/// The first point of each grid block in the box, up to an offset. In a periodic direction the box begins with the grid
/// block of the lowest number, if none lies across its beginning.
inline std::vector<Point> place_blocks(const MultiBlockGrid& grid) {
  std::vector<std::optional<Point>> begins(as_size(grid.block_count()));
  for (int b = 0; b < grid.block_count(); ++b) {
    if (!begins[as_size(b)]) JoinedBlocks(grid, b, begins);
  }
  std::vector<Point> result;
  result.reserve(begins.size());
  for (auto const& begin : begins) result.push_back(*begin);
  return result;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
