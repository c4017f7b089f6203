// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "support/plans_on_devices.hpp"

namespace hyperplane::test::on_devices {
namespace {

TEST(BlockIlu0OnDevices, block_sizes) {
  Grid const box(11, 13, 19);
  expect_bits_of_whole_box<Bilu0, 2>(box, 2);
  expect_bits_of_whole_box<Bilu0, 4>(box, 3);
  expect_bits_of_whole_box<Bilu0, 6>(box, 2);
}

}  // namespace
}  // namespace hyperplane::test::on_devices
