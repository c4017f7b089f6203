// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matchers.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace hyperplane::test {
namespace {

TEST(Matchers, near_is_relative_to_the_largest_entry) {
  EXPECT_TRUE(near({1.0, 1e-9}, {1.0, 0.0}, 1e-8));
  EXPECT_FALSE(near({1.0, 1e-7}, {1.0, 0.0}, 1e-8));
  EXPECT_FALSE(near({1.0}, {1.0, 0.0}, 1.0));
}

TEST(Matchers, near_refuses_nan) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(near({nan}, {1.0}, 1e9));
  EXPECT_FALSE(near({1.0}, {nan}, 1e9));
}

TEST(Matchers, bitwise_equality_sees_the_last_bit_and_the_sign_of_zero) {
  EXPECT_TRUE(bitwise_equal({1.0}, {1.0}));
  EXPECT_FALSE(bitwise_equal({1.0}, {std::nextafter(1.0, 2.0)}));
  EXPECT_FALSE(bitwise_equal({0.0}, {-0.0}));
}

}  // namespace
}  // namespace hyperplane::test
