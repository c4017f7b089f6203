// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <hyperplane/cuda/requirements.hpp>

// What a device lacks, and how that is said: a pure function, tested without a device.
namespace hyperplane::cuda {
namespace {

constexpr Requirements needed{90, 100};

TEST(Requirements, are_met_by_the_device_and_the_code_together) {
  EXPECT_EQ(lacking(needed, {90, 90, 100}), "");
  EXPECT_EQ(lacking(needed, {120, 100, 4000}), "");
  EXPECT_EQ(lacking({75, 0}, {75, 75, 0}), "");
}

TEST(Requirements, name_the_capability_of_device_and_code) {
  EXPECT_EQ(lacking(needed, {80, 80, 4000}),
            "needs compute capability 9.0: the device has 8.0, and the code was compiled for 8.0");
  EXPECT_EQ(lacking(needed, {90, 80, 4000}),
            "needs compute capability 9.0: the device has 9.0, and the code was compiled for 8.0")
      << "what was compiled for an older device has no more on a newer one";
  EXPECT_EQ(lacking({100, 0}, {120, 89, 4000}),
            "needs compute capability 10.0: the device has 12.0, and the code was compiled for 8.9");
}

TEST(Requirements, name_the_shared_memory) {
  EXPECT_EQ(lacking(needed, {120, 120, 99}), "needs 100 bytes of shared memory for a block: the device has 99");
}

}  // namespace
}  // namespace hyperplane::cuda
