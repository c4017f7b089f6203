// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <hyperplane/line/line_layout_ref.hpp>

#include "random_system.hpp"

namespace hyperplane::test {

/// Block tridiagonal systems with random entries in [-1, 1), to whose diagonal 3 n is added.
struct RandomLines {
  int n;
  unsigned seed = 1;

  KOKKOS_FUNCTION double coefficient(std::int64_t point, LineBlock block, int r, int c) const {
    double const value = random_value(seed, ((point * line_blocks + static_cast<int>(block)) * n + r) * n + c);
    return block == LineBlock::diagonal && r == c ? value + 3.0 * n : value;
  }
  KOKKOS_FUNCTION double rhs(std::int64_t point, int c) const { return random_value(seed + 1, point * n + c); }
};

}  // namespace hyperplane::test
