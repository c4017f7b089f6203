// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "support/plans_on_devices.hpp"

// SSOR of a box over devices: the bits of the whole box on one. Where there are fewer devices than parts, these share
// one. What hangs fails by the time limit of the test.
namespace hyperplane::test::on_devices {
namespace {

TEST(SsorOnDevices, bits_of_the_whole_box) {
  for (auto const& box : {Grid(1, 1, 2), Grid(5, 4, 3), Grid(17, 2, 9), Grid(9, 17, 5), Grid(1, 33, 12), Grid(7, 40, 2),
                          Grid(2, 9, 30), Grid(40, 33, 21)}) {
    expect_bits_of_whole_box<OverRelaxed, 5>(box, 1);
    expect_bits_of_whole_box<OverRelaxed, 5>(box, 2);
    if (box.nk() > 2) expect_bits_of_whole_box<OverRelaxed, 1>(box, 3);
  }
  expect_bits_of_whole_box<OverRelaxed, 5>(Grid(12, 11, 4), 4);
}

TEST(SsorOnDevices, the_same_bits_in_every_run) { expect_bits_of_whole_box<OverRelaxed, 5>(Grid(40, 33, 48), 2, 50); }

TEST(SsorOnDevices, devices_that_start_late) { expect_bits_where_devices_start_late<OverRelaxed>(); }

TEST(SsorOnDevices, failures_are_those_of_the_box) {
  if (!has_capability_90<Exec>()) GTEST_SKIP() << "compute capability below 9.0";
  constexpr int n = 5;
  Grid const box(6, 7, 8);
  auto const regular = random_stencil(box, n);
  PartsOf<OverRelaxed, n> parts(regular, 2, share(2));
  auto const expect_as_whole = [&](Direction direction, const Point& point, double value, bool fails) {
    auto system = regular;
    for (double& entry : system.block(box.index(point), direction).entries) entry = value;
    parts.set(system);
    parts.factor();
    auto const status = parts.plan().status();
    EXPECT_EQ(status.ok(), !fails);
    EXPECT_EQ(status.message(), (plan_of_whole<OverRelaxed, n, double>(system).status(Exec()).message()));
  };
  double const nan = std::numeric_limits<double>::quiet_NaN();
  expect_as_whole(Direction::center, {2, 3, 5}, 0.0, true);
  // Across the cut, and out of the box.
  expect_as_whole(Direction::bottom, {2, 3, 4}, nan, true);
  expect_as_whole(Direction::top, {1, 3, 3}, nan, true);
  expect_as_whole(Direction::top, {1, 3, 7}, nan, false);
}

TEST(SsorOnDevices, what_cannot_be_is_refused) {
  if (!has_capability_90<Exec>()) GTEST_SKIP() << "compute capability below 9.0";
  using Plan = SsorOnDevices<double, 5, Exec>;
  DeviceInstances const instances(1);
  GridOnDevices<Exec> const grid(instances.all(), Grid(4, 4, 4));
  EXPECT_THAT([&] { Plan(grid, {.relaxation = 2.0}); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("SsorPart: relaxation is 2, expected")));
  Exec const exec;
  Plan const plan(grid);
  Plan::Vector const x(exec, grid);
  EXPECT_THAT([&] { plan.solve(exec, x, x); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("SsorOnDevices::solve: called before factor")));
}

}  // namespace
}  // namespace hyperplane::test::on_devices
