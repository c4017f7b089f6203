// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <hyperplane/grid/folded_order.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <vector>

#include "support/folded_order.hpp"

namespace hyperplane::test {
namespace {

std::vector<Grid> grids_to_order() {
  return {Grid(1, 1, 1), Grid(2, 1, 1), Grid(1, 2, 3), Grid(4, 5, 6), Grid(7, 2, 4), Grid(3, 8, 1), Grid(9, 1, 2)};
}

int plane_of(const FoldedOrder& order, const Point& p) {
  return order.i().level(p.i) + order.j().level(p.j) + order.k().level(p.k);
}

template <class Visit>
void for_orders(const Visit& visit) {
  for (auto const& grid : grids_to_order()) {
    for (auto const& folded : foldings()) {
      SCOPED_TRACE(to_string(grid) + ", folded " + letters(folded));
      visit(grid, folded, FoldedOrder(grid, folded));
    }
  }
}

TEST(FoldedOrder, places_are_those_of_the_definition) {
  for_orders([](const Grid& grid, const FoldedDirections& folded, const FoldedOrder& order) {
    auto const expected = folded_order(grid, folded);
    ASSERT_EQ(expected.size(), static_cast<std::size_t>(grid.size()));
    for (std::int64_t place = 0; place < grid.size(); ++place) {
      Point const p = order.at(grid.point(place));
      EXPECT_EQ(grid.index(p), expected[static_cast<std::size_t>(place)]);
      EXPECT_EQ(order.place(p), grid.point(place));
    }
  });
}

TEST(FoldedOrder, a_neighbour_is_before_where_its_place_is) {
  for_orders([](const Grid& grid, const FoldedDirections&, const FoldedOrder& order) {
    for (std::int64_t number = 0; number < grid.size(); ++number) {
      Point const p = grid.point(number);
      for (auto const direction : stencil7_directions) {
        Point const other = neighbour(p, direction);
        if (direction == Direction::center || !grid.contains(other)) continue;
        EXPECT_EQ(order.is_before(p, direction), grid.index(order.place(other)) < grid.index(order.place(p)));
        EXPECT_NE(order.is_before(p, direction), order.is_before(other, opposite(direction)));
      }
    }
  });
}

TEST(FoldedOrder, groups_of_factors_have_points_of_one_plane) {
  // 4 lines side by side, as in a SIMD group, whose points have a constant i + j.
  constexpr int lanes = 4;
  for_orders([](const Grid& grid, const FoldedDirections&, const FoldedOrder& order) {
    std::vector<Point> kept(static_cast<std::size_t>(grid.size()), Point{-1, -1, -1});
    for (std::int64_t number = 0; number < grid.size(); ++number) {
      Point const p = grid.point(number), slot = order.stored(p);
      ASSERT_TRUE(grid.contains(slot));
      EXPECT_EQ(slot.j, p.j);
      EXPECT_EQ(slot.k, p.k);
      EXPECT_EQ(kept[static_cast<std::size_t>(grid.index(slot))].i, -1) << "taken twice";
      kept[static_cast<std::size_t>(grid.index(slot))] = p;
    }
    for (std::int64_t number = 0; number < grid.size(); ++number) {
      Point const slot = grid.point(number), beside{slot.i - 1, slot.j + 1, slot.k};
      if (!grid.contains(beside) || beside.j % lanes == 0) continue;
      Point const p = kept[static_cast<std::size_t>(number)], q = kept[static_cast<std::size_t>(grid.index(beside))];
      bool const same_half = order.i().is_in_second_half(p.i) == order.i().is_in_second_half(q.i) &&
                             order.j().is_in_second_half(p.j) == order.j().is_in_second_half(q.j);
      if (!same_half) continue;
      EXPECT_EQ(plane_of(order, p), plane_of(order, q));
    }
  });
}

TEST(FoldedOrder, planes_have_every_point_once_and_neighbours_apart) {
  for_orders([](const Grid& grid, const FoldedDirections&, const FoldedOrder& order) {
    std::vector<int> plane(static_cast<std::size_t>(grid.size()), -1);
    for (int p = 0; p < order.plane_count(); ++p) {
      for (std::int64_t c = 0; c < order.candidates(p); ++c) {
        Point point;
        if (!order.find(p, c, point)) continue;
        ASSERT_TRUE(grid.contains(point));
        auto& entry = plane[static_cast<std::size_t>(grid.index(point))];
        EXPECT_EQ(entry, -1) << "found twice";
        EXPECT_EQ(plane_of(order, point), p);
        entry = p;
      }
    }
    for (std::int64_t number = 0; number < grid.size(); ++number) {
      int const own = plane[static_cast<std::size_t>(number)];
      ASSERT_GE(own, 0) << "not found";
      for (auto const direction : stencil7_directions) {
        Point const other = neighbour(grid.point(number), direction);
        if (direction == Direction::center || !grid.contains(other)) continue;
        bool const before = plane[static_cast<std::size_t>(grid.index(other))] < own;
        EXPECT_EQ(before, order.is_before(grid.point(number), direction));
        EXPECT_NE(plane[static_cast<std::size_t>(grid.index(other))], own);
      }
    }
  });
}

TEST(FoldedOrder, folded_directions_have_half_as_many_planes) {
  EXPECT_EQ(FoldedOrder(Grid(64, 40, 20), {}).plane_count(), 64 + 40 + 20 - 2);
  EXPECT_EQ(FoldedOrder(Grid(64, 40, 20), {true, true, true}).plane_count(), 32 + 20 + 10 + 1);
  EXPECT_EQ(FoldedOrder(Grid(65, 40, 20), {.i = true}).plane_count(), 33 + 40 + 20 - 2);
}

}  // namespace
}  // namespace hyperplane::test
