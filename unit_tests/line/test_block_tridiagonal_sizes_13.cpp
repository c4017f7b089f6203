// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <hyperplane/core/dispatch.hpp>

#include "support/execution_spaces.hpp"
#include "support/line_sizes.hpp"

namespace hyperplane::test {
namespace {

template <class Exec>
class BlockTridiagonalSizes13To16 : public ::testing::Test {};
TYPED_TEST_SUITE(BlockTridiagonalSizes13To16, ExecutionSpaces, SpaceNames);

static_assert(max_block_size == 16, "there is a file for every four sizes");
TYPED_TEST(BlockTridiagonalSizes13To16, agree_with_the_reference) { check_four_line_block_sizes<13>(TypeParam()); }

}  // namespace
}  // namespace hyperplane::test
