// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hyperplane/core/dispatch.hpp>

namespace hyperplane {
namespace {

TEST(Dispatch, reaches_every_block_size) {
  for (int n = 1; n <= max_block_size; ++n) {
    EXPECT_EQ(dispatch_block_size(n, [](auto size) { return size.value * 10; }), n * 10);
  }
}

TEST(Dispatch, refuses_other_sizes_by_name) {
  for (int n : {-3, 0, max_block_size + 1}) {
    try {
      dispatch_block_size(n, [](auto) {});
      FAIL() << n;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("block size " + std::to_string(n)));
    }
  }
}

}  // namespace
}  // namespace hyperplane
