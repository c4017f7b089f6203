// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "block_ilu0_on_devices.hpp"

// BILU(0) of a box over devices: the bits of the whole box on one. Where there are fewer devices than parts, these
// share one. What hangs fails by the time limit of the test.
namespace hyperplane::test::on_devices {
namespace {

TEST(BlockIlu0OnDevices, bits_of_the_whole_box) {
  for (auto const& box : {Grid(1, 1, 2), Grid(5, 4, 3), Grid(17, 2, 9), Grid(9, 17, 5), Grid(1, 33, 12), Grid(7, 40, 2),
                          Grid(2, 9, 30), Grid(40, 33, 21), Grid(3, 5, 70), Grid(31, 70, 37)}) {
    expect_bits_of_whole<5>(box, 1);
    expect_bits_of_whole<5>(box, 2);
    if (box.nk() > 2) expect_bits_of_whole<3, float>(box, 3);
  }
}

TEST(BlockIlu0OnDevices, parts_of_one_layer) { expect_bits_of_whole<5>(Grid(12, 11, 4), 4); }

TEST(BlockIlu0OnDevices, the_same_bits_in_every_run) { expect_bits_of_whole<5>(Grid(40, 33, 48), 2, 50); }

TEST(BlockIlu0OnDevices, another_matrix) {
  if (!has_capability_90<Exec>()) GTEST_SKIP() << "compute capability below 9.0";
  constexpr int n = 5;
  Grid const box(9, 17, 14);
  auto const first = random_stencil(box, n);
  auto second = first;
  for (auto& blocks : second.blocks) {
    for (auto& block : blocks) {
      for (double& entry : block.entries) entry *= 4.0;
    }
  }
  auto const rhs = random_vector(first.rows());
  Parts<n> parts(first, 2, share(2));
  for (auto const* const system : std::vector<const ReferenceStencil*>{&first, &second, &first}) {
    parts.set(*system);
    parts.factor();
    auto const x = parts.to_parts(rhs);
    parts.plan().solve(x, x);
    EXPECT_TRUE(bitwise_equal(parts.from_parts(x), whole<n, double>(*system, rhs)));
  }
}

/// A device that starts late: others wait in their kernels.
struct Occupy {
  long long m_cycles;
  KOKKOS_FUNCTION void operator()(int) const {
    KOKKOS_IF_ON_DEVICE((long long const start = clock64(); while (clock64() - start < m_cycles){}))
  }
};

TEST(BlockIlu0OnDevices, devices_that_start_late) {
  if (!has_capability_90<Exec>()) GTEST_SKIP() << "compute capability below 9.0";
  constexpr int n = 5;
  auto const system = random_stencil(Grid(19, 33, 27), n);
  auto const rhs = random_vector(system.rows());
  auto const expected = whole<n, double>(system, rhs);
  Parts<n> parts(system, 2, share(2));
  for (int const late : {0, 1}) {
    auto const x = parts.to_parts(rhs);
    Kokkos::parallel_for("Occupy", Kokkos::RangePolicy<Exec>(parts.exec(late), 0, 64), Occupy{100'000'000});
    parts.factor();
    parts.plan().solve(x, x);
    EXPECT_TRUE(bitwise_equal(parts.from_parts(x), expected)) << "part " << late << " is late";
  }
}

TEST(BlockIlu0OnDevices, status_has_the_point_of_the_box) {
  if (!has_capability_90<Exec>()) GTEST_SKIP() << "compute capability below 9.0";
  constexpr int n = 5;
  Grid const box(6, 7, 8);
  // In the first layer of the upper part: the pivot block is zero with what the lower part has left.
  auto system = random_stencil(box, n);
  Point const p{2, 3, 4};
  auto& center = system.block(box.index(p), Direction::center);
  std::ranges::fill(center.entries, std::numeric_limits<double>::quiet_NaN());
  Parts<n> parts(system, 2, share(2));
  parts.factor();
  auto const status = parts.plan().status();
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.point, p);
  EXPECT_THAT(status.message(), ::testing::HasSubstr("(2, 3, 4)"));
  parts.set(random_stencil(box, n));
  parts.factor();
  EXPECT_TRUE(parts.plan().status().ok());
}

TEST(BlockIlu0OnDevices, what_cannot_be_is_refused) {
  if (!has_capability_90<Exec>()) GTEST_SKIP() << "compute capability below 9.0";
  using Plan = BlockIlu0OnDevices<double, 5, Exec>;
  DeviceInstances const three(3);
  EXPECT_THAT([&] { Plan(three.all(), Grid(4, 4, 2), {.multiprocessors = 8}); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("3 parts of 2 layers")));
  EXPECT_THAT([&] { Plan({}, Grid(4, 4, 2)); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("no execution space instance")));
  std::vector<Exec> const sharing{three.all()[0], three.all()[0]};
  EXPECT_THAT([&] { Plan(sharing, Grid(4, 4, 4)); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("leave multiprocessors for each")));
  Plan const plan({three.all()[0]}, Grid(4, 4, 4));
  BlockVector<double, 5, Exec> const x(three.all()[0], Grid(4, 4, 4));
  EXPECT_THAT([&] { plan.solve(std::span(&x, 1), std::span(&x, 1)); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("called before factor")));
  EXPECT_THAT([&] { plan.solve({}, {}); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("0 parts are given, there are 1")));
}

}  // namespace
}  // namespace hyperplane::test::on_devices
