// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <hyperplane/stencil/mask_points_on_devices_cuda.hpp>
#include <limits>
#include <string>

#include "support/masks.hpp"
#include "support/matchers.hpp"
#include "support/on_devices.hpp"

// What masks of the box leave of matrices and vectors over devices.
namespace hyperplane::test::on_devices {
namespace {

template <int n>
void expect_masked(const Grid& box, int count) {
  auto const reference = random_stencil(box, n);
  auto const values = random_vector(box.size() * n);
  DeviceInstances const instances(count);
  GridOnDevices<Exec> const grid(instances.all(), box);
  Exec const exec;
  double const nonsense = std::numeric_limits<double>::quiet_NaN();
  for (auto const& [what, mask] : masks_of(box)) {
    SCOPED_TRACE(to_string(grid) + ", n = " + std::to_string(n) + ", masked: " + what);
    auto const points = to_view<std::int8_t>(exec, mask);
    auto const a = to_devices<n>(exec, grid, with_nonsense(reference, mask));
    auto const x = to_devices<n>(exec, grid, with_value(values, mask, nonsense));
    mask_points(exec, points, a);
    mask_points(exec, points, x);
    exec.fence();
    auto const expected = to_devices<n>(exec, grid, without_masked(reference, mask));
    auto const zeroed = to_devices<n>(exec, grid, with_value(values, mask, 0.0));
    for (int p = 0; p < count; ++p) {
      EXPECT_TRUE(bitwise_equal(to_host(a.part(p).flat()), to_host(expected.part(p).flat()))) << "part " << p;
      EXPECT_TRUE(bitwise_equal(to_host(x.part(p).flat()), to_host(zeroed.part(p).flat()))) << "part " << p;
    }
  }
}

TEST(MaskPointsOnDevices, leaves_unit_rows_and_zeros_and_all_other_bits) {
  for (auto const& box : {Grid(5, 4, 3), Grid(17, 2, 5), Grid(9, 17, 2), Grid(1, 7, 6)}) {
    expect_masked<1>(box, 2);
    expect_masked<3>(box, 2);
  }
  expect_masked<2>(Grid(8, 9, 4), 4);
}

TEST(MaskPointsOnDevices, a_mask_of_another_size_is_refused) {
  DeviceInstances const instances(2);
  GridOnDevices<Exec> const grid(instances.all(), Grid(4, 4, 4));
  Exec const exec;
  BlockStencil7OnDevices<double, 1, Exec> const a(exec, grid);
  PointMask<Exec> const mask = to_view<std::int8_t>(exec, Mask(63, 1));
  EXPECT_THAT([&] { mask_points(exec, mask, a); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("the mask has 63 values, expected 64")));
}

}  // namespace
}  // namespace hyperplane::test::on_devices
