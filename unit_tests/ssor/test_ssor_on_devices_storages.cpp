// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/core/half.hpp>

#include "support/plans_on_devices.hpp"

namespace hyperplane::test::on_devices {
namespace {

TEST(SsorOnDevices, storages) {
  Grid const box(11, 13, 19);
  expect_bits_of_whole_box<OverRelaxed, 4, float, double, double>(box, 2);
  expect_bits_of_whole_box<OverRelaxed, 3, float, float>(box, 3);
  expect_bits_of_whole_box<OverRelaxed, 5, Half, double, double>(box, 3);
}

}  // namespace
}  // namespace hyperplane::test::on_devices
