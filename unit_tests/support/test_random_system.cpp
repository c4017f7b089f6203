// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>

#include "random_system.hpp"

namespace hyperplane::test {
namespace {

TEST(RandomSystem, values_are_in_range_and_differ) {
  std::set<double> values;
  double sum = 0.0;
  for (unsigned const seed : {1u, 2u}) {
    for (std::int64_t counter = 0; counter < 1000; ++counter) {
      double const value = random_value(seed, counter);
      EXPECT_GE(value, -1.0);
      EXPECT_LT(value, 1.0);
      values.insert(value);
      sum += value;
    }
  }
  EXPECT_EQ(values.size(), 2000u);
  EXPECT_LT(std::abs(sum / 2000), 0.1);
}

TEST(RandomSystem, rows_are_dominated_by_diagonals_of_either_sign) {
  Grid const grid(3, 4, 5);
  RandomSystem const system{.grid = grid, .n = 3};
  int negative = 0;
  for (std::int64_t p = 0; p < grid.size(); ++p) {
    for (int r = 0; r < system.n; ++r) {
      double others = 0.0;
      for (auto const direction : stencil7_directions) {
        for (int c = 0; c < system.n; ++c) others += std::abs(system.coefficient(grid.point(p), direction, r, c));
      }
      double const diagonal = system.coefficient(grid.point(p), Direction::center, r, r);
      EXPECT_GT(std::abs(diagonal), others - std::abs(diagonal));
      negative += diagonal < 0.0;
    }
  }
  EXPECT_GT(negative, 0);
  EXPECT_LT(negative, grid.size() * system.n);
}

}  // namespace
}  // namespace hyperplane::test
