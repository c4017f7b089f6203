// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/factor_status.hpp>

namespace hyperplane {
namespace {

TEST(Error, names_message_and_place) {
  try {
    require(false, "value 7 is odd");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::StartsWith("value 7 is odd [test_error.cpp:"));
  }
  EXPECT_NO_THROW(require(true, ""));
}

TEST(FactorStatus, names_point_and_equation) {
  EXPECT_TRUE(FactorStatus{}.ok());
  FactorStatus const status{.singular = true, .point = {1, 2, 3}, .equation = 4};
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.message(), "singular pivot at point (1, 2, 3), equation 4");
}

}  // namespace
}  // namespace hyperplane
