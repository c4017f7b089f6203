// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <hyperplane/array/stencil7.hpp>
#include <limits>

#include "support/array_reference.hpp"

namespace hyperplane::test {

template <class Exec>
class Stencil7Test : public ::testing::Test {};

/// Coefficients of a diagonally dominant matrix; those that point outside the array are not a number.
template <class T, class Exec>
TestArray<T, Exec> random_coefficients(const Exec& exec, const ArrayLayout& layout) {
  TestArray<T, Exec> a(exec, layout, 5);
  auto const& e = layout.extents;
  Grid const grid(e[0], e[1], e[2]);
  for_box(Box::of(grid), stencil7_size, [&](int i, int j, int k, int c) {
    auto const direction = static_cast<Direction>(c);
    if (direction == Direction::center) a.at(i, j, k, c) += T(8);
    if (!grid.contains(neighbour({i, j, k}, direction))) a.at(i, j, k, c) = std::numeric_limits<T>::quiet_NaN();
  });
  a.send();
  return a;
}

}  // namespace hyperplane::test
