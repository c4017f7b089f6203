// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <hyperplane/blocks/colours.hpp>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/detail/placed_grids.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/blocks/natural_order.hpp>
#include <hyperplane/blocks/stages.hpp>
#include <hyperplane/core/error.hpp>
#include <string>
#include <vector>

#include "multi_block_grids.hpp"

namespace hyperplane::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(NaturalOrder, rises_along_all_axes_of_a_cut_box) {
  EXPECT_THAT(find_natural_order(cut_grid(Grid(5, 1, 1), {1, 1, 1}).grid), ElementsAre(0));
  EXPECT_THAT(find_natural_order(cut_grid(Grid(1, 1, 9), {1, 1, 4}).grid), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(find_natural_order(cut_grid(Grid(6, 6, 6), {2, 2, 2}).grid), ElementsAre(0, 1, 1, 2, 1, 2, 2, 3));
}

TEST(Stages, of_whole_grid_blocks_are_colours) {
  auto const grid = cut_grid(Grid(6, 6, 6), {2, 1, 2}).grid;
  detail::Stages const stages(grid, {0, 2, 1, 0}, 4);
  EXPECT_EQ(stages.count(), 4);
  EXPECT_FALSE(stages.are_cut());
  EXPECT_EQ(stages.of(1, 5), 2);
  EXPECT_EQ(stages.pieces(0).size(), 2);
  EXPECT_TRUE(stages.pieces(3).empty());
}

TEST(Stages, of_pieces_rise_with_j_and_with_colours) {
  auto grids = awkward_grids();
  for (auto const& transform : all_transforms()) {
    grids.emplace_back(to_string(transform), joined_pair(Grid(3, 7, 4), transform));
  }
  for (auto const& [what, grid] : grids) {
    auto const colours = find_colours(grid);
    std::vector<int> widths;
    for (int b = 0; b < grid.block_count(); ++b) widths.push_back(1 + b % 3);
    detail::Stages const stages(grid, colours, widths);
    for (auto const& interface : grid.interfaces()) {
      detail::for_each_pair(interface, [&](const Point& p, const Point& q) {
        int const own = colours[interface.block], other = colours[interface.donor];
        if (own <= other) return;
        EXPECT_GT(stages.of(interface.block, p.j), stages.of(interface.donor, q.j)) << what;
      });
    }
    // Each layer of j is in one piece, later than those before it, and no stage is empty.
    std::vector<int> next(grid.block_count(), 0);
    for (int stage = 0; stage < stages.count(); ++stage) {
      EXPECT_FALSE(stages.pieces(stage).empty()) << what;
      for (auto const& [block, begin, end] : stages.pieces(stage)) {
        EXPECT_EQ(begin, next[block]) << what;
        EXPECT_EQ(stages.of(block, end - 1), stage) << what;
        EXPECT_TRUE(stages.has(stage, block)) << what;
        next[block] = end;
        EXPECT_EQ(stages.last_of(block) == stage, end == grid.block(block).nj()) << what;
      }
    }
    for (int b = 0; b < grid.block_count(); ++b) EXPECT_EQ(next[b], grid.block(b).nj()) << what;
  }
}

// A cut across k of two grid blocks: the upper one is one piece behind the lower one, not all of them.
TEST(Stages, of_a_cut_across_k_are_one_more_than_pieces) {
  auto const grid = cut_grid(Grid(4, 12, 6), {1, 1, 2}).grid;
  EXPECT_EQ(detail::Stages(grid, {0, 1}, std::vector<int>{3, 3}).count(), 5);
  auto const some = detail::Stages(grid, {0, 1}, std::vector<int>{3, 3})
                        .of_some(MultiBlockGrid({Grid(4, 12, 3)}), std::vector<int>{1});
  EXPECT_EQ(some.count(), 5);
  EXPECT_TRUE(some.pieces(0).empty());
  EXPECT_EQ(some.of(0, 11), 4);
}

TEST(NaturalOrder, does_not_depend_on_numbers_and_needs_no_whole_faces) {
  // The second one is below the first; the third lies beside both of them.
  MultiBlockGrid const grid(
      {Grid(4, 3, 2), Grid(4, 3, 5), Grid(2, 3, 7)},
      {{.block = 1, .face = Direction::top, .points = {{0, 0, 4}, {4, 3, 5}}, .donor = 0},
       {.block = 1, .face = Direction::east, .points = {{3, 0, 0}, {4, 3, 5}}, .donor = 2},
       {.block = 0, .face = Direction::east, .points = {{3, 0, 0}, {4, 3, 2}}, .donor = 2, .donor_begin = {0, 0, 5}}});
  EXPECT_THAT(find_natural_order(grid), ElementsAre(1, 0, 2));
  // Those that do not meet are boxes by themselves.
  EXPECT_THAT(find_natural_order(MultiBlockGrid({Grid(2, 2, 2), Grid(1, 1, 1)})), ElementsAre(0, 0));
}

TEST(NaturalOrder, begins_a_periodic_direction_at_the_lowest_number) {
  EXPECT_THAT(find_natural_order(cut_grid(Grid(6, 4, 4), {1, 1, 1}, {true, true, false}).grid), ElementsAre(0));
  EXPECT_THAT(find_natural_order(cut_grid(Grid(6, 4, 4), {2, 1, 1}, {true, false, false}).grid), ElementsAre(0, 1));
  // Two directions, whichever way grid blocks are found.
  EXPECT_THAT(find_natural_order(cut_grid(Grid(8, 9, 3), {4, 3, 1}, {true, true, true}).grid),
              ElementsAre(0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5));
  // In a ring of four, 2 is before 0: the box begins with 0, and 2 is its last part.
  std::vector<Grid> const blocks{Grid(2, 3, 1), Grid(4, 3, 1), Grid(3, 3, 1), Grid(5, 3, 1)};
  std::vector<Interface> ring;
  std::vector<int> const order{0, 3, 1, 2};
  for (std::size_t p = 0; p < order.size(); ++p) {
    int const b = order[p], extent = blocks[b].ni();
    ring.push_back({.block = b,
                    .face = Direction::east,
                    .points = {{extent - 1, 0, 0}, {extent, 3, 1}},
                    .donor = order[(p + 1) % order.size()]});
  }
  EXPECT_THAT(find_natural_order(MultiBlockGrid(blocks, ring)), ElementsAre(0, 2, 3, 1));
}

// Two rows of 8 points around, 0 and 1, above them 2 and 3; `shift`: where 2 begins. 3 points, 5 points each.
MultiBlockGrid two_rows(int shift) {
  auto const east = [](int b, int extent, int donor) {
    return Interface{
        .block = b, .face = Direction::east, .points = {{extent - 1, 0, 0}, {extent, 1, 1}}, .donor = donor};
  };
  auto const north = [](int b, int begin, int end, int donor, int donor_begin) {
    return Interface{.block = b,
                     .face = Direction::north,
                     .points = {{begin, 0, 0}, {end, 1, 1}},
                     .donor = donor,
                     .donor_begin = {donor_begin, 0, 0}};
  };
  std::vector<Interface> interfaces{east(0, 3, 1), east(1, 5, 0), east(2, 3, 3), east(3, 5, 2)};
  if (shift == 3) {
    interfaces.insert(interfaces.end(), {north(0, 0, 3, 3, 2), north(1, 0, 3, 2, 0), north(1, 3, 5, 3, 0)});
  } else {
    interfaces.insert(interfaces.end(),
                      {north(0, 0, 1, 3, 4), north(0, 1, 3, 2, 0), north(1, 0, 1, 2, 2), north(1, 1, 5, 3, 0)});
  }
  return MultiBlockGrid({Grid(3, 1, 1), Grid(5, 1, 1), Grid(3, 1, 1), Grid(5, 1, 1)}, interfaces);
}

TEST(NaturalOrder, begins_a_periodic_direction_where_no_grid_block_lies_across) {
  // 3 lies across the beginning of 0.
  EXPECT_THAT(find_natural_order(two_rows(3)), ElementsAre(1, 0, 1, 2));
}

TEST(NaturalOrder, parts_of_a_cut_box_fill_it) {
  auto const cut = cut_grid(Grid(7, 5, 9), {3, 2, 4});
  auto const found = detail::whole_box(cut.grid);
  ASSERT_TRUE(found.has_value());
  EXPECT_THAT(found->grids, ElementsAre(Grid(7, 5, 9)));
  for (std::size_t b = 0; b < cut.boxes.size(); ++b) {
    EXPECT_EQ(found->grid_of[b], 0);
    EXPECT_EQ(found->begins[b], cut.boxes[b].begin) << b;
  }
}

TEST(NaturalOrder, parts_fill_no_box_where_one_or_a_face_of_one_is_missing) {
  Interface const east{.block = 0, .face = Direction::east, .points = {{3, 0, 0}, {4, 3, 2}}, .donor = 1};
  Interface const top{.block = 0, .face = Direction::top, .points = {{0, 0, 1}, {4, 3, 2}}, .donor = 2};
  EXPECT_TRUE(detail::whole_box(MultiBlockGrid({Grid(4, 3, 2), Grid(5, 3, 2)}, {east})));
  EXPECT_FALSE(detail::whole_box(MultiBlockGrid({Grid(4, 3, 2), Grid(5, 3, 3)}, {east})));
  EXPECT_FALSE(detail::whole_box(MultiBlockGrid({Grid(4, 3, 2), Grid(5, 3, 2), Grid(4, 3, 1)}, {east, top})));
  // Those that do not meet, and those that meet in part.
  EXPECT_FALSE(detail::whole_box(MultiBlockGrid({Grid(4, 3, 2), Grid(4, 3, 2)})));
  EXPECT_FALSE(detail::whole_box(MultiBlockGrid({Grid(4, 3, 2), Grid(5, 3, 2), Grid(1, 1, 1)}, {east})));
  auto in_part = east;
  in_part.points.end.j = 2;
  EXPECT_FALSE(detail::whole_box(MultiBlockGrid({Grid(4, 3, 2), Grid(5, 3, 2)}, {in_part})));
}

TEST(NaturalOrder, is_refused_where_grid_blocks_are_no_parts_of_one_box) {
  auto const expect_refused = [](const MultiBlockGrid& grid, const std::string& why) {
    EXPECT_THAT([&] { find_natural_order(grid); }, ThrowsMessage<Error>(HasSubstr(why)));
  };
  expect_refused(joined_pair(Grid(3, 5, 2), {{1, -2, 3}}), "axes change: (+1, -2, +3)");
  // A direction of 4 points that ends one point further along the other one.
  MultiBlockGrid const sheared(
      {Grid(4, 3, 1)},
      {{.block = 0, .face = Direction::east, .points = {{3, 0, 0}, {4, 2, 1}}, .donor = 0, .donor_begin = {0, 1, 0}},
       {.block = 0, .face = Direction::north, .points = {{0, 2, 0}, {4, 3, 1}}, .donor = 0}});
  expect_refused(sheared, "along j, which is periodic, grid blocks lie across each other's ends");
  expect_refused(two_rows(1), "along i, which is periodic, grid blocks lie across each other's ends");
  // The same in three grid blocks, one above the other.
  std::vector<Interface> turns;
  for (int b = 0; b < 3; ++b) {
    turns.push_back({.block = b, .face = Direction::north, .points = {{0, 1, 0}, {4, 2, 1}}, .donor = (b + 1) % 3});
    turns.push_back({.block = b, .face = Direction::east, .points = {{3, 0, 0}, {4, 2, 1}}, .donor = (b + 1) % 3});
  }
  expect_refused(MultiBlockGrid({Grid(4, 2, 1), Grid(4, 2, 1), Grid(4, 2, 1)}, turns),
                 "grid blocks 0 and 1 would share points of it: the grid is bent");
  // Three bars, each of which ends at the side of the next.
  MultiBlockGrid const bars(
      {Grid(2, 4, 1), Grid(1, 2, 3), Grid(3, 1, 2)},
      {{.block = 0, .face = Direction::east, .points = {{1, 0, 0}, {2, 2, 1}}, .donor = 1, .donor_begin = {0, 0, 2}},
       {.block = 1, .face = Direction::north, .points = {{0, 1, 0}, {1, 2, 2}}, .donor = 2, .donor_begin = {2, 0, 0}},
       {.block = 2, .face = Direction::top, .points = {{0, 0, 1}, {2, 1, 2}}, .donor = 0, .donor_begin = {0, 2, 0}}});
  expect_refused(bars, "lie before one another in a circle, grid block 0 among them");
}

}  // namespace
}  // namespace hyperplane::test
