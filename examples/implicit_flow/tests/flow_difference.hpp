// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "solver/solution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace implicit_flow {

/// Of all values of all grid blocks.
inline double largest_difference(const std::vector<Solution>& first, const std::vector<Solution>& second) {
  EXPECT_EQ(first.size(), second.size());
  double result = 0;
  for (std::size_t b = 0; b < first.size(); ++b) {
    EXPECT_EQ(first[b].cells.size(), second[b].cells.size());
    for (std::size_t p = 0; p < first[b].cells.size(); ++p) {
      for (int c = 0; c < equations; ++c) {
        result = std::max(result, std::abs(first[b].cells[p][c] - second[b].cells[p][c]));
      }
    }
  }
  return result;
}

}  // namespace implicit_flow
