// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <functional>
#include <hyperplane/line/line_set.hpp>
#include <string>
#include <vector>

#include "support/line_reference.hpp"
#include "support/matchers.hpp"

namespace hyperplane::test {
namespace {

TEST(LineReference, block_thomas_agrees_with_the_inverse_of_the_whole_matrix) {
  for (int const n : {1, 2, 3}) {
    for (int const length : {1, 2, 7}) {
      auto const line = random_line(n, length, 3);
      auto const rhs = random_vector(n * length);
      EXPECT_TRUE(near(line.solve(rhs), line.solve_dense(rhs), rounding<double>(100, n)));
      EXPECT_TRUE(near(line.dense() * line.solve(rhs), rhs, rounding<double>(100, n)));
    }
  }
}

TEST(LineReference, periodic_ends_couple_the_ends) {
  auto line = random_line(1, 3, 4);
  line.periodic = true;
  auto const dense = line.dense();
  EXPECT_EQ(dense(0, 2), line.lower[0](0, 0));
  EXPECT_EQ(dense(2, 0), line.upper[2](0, 0));
  line = random_line(1, 1, 4);
  line.periodic = true;
  EXPECT_EQ(line.dense()(0, 0), line.lower[0](0, 0) + line.diagonal[0](0, 0) + line.upper[0](0, 0));
}

TEST(LineSet, of_a_grid_has_every_point_once_and_neighbours_follow) {
  Grid const grid(3, 4, 5);
  for (auto const direction : {LineDirection::i, LineDirection::j, LineDirection::k}) {
    auto const lines = LineSet::along(grid, direction);
    std::vector<int> seen(grid.size(), 0);
    EXPECT_EQ(lines.size(), grid.size());
    EXPECT_EQ(lines.first(lines.count()), lines.size());
    for (std::int64_t line = 0; line < lines.count(); ++line) {
      for (int p = 0; p < lines.length(line); ++p) {
        ++seen[lines.point(line, p)];
        EXPECT_EQ(lines.line_of(lines.first(line) + p), line);
        if (p == 0) continue;
        auto const before = neighbour(lines.grid_point(line, p), lower_neighbour(direction));
        EXPECT_EQ(lines.grid_point(line, p - 1), before);
        EXPECT_EQ(neighbour(before, upper_neighbour(direction)), lines.grid_point(line, p));
      }
    }
    EXPECT_THAT(seen, ::testing::Each(1));
  }
}

// Those of each grid, one grid after the other.
TEST(LineSet, of_several_grids) {
  std::vector<Grid> const grids{Grid(3, 4, 5), Grid(1, 1, 1), Grid(6, 2, 3)};
  for (auto const direction : {LineDirection::i, LineDirection::j, LineDirection::k}) {
    auto const lines = LineSet::along(grids, direction);
    EXPECT_TRUE(lines.on_grids());
    EXPECT_FALSE(lines.grid());
    EXPECT_EQ(lines.point_count(), 3 * 4 * 5 + 1 + 6 * 2 * 3);
    EXPECT_EQ(lines.size(), lines.point_count());
    EXPECT_EQ(lines.first(lines.count()), lines.size());
    std::int64_t line = 0, point = 0, ordinal = 0;
    int longest = 0;
    for (std::size_t g = 0; g < grids.size(); ++g) {
      auto const own = LineSet::along(grids[g], direction);
      EXPECT_EQ(lines.of_grids()[g], own);
      for (std::int64_t l = 0; l < own.count(); ++l, ++line) {
        EXPECT_EQ(lines.grid_of(line), std::pair(static_cast<int>(g), l));
        EXPECT_EQ(lines.length(line), own.length(l));
        EXPECT_EQ(lines.first(line), ordinal);
        for (int p = 0; p < own.length(l); ++p, ++ordinal) {
          EXPECT_EQ(lines.line_of(ordinal), line);
          EXPECT_EQ(lines.point(line, p), point + own.point(l, p));
          EXPECT_EQ(lines.grid_point(line, p), own.grid_point(l, p));
        }
      }
      point += grids[g].size();
      longest = std::max(longest, own.longest());
    }
    EXPECT_EQ(lines.count(), line);
    EXPECT_EQ(lines.longest(), longest);
    EXPECT_EQ(lines, LineSet::along(grids, direction));
    EXPECT_NE(lines, LineSet::along({grids[0], grids[2]}, direction));
  }
  EXPECT_EQ(LineSet::along({Grid(3, 4, 5)}, LineDirection::j), LineSet::along(Grid(3, 4, 5), LineDirection::j));
  EXPECT_THROW(LineSet::along(std::vector<Grid>(), LineDirection::i), Error);
}

TEST(LineSet, of_lists_gives_back_what_it_got) {
  auto const lines = LineSet::lists(9, {0, 3, 4, 8}, {7, 1, 0, 8, 2, 3, 4, 6});
  EXPECT_EQ(lines.count(), 3);
  EXPECT_EQ(lines.length(0), 3);
  EXPECT_EQ(lines.length(1), 1);
  EXPECT_EQ(lines.longest(), 4);
  EXPECT_EQ(lines.point(0, 1), 1);
  EXPECT_EQ(lines.point(2, 3), 6);
  EXPECT_EQ(lines.line_of(3), 1);
  EXPECT_EQ(lines.line_of(4), 2);
  EXPECT_TRUE(lines == LineSet::lists(9, {0, 3, 4, 8}, {7, 1, 0, 8, 2, 3, 4, 6}));
  EXPECT_FALSE(lines == LineSet::lists(9, {0, 3, 4, 8}, {7, 1, 0, 8, 2, 3, 4, 5}));
}

TEST(LineSet, completed_gives_each_other_point_a_line_of_its_own) {
  auto const lines = LineSet::lists(5, {0, 2}, {3, 1}).completed();
  EXPECT_EQ(lines.count(), 4);
  EXPECT_EQ(lines.size(), 5);
  EXPECT_EQ(lines.point(0, 0), 3);
  EXPECT_EQ(lines.point(1, 0), 0);
  EXPECT_EQ(lines.point(3, 0), 4);
  EXPECT_TRUE(lines.completed() == lines);
  auto const uniform = LineSet::uniform(3, 4);
  EXPECT_TRUE(uniform.completed() == uniform);
}

TEST(LineSet, as_lists_has_the_same_points) {
  auto const lines = LineSet::along(Grid(3, 4, 2), LineDirection::j, LineEnds::periodic), lists = lines.as_lists();
  EXPECT_FALSE(lists.grid().has_value());
  EXPECT_EQ(lists.ends(), LineEnds::periodic);
  ASSERT_EQ(lists.count(), lines.count());
  for (std::int64_t line = 0; line < lines.count(); ++line) {
    ASSERT_EQ(lists.length(line), lines.length(line));
    for (int p = 0; p < lines.length(line); ++p) EXPECT_EQ(lists.point(line, p), lines.point(line, p));
  }
}

TEST(LineSet, may_have_no_line) {
  auto const none = LineSet::lists(3, {0}, {});
  EXPECT_EQ(none.count(), 0);
  EXPECT_EQ(none.size(), 0);
  EXPECT_EQ(none.longest(), 0);
  EXPECT_TRUE(none.completed() == LineSet::lists(3, {0, 1, 2, 3}, {0, 1, 2}));
}

TEST(LineSet, refuses_what_are_no_lines_and_says_why) {
  auto const message = [](const std::function<void()>& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  auto const lists = [&](std::int64_t count, std::vector<std::int64_t> offsets, std::vector<std::int64_t> points) {
    return message([&] { LineSet::lists(count, offsets, points); });
  };
  using ::testing::AllOf, ::testing::HasSubstr;
  EXPECT_THAT(lists(4, {0, 2, 4}, {0, 1, 2, 1}), HasSubstr("point 1 is on line 0 and on line 1"));
  EXPECT_THAT(lists(4, {0, 2}, {3, 3}), HasSubstr("point 3 is on line 0 and on line 0"));
  EXPECT_THAT(lists(4, {0, 2}, {0, 4}), AllOf(HasSubstr("point 4 of line 0"), HasSubstr("0 and 3")));
  EXPECT_THAT(lists(4, {0, 2}, {-1, 2}), HasSubstr("point -1"));
  EXPECT_THAT(lists(4, {0, 2, 2}, {0, 1}), HasSubstr("line 1 has no point"));
  EXPECT_THAT(lists(4, {0, 2, 1}, {0, 1}), HasSubstr("line 1 has no point"));
  EXPECT_THAT(lists(4, {1, 2}, {0, 1}), HasSubstr("offsets[0] is 1"));
  EXPECT_THAT(lists(4, {0, 3}, {0, 1}), HasSubstr("the last offset is 3, but 2 points"));
  EXPECT_THAT(lists(4, {}, {}), HasSubstr("offsets is empty"));
  EXPECT_THAT(lists(4, {0}, {1}), HasSubstr("the last offset is 0, but 1 points"));
  EXPECT_THAT(lists(0, {0, 1}, {0}), HasSubstr("0 points"));
  EXPECT_THAT(message([] { LineSet::uniform(0, 3); }), HasSubstr("0 lines of 3"));
  EXPECT_THAT(message([] { LineSet::uniform(1, 0); }), HasSubstr("1 lines of 0"));
}

}  // namespace
}  // namespace hyperplane::test
