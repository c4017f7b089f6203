// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/line_sizes.hpp"

namespace hyperplane::test {
namespace {

template <class Exec>
class BlockTridiagonalSizes9To12 : public ::testing::Test {};
TYPED_TEST_SUITE(BlockTridiagonalSizes9To12, ExecutionSpaces, SpaceNames);

TYPED_TEST(BlockTridiagonalSizes9To12, agree_with_the_reference) { check_four_line_block_sizes<9>(TypeParam()); }

}  // namespace
}  // namespace hyperplane::test
