// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <vector>

#include "support/dense_matrix.hpp"
#include "support/transfer.hpp"

namespace hyperplane::test {

/// M of a preconditioner in double, from its solves of all unit vectors.
template <class Plan>
DenseMatrix matrix_of_solves(const typename Plan::execution_space& exec, const Plan& plan) {
  DenseMatrix columns(static_cast<int>(plan.grid().size() * Plan::block_size));
  for (int c = 0; c < columns.n; ++c) {
    std::vector<double> unit(static_cast<std::size_t>(columns.n), 0.0);
    unit[static_cast<std::size_t>(c)] = 1.0;
    auto const x = to_device<double, Plan::block_size>(exec, plan.grid(), unit);
    plan.solve(exec, x, x);
    auto const column = to_host(exec, x);
    for (int r = 0; r < columns.n; ++r) columns(r, c) = column[static_cast<std::size_t>(r)];
  }
  return inverse(columns);
}

}  // namespace hyperplane::test
