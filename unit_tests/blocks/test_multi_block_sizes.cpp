// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/core/dispatch.hpp>
#include <utility>

#include "coupling_reference.hpp"
#include "support/execution_spaces.hpp"

// Every coupling at every block size, on the host, and at some over parts: a program of its own, which is compiled
// beside the others.
namespace hyperplane::test {
namespace {

template <class Exec>
class MultiBlockSizes : public ::testing::Test {};
TYPED_TEST_SUITE(MultiBlockSizes, ExecutionSpaces, SpaceNames);

/// Parts with full SIMD groups and with others, and of odd extents.
CutGrid parts() { return cut_grid(Grid(5, 19, 2), {2, 2, 1}); }

TEST(MultiBlockSizesOnHost, every_coupling_agrees_with_reference) {
  auto const cut = parts();
  [&]<int... n>(std::integer_sequence<int, n...>) {
    (expect_couplings_of_size<n + 1, Kokkos::DefaultHostExecutionSpace, OnOneDevice>(cut), ...);
  }(std::make_integer_sequence<int, max_block_size>{});
}

TYPED_TEST(MultiBlockSizes, every_coupling_over_devices_agrees_with_reference) {
  auto const cut = parts();
  expect_couplings_of_size<1, TypeParam, OnDevices>(cut);
  expect_couplings_of_size<3, TypeParam, OnDevices>(cut);
  expect_couplings_of_size<16, TypeParam, OnDevices>(cut);
}

}  // namespace
}  // namespace hyperplane::test
