// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/blocks/natural_order.hpp>
#include <hyperplane/core/error.hpp>
#include <string>

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

TEST(NaturalOrder, is_refused_where_grid_blocks_are_no_parts_of_one_box) {
  auto const expect_refused = [](const MultiBlockGrid& grid, const std::string& why) {
    EXPECT_THAT([&] { find_natural_order(grid); }, ThrowsMessage<Error>(HasSubstr(why)));
  };
  expect_refused(cut_grid(Grid(6, 4, 4), {2, 1, 1}, {true, false, false}).grid,
                 "coupling natural is for parts of one box, but at the east face of grid block 0, points [2, 3) "
                 "x [0, 4) x [0, 4), grid block 1 is also somewhere else: a direction is periodic, or the grid "
                 "is bent");
  expect_refused(cut_grid(Grid(6, 4, 4), {1, 1, 1}, {false, true, false}).grid, "grid block 0 is also somewhere else");
  expect_refused(joined_pair(Grid(3, 5, 2), {{1, -2, 3}}), "axes change: (+1, -2, +3)");
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
