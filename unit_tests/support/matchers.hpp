// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace hyperplane::test {

/// max |a - b| <= tolerance * max |b|; NaN never passes.
inline ::testing::AssertionResult near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  if (a.size() != b.size()) return ::testing::AssertionFailure() << "sizes " << a.size() << " and " << b.size();
  double largest = 0.0;
  for (double const value : b) largest = std::max(largest, std::abs(value));
  for (std::size_t e = 0; e < a.size(); ++e) {
    if (!(std::abs(a[e] - b[e]) <= tolerance * largest)) {
      return ::testing::AssertionFailure() << "entry " << e << " is " << a[e] << ", expected " << b[e] << ", tolerance "
                                           << tolerance << " of " << largest;
    }
  }
  return ::testing::AssertionSuccess();
}

/// The same bits in every entry.
inline ::testing::AssertionResult bitwise_equal(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return ::testing::AssertionFailure() << "sizes " << a.size() << " and " << b.size();
  for (std::size_t e = 0; e < a.size(); ++e) {
    if (std::bit_cast<std::uint64_t>(a[e]) != std::bit_cast<std::uint64_t>(b[e])) {
      return ::testing::AssertionFailure() << "entry " << e << ": " << a[e] << " and " << b[e];
    }
  }
  return ::testing::AssertionSuccess();
}

/// k * n * epsilon.
template <class Scalar>
double rounding(double k, int n) {
  return k * n * std::numeric_limits<Scalar>::epsilon();
}

}  // namespace hyperplane::test
