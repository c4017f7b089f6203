// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/grid/slab_map.hpp>
#include <set>
#include <utility>
#include <vector>

namespace hyperplane {
namespace {

template <int vector_length>
void check(const Grid& grid) {
  SCOPED_TRACE(to_string(grid) + ", vector length " + std::to_string(vector_length));
  SlabMap<vector_length> const map(grid);
  std::set<std::pair<std::int64_t, int>> slots;
  for (std::int64_t number = 0; number < grid.size(); ++number) {
    Point const p = grid.point(number);
    auto const pack = map.pack(p.i, p.j, p.k);
    int const lane = map.lane(p.j);
    ASSERT_GE(pack, 0);
    ASSERT_LT(pack, map.pack_count());
    EXPECT_TRUE(slots.emplace(pack, lane).second) << "two points in one slot";
    Point found;
    ASSERT_TRUE(map.find_point(pack, lane, found));
    EXPECT_EQ(found, p);
  }
  for (std::int64_t pack = 0; pack < map.pack_count(); ++pack) {
    bool full = true;
    for (int lane = 0; lane < vector_length; ++lane) {
      Point found;
      bool const exists = map.find_point(pack, lane, found);
      EXPECT_EQ(exists, slots.contains({pack, lane}));
      full = full && exists;
    }
    EXPECT_EQ(map.is_full(pack), full) << "pack " << pack;
  }
}

TEST(SlabMap, holds_every_point_once) {
  for (auto const& grid : {Grid(1, 1, 1), Grid(1, 7, 1), Grid(5, 4, 3), Grid(17, 2, 9), Grid(9, 17, 5), Grid(33, 1, 1),
                           Grid(8, 8, 8), Grid(3, 24, 2)}) {
    check<1>(grid);
    check<2>(grid);
    check<4>(grid);
    check<8>(grid);
    check<16>(grid);
  }
}

TEST(SlabMap, lower_neighbours_are_where_the_sweeps_look) {
  constexpr int w = 4;
  Grid const grid(6, 11, 3);
  SlabMap<w> const map(grid);
  for (std::int64_t number = 0; number < grid.size(); ++number) {
    auto const [i, j, k] = grid.point(number);
    auto const pack = map.pack(i, j, k);
    if (i > 0) {
      EXPECT_EQ(map.pack(i - 1, j, k), pack - 1);
    }
    if (k > 0) {
      EXPECT_EQ(map.pack(i, j, k - 1), pack - map.pitch());
    }
    if (j > 0 && j % w > 0) {
      EXPECT_EQ(map.pack(i, j - 1, k), pack - 1);
      EXPECT_EQ(map.lane(j - 1), map.lane(j) - 1);
    }
    if (j > 0 && j % w == 0) {
      EXPECT_EQ(map.pack(i, j - 1, k), pack - map.steps() + w - 1);
      EXPECT_EQ(map.lane(j - 1), w - 1);
    }
  }
}

TEST(SlabMap, neighbours_are_at_their_distances) {
  constexpr int w = 4, values = 5;
  Grid const grid(6, 11, 3);
  SlabMap<w> const map(grid);
  auto const first_value = [&](const Point& p) { return map.pack(p.i, p.j, p.k) * values * w + map.lane(p.j); };
  for (std::int64_t number = 0; number < grid.size(); ++number) {
    Point const p = grid.point(number);
    for (auto const direction : stencil7_directions) {
      Point const other = neighbour(p, direction);
      if (!grid.contains(other)) continue;
      EXPECT_EQ(first_value(p) + map.distance(direction, map.lane(p.j), values), first_value(other)) << name(direction);
    }
  }
  EXPECT_EQ(map.first_pack(2, 1), map.pack(0, 2 * w, 1));
}

}  // namespace
}  // namespace hyperplane
