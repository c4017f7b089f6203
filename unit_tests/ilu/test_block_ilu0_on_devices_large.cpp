// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "support/plans_on_devices.hpp"

namespace hyperplane::test::on_devices {
namespace {

TEST(BlockIlu0OnDevices, large_blocks) {
  Grid const box(11, 13, 19);
  expect_bits_of_whole_box<Bilu0, 7, float>(box, 2);
  expect_bits_of_whole_box<Bilu0, 12>(box, 2);
  expect_bits_of_whole_box<Bilu0, 16>(box, 2);
}

}  // namespace
}  // namespace hyperplane::test::on_devices
