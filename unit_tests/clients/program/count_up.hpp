// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/stencil/block_vector.hpp>

using Exec = Kokkos::DefaultHostExecutionSpace;
using Vector = hyperplane::BlockVector<double, 2, Exec>;

/// Sets the unknowns to 0, 1, 2, ...
void count_up(const Vector& vector);

inline double expected(const hyperplane::Grid& grid, const hyperplane::Point& p, int c) {
  return static_cast<double>(2 * grid.index(p) + c);
}

inline int wrong_values(const Vector& vector) {
  int wrong = 0;
  for (std::int64_t number = 0; number < vector.grid().size(); ++number) {
    auto const p = vector.grid().point(number);
    for (int c = 0; c < 2; ++c) wrong += vector.ref()(p, c) == expected(vector.grid(), p, c) ? 0 : 1;
  }
  return wrong;
}
