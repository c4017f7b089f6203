// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/ssor/ssor.hpp>

#include "support/execution_spaces.hpp"
#include "support/short_factors.hpp"

// Factors of 16 bits.
namespace hyperplane::test::ssor_short {
namespace {

template <class Exec>
class SsorShort : public ::testing::Test {};
TYPED_TEST_SUITE(SsorShort, ExecutionSpaces, SpaceNames);

TYPED_TEST(SsorShort, are_those_of_double_to_rounding_in_any_units) {
  TypeParam const exec;
  compare_in_any_units<Ssor<double, 1, TypeParam, Half>, Ssor<double, 1, TypeParam>>(exec);
  compare_in_any_units<Ssor<double, 4, TypeParam, Half>, Ssor<double, 4, TypeParam>>(exec);
  compare_in_any_units<Ssor<double, 3, TypeParam, BFloat16>, Ssor<double, 3, TypeParam>>(exec);
}

TYPED_TEST(SsorShort, that_are_too_large_are_a_status) {
  TypeParam const exec;
  constexpr int n = 2;
  Point const bad{2, 10, 1};
  for (SweepPath const path : paths_of<TypeParam>()) {
    auto a = random_stencil(Grid(5, 19, 4), n);
    a.block(a.grid.index(bad), Direction::north)(1, 0) = 1e7;
    Ssor<double, n, TypeParam, Half> ssor(exec, a.grid, {.path = path});
    ssor.factor(exec, to_device<double, n, double>(exec, a));
    auto const status = ssor.status(exec);
    EXPECT_EQ(status.failure, FactorFailure::overflow) << status.message();
    EXPECT_EQ(status.point, bad);
  }
}

}  // namespace
}  // namespace hyperplane::test::ssor_short
