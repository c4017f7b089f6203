// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/core/bfloat16.hpp>
#include <hyperplane/core/half.hpp>
#include <limits>

#include "support/plans_on_devices.hpp"

// Factors of 16 bits: the units of those in Half are chosen by points of the whole box.
namespace hyperplane::test::on_devices {
namespace {

TEST(BlockIlu0OnDevices, factors_of_16_bits) {
  for (auto const& box : {Grid(5, 4, 3), Grid(11, 13, 19), Grid(1, 33, 12), Grid(31, 40, 21)}) {
    expect_bits_of_whole_box<Bilu0, 5, Half, double, double>(box, 2);
    expect_bits_of_whole_box<Bilu0, 5, BFloat16, double, double>(box, 2);
  }
  expect_bits_of_whole_box<Bilu0, 1, Half, float, float>(Grid(11, 13, 19), 3);
}

/// Equations and unknowns in units that differ by far, so that units other than those of the whole box would show.
ReferenceStencil in_units(ReferenceStencil system) {
  double const units[] = {1.0, 1e9, 1e-7, 1e3, 1e-12};
  for (auto& blocks : system.blocks) {
    for (auto& block : blocks) {
      for (int r = 0; r < system.n; ++r) {
        for (int c = 0; c < system.n; ++c) block(r, c) *= units[r] * units[(c + 2) % system.n];
      }
    }
  }
  return system;
}

TEST(BlockIlu0OnDevices, units_are_those_of_the_box) {
  if (!has_capability_90<Exec>()) GTEST_SKIP() << "compute capability below 9.0";
  constexpr int n = 5;
  // The upper half is larger, so that its own units would be others.
  auto system = in_units(random_stencil(Grid(13, 17, 24), n));
  for (std::size_t point = system.blocks.size() / 3; point < system.blocks.size(); ++point) {
    for (auto& block : system.blocks[point]) {
      for (int r = 0; r < n; ++r) block(r, 1) *= 1e4;
    }
  }
  auto const rhs = random_vector(system.rows());
  auto const expected = solution_of_whole<Bilu0, n, Half, double, double>(system, rhs);
  PartsOf<Bilu0, n, Half, double, double> parts(system, 3, share(3));
  auto const x = parts.to_parts(rhs);
  parts.factor();
  parts.plan().solve(x, x);
  EXPECT_TRUE(bitwise_equal(parts.from_parts(x), expected));
  EXPECT_TRUE(parts.plan().status().ok()) << parts.plan().status().message();
}

// Factors in Half are recorded where they are, also those for the part above.
TEST(BlockIlu0OnDevices, name_a_block_for_the_part_above_that_is_not_finite) {
  if (!has_capability_90<Exec>()) GTEST_SKIP() << "compute capability below 9.0";
  constexpr int n = 5;
  auto system = random_stencil(Grid(6, 7, 8), n);
  // The last layer of the lower part.
  system.block(system.grid.index(2, 3, 3), Direction::top)(1, 0) = std::numeric_limits<double>::quiet_NaN();
  PartsOf<Bilu0, n, Half, double, double> parts(system, 2, share(2));
  parts.factor();
  auto const of_whole = plan_of_whole<Bilu0, n, Half, double, double>(system).status(Exec());
  EXPECT_EQ(parts.plan().status().message(), of_whole.message());
  EXPECT_EQ(of_whole.message(), "not finite at point (2, 3, 3): block top");
}

}  // namespace
}  // namespace hyperplane::test::on_devices
