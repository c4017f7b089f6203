// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/factor_status.hpp>

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
  FactorStatus status{{FactorFailure::zero_row, 4}, {1, 2, 3}};
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(status.singular());
  EXPECT_EQ(status.message(), "singular pivot at point (1, 2, 3), equation 4: the row of the pivot block is zero");
  status.failure = FactorFailure::zero_column;
  EXPECT_EQ(status.message(), "singular pivot at point (1, 2, 3), unknown 4: the column of the pivot block is zero");
  status.failure = FactorFailure::singular;
  EXPECT_EQ(status.message(), "singular pivot at point (1, 2, 3): elimination stopped at column 4 of the pivot block");
  status.failure = FactorFailure::overflow;
  EXPECT_FALSE(status.singular());
  EXPECT_EQ(status.message(), "overflow at point (1, 2, 3): its factors have values that are too large for their type");
  status.failure = FactorFailure::not_finite;
  EXPECT_FALSE(status.ok());
  EXPECT_FALSE(status.singular());
  EXPECT_EQ(status.message(), "not finite at point (1, 2, 3)");
  status.block = BlockPlace{{1, 2, 3}, Direction::west};
  status.points_out = true;
  EXPECT_EQ(status.message(), "not finite at point (1, 2, 3): block west, which points out of the grid");
  status.block = BlockPlace{{0, 2, 3}, Direction::east};
  status.points_out = false;
  EXPECT_EQ(status.message(), "not finite at point (1, 2, 3): block east of point (0, 2, 3)");
}

}  // namespace
}  // namespace hyperplane
