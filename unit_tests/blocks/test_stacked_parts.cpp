// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/stacked_parts.hpp>
#include <vector>

#include "multi_block_grids.hpp"

// Whether parts of a box lie one above the other, so that kernels can go on from the device of one to that of the next
// one.
namespace hyperplane::test {
namespace {

using Owners = std::vector<int>;

/// Grid block 0 has grid blocks 1 above and 2 below it, as the interfaces of the middle one say.
MultiBlockGrid middle_first() {
  return MultiBlockGrid({Grid(3, 2, 4), Grid(3, 2, 1), Grid(3, 2, 2)},
                        {{.block = 0, .face = Direction::top, .points = {{0, 0, 3}, {3, 2, 4}}, .donor = 1},
                         {.block = 0,
                          .face = Direction::bottom,
                          .points = {{0, 0, 0}, {3, 2, 1}},
                          .donor = 2,
                          .donor_begin = {0, 0, 1}}});
}

TEST(StackedParts, from_the_lowest_to_the_highest) {
  auto const whole = cut_grid(Grid(5, 4, 7), {1, 1, 4}).grid;
  EXPECT_EQ(detail::StackedParts::owners_upwards(whole, {0, 1, 2, 3}, 4), (Owners{0, 1, 2, 3}));
  EXPECT_EQ(detail::StackedParts::owners_upwards(whole, {3, 1, 0, 2}, 4), (Owners{3, 1, 0, 2}));
  EXPECT_EQ(detail::StackedParts::owners_upwards(middle_first(), {0, 1, 2}, 3), (Owners{2, 0, 1}));
  EXPECT_EQ(detail::StackedParts::owners_upwards(MultiBlockGrid({Grid(5, 4, 3)}), {0}, 1), (Owners{0}));
}

TEST(StackedParts, several_grid_blocks_each) {
  auto const whole = cut_grid(Grid(5, 4, 7), {1, 1, 4}).grid;
  EXPECT_EQ(detail::StackedParts::owners_upwards(whole, {1, 1, 0, 0}, 2), (Owners{1, 0}));
  EXPECT_EQ(detail::StackedParts::owners_upwards(whole, {0, 2, 2, 1}, 3), (Owners{0, 2, 1}));
  EXPECT_EQ(detail::StackedParts::owners_upwards(whole, {0, 0, 0, 0}, 1), (Owners{0}));
  EXPECT_EQ(detail::StackedParts::owners_upwards(middle_first(), {1, 0, 1}, 2), (Owners{1, 0}));
  EXPECT_EQ(detail::StackedParts::box(whole), Grid(5, 4, 7));
  EXPECT_EQ(detail::StackedParts::box(middle_first()), Grid(3, 2, 7));
  EXPECT_EQ(detail::StackedParts::box(MultiBlockGrid({Grid(5, 4, 3)})), Grid(5, 4, 3));
}

// What a part leaves to the one above it is looked at where that needs it.
TEST(StackedParts, failures_are_those_of_the_grid_block_whose_block_it_is) {
  Grid const part(3, 2, 4);
  FactorStatus status{{.failure = FactorFailure::not_finite}, {2, 1, 4}, BlockPlace{{2, 1, 3}, Direction::top}};
  auto const inside = detail::StackedParts::status_inside(part, status);
  EXPECT_EQ(inside.message(), "not finite at point (2, 1, 3): block top, which points out of the grid");
  EXPECT_EQ(inside.point, (Point{2, 1, 3}));
  for (auto const& block : {BlockPlace{{2, 1, 2}, Direction::top}, BlockPlace{{2, 1, 3}, Direction::east}}) {
    status.point = {2, 1, 3};
    status.block = block;
    EXPECT_EQ(detail::StackedParts::status_inside(part, status).message(), status.message());
  }
}

TEST(StackedParts, other_grids_and_owners_are_none) {
  auto const expect_none = [](const MultiBlockGrid& whole, const Owners& owners, int ranks, const char* what) {
    EXPECT_EQ(detail::StackedParts::owners_upwards(whole, owners, ranks), Owners{}) << what;
  };
  Grid const box(4, 4, 4);
  auto const along_k = cut_grid(box, {1, 1, 2}).grid;
  expect_none(along_k, {0, 1}, 3, "a rank without a grid block");
  expect_none(along_k, {1, 1}, 2, "a rank with all");
  expect_none(cut_grid(box, {1, 1, 4}).grid, {0, 1, 0, 1}, 2, "grid blocks of a rank apart");
  expect_none(cut_grid(box, {2, 1, 1}).grid, {0, 1}, 2, "cut along i");
  expect_none(cut_grid(box, {1, 2, 1}).grid, {0, 1}, 2, "cut along j");
  expect_none(cut_grid(box, {2, 1, 2}).grid, {0, 1, 2, 3}, 4, "cut along i and k");
  expect_none(cut_grid(box, {1, 1, 2}, {false, false, true}).grid, {0, 1}, 2, "periodic along k");
  expect_none(cut_grid(box, {1, 1, 2}, {true, false, false}).grid, {0, 1}, 2, "periodic along i");
  expect_none(MultiBlockGrid({Grid(4, 4, 2), Grid(4, 4, 2)}), {0, 1}, 2, "no interface");
  Interface const part{.block = 0, .face = Direction::top, .points = {{0, 0, 1}, {4, 3, 2}}, .donor = 1};
  expect_none(MultiBlockGrid({Grid(4, 4, 2), Grid(4, 4, 2)}, {part}), {0, 1}, 2, "a part of a face");
  Interface turned{.block = 0, .face = Direction::top, .points = {{0, 0, 1}, {4, 4, 2}}, .donor = 1};
  turned.donor_begin = {3, 0, 0};
  turned.transform = {{2, -1, 3}};
  expect_none(MultiBlockGrid({Grid(4, 4, 2), Grid(4, 4, 2)}, {turned}), {0, 1}, 2, "other axes");
}

}  // namespace
}  // namespace hyperplane::test
