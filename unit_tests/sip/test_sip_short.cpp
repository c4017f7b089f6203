// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstdint>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/sip/sip.hpp>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/masks.hpp"
#include "support/matchers.hpp"
#include "support/short_factors.hpp"
#include "support/transfer.hpp"

// Factors of 16 bits.
namespace hyperplane::test::sip_short {
namespace {

template <class Exec>
class SipShort : public ::testing::Test {};
TYPED_TEST_SUITE(SipShort, ExecutionSpaces, SpaceNames);

TYPED_TEST(SipShort, are_those_of_double_to_rounding_in_any_units) {
  TypeParam const exec;
  using PlanOfDouble = Sip<double, TypeParam>;
  compare_in_any_units<Sip<double, TypeParam, Half>, PlanOfDouble>(exec);
  compare_in_any_units<Sip<double, TypeParam, BFloat16>, PlanOfDouble>(exec);
  compare_with_double<Sip<float, TypeParam, Half>, PlanOfDouble>(exec);
}

TYPED_TEST(SipShort, that_are_too_large_are_a_status) {
  TypeParam const exec;
  Point const bad{2, 10, 1};
  for (SweepPath const path : paths_of<TypeParam>()) {
    auto a = random_stencil(Grid(5, 19, 4), 1);
    a.block(a.grid.index(bad), Direction::south)(0, 0) = 1e7;
    a.block(a.grid.index({2, 9, 1}), Direction::north)(0, 0) = 0;
    Sip<double, TypeParam, Half> sip(exec, a.grid, {.alpha = 0, .path = path});
    sip.factor(exec, to_device<double, 1, double>(exec, a));
    auto const status = sip.status(exec);
    EXPECT_EQ(status.failure, FactorFailure::overflow) << status.message();
    EXPECT_EQ(status.point, bad);
  }
}

TYPED_TEST(SipShort, have_zeros_at_masked_points) {
  TypeParam const exec;
  Grid const grid(6, 19, 4);
  auto const a = in_other_units(random_stencil(grid, 1));
  auto const mask = mask_of(grid);
  auto const rhs = times_equations(random_vector(grid.size()), 1);
  for (SweepPath const path : paths_of<TypeParam>()) {
    auto const solve = [&]<class Storage>(Storage) {
      Sip<double, TypeParam, Storage> sip(exec, grid, {.path = path});
      sip.factor(exec, to_device<double, 1, double>(exec, a), to_view<std::int8_t>(exec, mask));
      auto const x = to_device<double, 1>(exec, grid, rhs);
      sip.solve(exec, x, x);
      EXPECT_TRUE(sip.status(exec).ok()) << sip.status(exec).message();
      return to_host(exec, x);
    };
    auto const found = solve(Half()), expected = solve(double());
    EXPECT_TRUE(near(found, expected, 10 * unit_roundoff<Half>)) << name(path);
    for (std::size_t p = 0; p < mask.size(); ++p) {
      if (mask[p] == 0) {
        EXPECT_EQ(found[p], 0) << p;
      }
    }
  }
}

}  // namespace
}  // namespace hyperplane::test::sip_short
