// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <vector>

#include "matchers.hpp"

namespace hyperplane::test {

#ifdef KOKKOS_ENABLE_OPENMP
/// solve_on(exec) has the same bits on one to four threads.
template <class SolveOn>
void expect_same_bits_on_threads(const SolveOn& solve_on) {
  std::vector<double> expected;
  for (int const threads : {1, 2, 3, 4}) {
    auto const x = solve_on(Kokkos::OpenMP(threads));
    if (threads == 1) expected = x;
    EXPECT_TRUE(bitwise_equal(x, expected)) << threads << " threads";
  }
}
#endif

}  // namespace hyperplane::test
