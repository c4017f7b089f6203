// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/line_sizes.hpp"

namespace hyperplane::test {
namespace {

template <class Exec>
class BlockTridiagonalSizes5To8 : public ::testing::Test {};
TYPED_TEST_SUITE(BlockTridiagonalSizes5To8, ExecutionSpaces, SpaceNames);

TYPED_TEST(BlockTridiagonalSizes5To8, agree_with_the_reference) { check_four_line_block_sizes<5>(TypeParam()); }

}  // namespace
}  // namespace hyperplane::test
