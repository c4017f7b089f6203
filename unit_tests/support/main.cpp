// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>
#include <hyperplane/core/launch.hpp>

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  Kokkos::ScopeGuard const kokkos(argc, argv);
  // Teams of threads for the small grids of tests too; test_threads compares with what one thread computes alone.
  hyperplane::detail::least_team_bytes = 0;
  return RUN_ALL_TESTS();
}
