// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hyperplane/blocks/colours.hpp>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/error.hpp>
#include <string>
#include <vector>

#include "multi_block_grids.hpp"
#include "support/message_of.hpp"

namespace hyperplane::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(AxisTransform, there_are_48_and_each_has_an_inverse) {
  auto const transforms = all_transforms();
  EXPECT_EQ(transforms.size(), 48U);
  for (auto const& transform : transforms) {
    Point const p{2, -3, 5};
    EXPECT_EQ(transform.inverse()(transform(p)), p) << to_string(transform);
    EXPECT_EQ(transform.inverse().inverse(), transform);
    for (auto const d : stencil7_directions) {
      EXPECT_EQ(transform(opposite(d)), opposite(transform(d))) << to_string(transform) << name(d);
      EXPECT_EQ(offset(transform(d)), transform(offset(d)));
    }
  }
  // CGNS: i runs along the other's -j, j along its k, k along its i.
  EXPECT_EQ((AxisTransform{{-2, 3, 1}}(Point{1, 10, 100})), (Point{100, -1, 10}));
  for (auto const& axes : {std::array{1, 2, 2}, std::array{0, 1, 2}, std::array{1, -1, 3}, std::array{4, 1, 2}}) {
    EXPECT_FALSE(AxisTransform{axes}.valid());
  }
}

TEST(MultiBlockGrid, interfaces_have_two_sides_that_agree) {
  for (auto const& transform : all_transforms()) {
    auto const grid = joined_pair(Grid(5, 3, 2), transform);
    ASSERT_EQ(grid.interfaces().size(), 2U) << to_string(transform);
    auto const& first = grid.interfaces()[0];
    auto const& second = grid.interfaces()[1];
    EXPECT_EQ(first.reversed(), second);
    EXPECT_EQ(second.reversed(), first);
    for (int k = 0; k < 2; ++k) {
      for (int j = 0; j < 3; ++j) {
        Point const p{4, j, k};
        Point const q = first.donor_point(p);
        EXPECT_TRUE(grid.block(1).contains(q));
        EXPECT_FALSE(grid.block(1).contains(neighbour(q, second.face)));
        EXPECT_EQ(second.donor_point(q), p);
      }
    }
    // From the other side, or from both: the same grid.
    std::vector<Grid> const blocks(grid.blocks().begin(), grid.blocks().end());
    EXPECT_TRUE(MultiBlockGrid(blocks, {second}) == grid);
    EXPECT_TRUE(MultiBlockGrid(blocks, {second, first}) == grid);
  }
}

TEST(MultiBlockGrid, numbers_and_names) {
  MultiBlockGrid const grid({Grid(2, 3, 4), Grid(1, 1, 1), Grid(5, 1, 2)});
  EXPECT_EQ(grid.block_count(), 3);
  EXPECT_EQ(grid.size(), 35);
  EXPECT_EQ(grid.first_point(0), 0);
  EXPECT_EQ(grid.first_point(1), 24);
  EXPECT_EQ(grid.first_point(2), 25);
  EXPECT_EQ(to_string(grid), "3 grid blocks (2x3x4, 1x1x1, 5x1x2)");
  EXPECT_EQ(to_string(cut_grid(Grid(9, 9, 9), {3, 1, 3}).grid), "9 grid blocks (3x9x3, 3x9x3, 3x9x3, ...)");
  EXPECT_FALSE(grid == MultiBlockGrid({Grid(2, 3, 4), Grid(1, 1, 1)}));
  EXPECT_FALSE(cut_grid(Grid(4, 4, 4), {2, 1, 1}).grid == MultiBlockGrid({Grid(2, 4, 4), Grid(2, 4, 4)}));
  EXPECT_TRUE(cut_grid(Grid(4, 4, 4), {2, 1, 1}).grid == cut_grid(Grid(4, 4, 4), {2, 1, 1}).grid);
  EXPECT_THAT(message_of([&] { grid.block(3); }), HasSubstr("no grid block 3 in 3 grid blocks"));
}

TEST(MultiBlockGrid, a_cut_grid_has_all_its_points_once) {
  Grid const whole(7, 12, 5);
  auto const cut = cut_grid(whole, {2, 5, 3});
  EXPECT_EQ(cut.grid.block_count(), 30);
  EXPECT_EQ(cut.grid.size(), whole.size());
  std::vector<int> seen(whole.size());
  for (auto const& box : cut.boxes) {
    for (int k = box.begin.k; k < box.end.k; ++k) {
      for (int j = box.begin.j; j < box.end.j; ++j) {
        for (int i = box.begin.i; i < box.end.i; ++i) ++seen[whole.index(i, j, k)];
      }
    }
  }
  EXPECT_THAT(seen, ::testing::Each(1));
  // 1 x 5 x 3 + 2 x 4 x 3 + 2 x 5 x 2 interfaces, from both sides.
  EXPECT_EQ(cut.grid.interfaces().size(), 2U * (15 + 24 + 20));
  for (auto const& interface : cut.grid.interfaces()) {
    auto const& here = cut.boxes[interface.block].begin;
    auto const& there = cut.boxes[interface.donor].begin;
    Point const p = interface.points.begin;
    Point const q = interface.donor_point(p);
    EXPECT_EQ((Point{there.i + q.i, there.j + q.j, there.k + q.k}),
              neighbour({here.i + p.i, here.j + p.j, here.k + p.k}, interface.face));
  }
  EXPECT_THAT(message_of([] { cut_grid(Grid(3, 4, 5), {1, 5, 1}); }),
              HasSubstr("5 parts of 4 points along j of a grid"));
  EXPECT_THAT(message_of([] { cut_grid(Grid(3, 4, 5), {0, 1, 1}); }), HasSubstr("0 parts of 3 points along i"));
}

TEST(MultiBlockGrid, colours) {
  EXPECT_THAT(find_colours(cut_grid(Grid(8, 8, 1), {4, 2, 1}).grid), ElementsAre(0, 1, 0, 1, 1, 0, 1, 0));
  EXPECT_THAT(find_colours(cut_grid(Grid(9, 1, 1), {3, 1, 1}, {true, false, false}).grid), ElementsAre(0, 1, 2));
  EXPECT_THAT(find_colours(cut_grid(Grid(4, 4, 4), {1, 1, 1}, {true, true, true}).grid), ElementsAre(0));
  auto const grid = cut_grid(Grid(4, 2, 2), {2, 1, 1}).grid;
  EXPECT_THAT(message_of([&] { check_colours("f", grid, {1}); }), HasSubstr("f: 1 colours for 2 grid blocks"));
  EXPECT_THAT(message_of([&] { check_colours("f", grid, {2, 2}); }),
              HasSubstr("grid blocks 0 and 1 have an interface and the same colour, 2"));
  EXPECT_THAT(message_of([&] { check_colours("f", grid, {0, -1}); }), HasSubstr("grid block 1 has colour -1"));
}

TEST(MultiBlockGrid, without_blocks) {
  auto const none = MultiBlockGrid::without_blocks();
  EXPECT_EQ(none.block_count(), 0);
  EXPECT_EQ(none.size(), 0);
  EXPECT_TRUE(none.blocks().empty());
  EXPECT_TRUE(none.interfaces().empty());
  EXPECT_EQ(to_string(none), "0 grid blocks");
  EXPECT_TRUE(none == MultiBlockGrid::without_blocks());
  EXPECT_FALSE(none == MultiBlockGrid({Grid(1, 1, 1)}));
  EXPECT_THAT(message_of([&] { (void)none.block(0); }), HasSubstr("there is no grid block 0 in 0 grid blocks"));
}

TEST(MultiBlockGrid, what_is_wrong_is_named) {
  std::vector<Grid> const blocks{Grid(4, 3, 2), Grid(5, 3, 2)};
  Interface const good{.block = 0, .face = Direction::east, .points = {{3, 0, 0}, {4, 3, 2}}, .donor = 1};
  EXPECT_EQ(message_of([&] { MultiBlockGrid(blocks, {good}); }), "nothing thrown");
  auto const message = [&](auto change) {
    Interface wrong = good;
    change(wrong);
    return message_of([&] { MultiBlockGrid(blocks, {wrong}); });
  };
  EXPECT_THAT(message_of([] { MultiBlockGrid({}); }), HasSubstr("there is no grid block"));
  EXPECT_THAT(message([](Interface& i) { i.block = 2; }), HasSubstr("grid block 2 does not exist, there are 2"));
  EXPECT_THAT(message([](Interface& i) { i.donor = -1; }), HasSubstr("donor -1 does not exist"));
  EXPECT_THAT(message([](Interface& i) { i.face = Direction::center; }), HasSubstr("a face is one of west, east"));
  EXPECT_THAT(message([](Interface& i) { i.face = static_cast<Direction>(9); }), HasSubstr("a face is one of west"));
  EXPECT_THAT(message([](Interface& i) { i.transform = {{1, 1, 3}}; }),
              HasSubstr("transform (+1, +1, +3) is not a signed permutation"));
  EXPECT_THAT(message([](Interface& i) { i.points.end.j = 0; }), HasSubstr("there are no points"));
  EXPECT_THAT(message([](Interface& i) { i.points.end.j = 4; }),
              HasSubstr("interface at the east face of grid block 0, points [3, 4) x [0, 4) x [0, 2): the points are "
                        "not in the layer [3, 4) x [0, 3) x [0, 2) next to that face of a grid of 4x3x2 points"));
  EXPECT_THAT(message([](Interface& i) { i.points.begin.i = 2; }), HasSubstr("the points are not in the layer"));
  EXPECT_THAT(message([](Interface& i) { i.donor_begin.j = 1; }),
              HasSubstr("by transform (+1, +2, +3) the neighbours are the points [0, 1) x [1, 4) x [0, 2) of donor 1, "
                        "which are not in the layer [0, 1) x [0, 3) x [0, 2) next to its west face (a grid of 5x3x2"));
  EXPECT_THAT(message([](Interface& i) { i.donor_begin.i = 4; }), HasSubstr("which are not in the layer"));
  EXPECT_THAT(message([](Interface& i) { i.donor_begin.k = 2147483647; }),
              HasSubstr("donor_begin (0, 0, 2147483647) is no point of donor 1, a grid of 5x3x2 points"));
  EXPECT_THAT(message([](Interface& i) { i.transform = {{-1, 2, 3}}; }), HasSubstr("next to its east face"));
  // The same points twice, and sides that do not agree.
  Interface part = good;
  part.points.end.j = 2;
  EXPECT_THAT(message_of([&] { MultiBlockGrid(blocks, {good, part}); }),
              HasSubstr("points [3, 4) x [0, 2) x [0, 2) are also in the interface of points"));
  Interface disagrees = good.reversed();
  disagrees.donor_begin.k = 1;
  disagrees.transform = {{1, 2, -3}};
  EXPECT_THAT(message_of([&] { MultiBlockGrid(blocks, {good, disagrees}); }), HasSubstr("are also in the interface"));
  // A face that is folded onto itself, with a point in the middle.
  EXPECT_THAT(message_of([&] {
                MultiBlockGrid({Grid(5, 2, 1)}, {{.block = 0,
                                                  .face = Direction::south,
                                                  .points = {{0, 0, 0}, {5, 1, 1}},
                                                  .donor = 0,
                                                  .donor_begin = {4, 0, 0},
                                                  .transform = {{-1, -2, 3}}}});
              }),
              HasSubstr("point (2, 0, 0) is its own neighbour"));
}

}  // namespace
}  // namespace hyperplane::test
