// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/line_sizes.hpp"

namespace hyperplane::test {
namespace {

template <class Exec>
class BlockTridiagonalSizes1To4 : public ::testing::Test {};
TYPED_TEST_SUITE(BlockTridiagonalSizes1To4, ExecutionSpaces, SpaceNames);

TYPED_TEST(BlockTridiagonalSizes1To4, agree_with_the_reference) { check_four_line_block_sizes<1>(TypeParam()); }

}  // namespace
}  // namespace hyperplane::test
