// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/detail/status_in_block.hpp>
#include <optional>
#include <utility>

// Statuses of a box as those of its parts.
namespace hyperplane::test {
namespace {

/// Three parts along k, of three layers each.
std::pair<int, FactorStatus> in_part(const Point& point, const std::optional<BlockPlace>& block) {
  auto const parts = cut_grid(Grid(3, 2, 9), {1, 1, 3}).grid;
  FactorStatus status{{.failure = FactorFailure::not_finite}, point, block};
  int const number = detail::status_in_block(parts, detail::whole_box(parts).value(), 0, status);
  return {number, status};
}

void expect_place(const std::pair<int, FactorStatus>& found, int number, const Point& point,
                  const std::optional<BlockPlace>& block) {
  EXPECT_EQ(found.first, number);
  EXPECT_EQ(found.second.point, point) << found.second.message();
  EXPECT_TRUE(found.second.block == block) << found.second.message();
}

TEST(StatusInBlock, the_grid_block_is_that_of_the_block_that_is_not_finite) {
  expect_place(in_part({2, 1, 4}, std::nullopt), 1, {2, 1, 1}, std::nullopt);
  expect_place(in_part({2, 1, 4}, BlockPlace{{2, 1, 4}, Direction::center}), 1, {2, 1, 1},
               BlockPlace{{2, 1, 1}, Direction::center});
  auto const across = in_part({2, 1, 3}, BlockPlace{{2, 1, 2}, Direction::top});
  expect_place(across, 0, {2, 1, 2}, BlockPlace{{2, 1, 2}, Direction::top});
  EXPECT_TRUE(across.second.points_out);
}

// As those of a rank, whose box has others above.
TEST(StatusInBlock, what_shows_beyond_the_box_is_that_of_the_point_next_to_it) {
  auto const beyond = in_part({2, 1, 9}, BlockPlace{{2, 1, 8}, Direction::top});
  expect_place(beyond, 2, {2, 1, 2}, BlockPlace{{2, 1, 2}, Direction::top});
  EXPECT_TRUE(beyond.second.points_out);
}

}  // namespace
}  // namespace hyperplane::test
