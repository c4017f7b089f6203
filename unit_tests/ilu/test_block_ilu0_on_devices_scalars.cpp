// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "support/plans_on_devices.hpp"

// One unknown for each point: on one device the sweeps are recursions over points, over devices those of blocks.
namespace hyperplane::test::on_devices {
namespace {

TEST(BlockIlu0OnDevices, one_unknown) {
  for (auto const& box : {Grid(1, 1, 2), Grid(17, 2, 9), Grid(9, 17, 5), Grid(1, 33, 12), Grid(40, 33, 21)}) {
    expect_bits_of_whole_box<Bilu0, 1>(box, 2);
  }
  expect_bits_of_whole_box<Bilu0, 1>(Grid(31, 70, 37), 3);
  expect_bits_of_whole_box<Bilu0, 1, float>(Grid(11, 13, 19), 2);
}

}  // namespace
}  // namespace hyperplane::test::on_devices
