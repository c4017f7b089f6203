// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cstdlib>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/red_black_order.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <type_traits>

namespace hyperplane {
namespace {

static_assert(std::is_trivially_copyable_v<Grid>);

TEST(Grid, numbers_points_i_fastest) {
  Grid const grid(5, 4, 3);
  std::int64_t number = 0;
  for (int k = 0; k < 3; ++k) {
    for (int j = 0; j < 4; ++j) {
      for (int i = 0; i < 5; ++i, ++number) {
        EXPECT_EQ(grid.index(i, j, k), number);
        EXPECT_EQ(grid.point(number), (Point{i, j, k}));
      }
    }
  }
  EXPECT_EQ(grid.size(), number);
}

TEST(Stencil7, finds_the_direction_between_points) {
  Point const p{3, 2, 4};
  for (int di = -2; di <= 2; ++di) {
    for (int dj = -2; dj <= 2; ++dj) {
      for (int dk = -2; dk <= 2; ++dk) {
        Point const q{p.i + di, p.j + dj, p.k + dk};
        Direction found{};
        bool const is_near = std::abs(di) + std::abs(dj) + std::abs(dk) <= 1;
        EXPECT_EQ(find_direction(p, q, found), is_near);
        if (!is_near) continue;
        EXPECT_EQ(neighbour(p, found), q);
        EXPECT_EQ(static_cast<int>(found), 3 + di + 2 * dj + 3 * dk);
      }
    }
  }
}

TEST(RedBlackOrder, has_all_red_points_before_all_black_ones) {
  for (int ni = 1; ni <= 5; ++ni) {
    for (int nj = 1; nj <= 5; ++nj) {
      for (int nk = 1; nk <= 5; ++nk) {
        Grid const grid(ni, nj, nk);
        RedBlackOrder const order(grid);
        std::int64_t number = 0;
        for (int const color : {0, 1}) {
          EXPECT_EQ(color == 0 ? 0 : order.reds(), number);
          for (std::int64_t p = 0; p < grid.size(); ++p) {
            Point const point = grid.point(p);
            if ((point.i + point.j + point.k) % 2 != color) continue;
            EXPECT_EQ(order.index(point), number) << to_string(grid);
            ++number;
          }
        }
      }
    }
  }
}

TEST(Grid, counts_beyond_32_bits) {
  Grid const grid(3000, 3000, 3000);
  EXPECT_EQ(grid.size(), 27'000'000'000);
  EXPECT_EQ(grid.point(grid.size() - 1), (Point{2999, 2999, 2999}));
}

TEST(Grid, refuses_empty_extents_by_name) {
  for (auto const& [i, j, k] : {std::tuple{0, 2, 3}, {2, -1, 3}, {2, 2, 0}}) {
    try {
      Grid const grid(i, j, k);
      FAIL();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(std::to_string(i) + "x" + std::to_string(j)));
    }
  }
}

TEST(Stencil7, directions_and_opposites) {
  for (auto const direction : stencil7_directions) {
    auto const there = offset(direction);
    auto const back = offset(opposite(direction));
    EXPECT_EQ(there.i + back.i, 0);
    EXPECT_EQ(there.j + back.j, 0);
    EXPECT_EQ(there.k + back.k, 0);
  }
  EXPECT_EQ(neighbour({1, 1, 1}, Direction::west), (Point{0, 1, 1}));
  EXPECT_EQ(neighbour({1, 1, 1}, Direction::north), (Point{1, 2, 1}));
  EXPECT_EQ(neighbour({1, 1, 1}, Direction::top), (Point{1, 1, 2}));
  EXPECT_STREQ(name(Direction::bottom), "bottom");
}

TEST(Stencil7, directions_are_in_the_order_of_columns) {
  Grid const grid(3, 3, 3);
  std::int64_t before = -1;
  for (auto const direction : stencil7_directions) {
    auto const number = grid.index(neighbour({1, 1, 1}, direction));
    EXPECT_GT(number, before);
    before = number;
  }
}

}  // namespace
}  // namespace hyperplane
