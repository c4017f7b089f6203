// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "support/plans_on_devices.hpp"

namespace hyperplane::test::on_devices {
namespace {

TEST(BlockIlu0OnDevices, scalars_and_storages) {
  Grid const box(11, 13, 19);
  expect_bits_of_whole_box<Bilu0, 5, float, float>(box, 2);
  expect_bits_of_whole_box<Bilu0, 3, float, float>(box, 3);
  expect_bits_of_whole_box<Bilu0, 5, float, double, double>(box, 2);
  expect_bits_of_whole_box<Bilu0, 5, double, double, float>(box, 2);
}

}  // namespace
}  // namespace hyperplane::test::on_devices
