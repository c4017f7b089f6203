// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>
#include <hyperplane.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/matchers.hpp"

namespace hyperplane::test {

inline std::vector<double> column_of(const std::vector<double>& all, std::int64_t rows, int v) {
  return {all.begin() + v * rows, all.begin() + (v + 1) * rows};
}

/// Solves for columns b from a guess on, of which `together` are solved for at a time. Each has the outcome, the
/// solution and the iterations that it has alone, where a last one is left its bits, and where it has converged solves
/// its system: apply(x) is the product.
template <class Apply>
std::vector<hyperplane_krylov_result> columns_as_alone(hyperplane_krylov krylov, hyperplane_matrix a,
                                                       hyperplane_preconditioner m, const std::vector<double>& b,
                                                       const std::vector<double>& guess, int columns, int together,
                                                       double tolerance, const Apply& apply) {
  auto x = guess;
  auto const count = static_cast<std::int64_t>(x.size()), rows = count / columns;
  std::vector<hyperplane_krylov_result> results(static_cast<std::size_t>(columns));
  EXPECT_EQ(hyperplane_krylov_solve_columns(krylov, a, m, columns, b.data(), x.data(), count, HYPERPLANE_HOST,
                                            results.data()),
            HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  for (int v = 0; v < columns; ++v) {
    auto const rhs = column_of(b, rows, v);
    auto alone = column_of(guess, rows, v);
    hyperplane_krylov_result expected;
    EXPECT_EQ(hyperplane_krylov_solve_array(krylov, a, m, rhs.data(), alone.data(), rows, HYPERPLANE_HOST, &expected),
              HYPERPLANE_SUCCESS);
    auto const& found = results[static_cast<std::size_t>(v)];
    EXPECT_DOUBLE_EQ(found.rhs_norm, expected.rhs_norm) << v;
    if (expected.outcome != HYPERPLANE_CONVERGED && expected.iterations > 5) {
      // Rounding decides how one ends that goes on with what has no solution, and what x is then.
      EXPECT_NE(found.outcome, HYPERPLANE_CONVERGED) << v;
      continue;
    }
    EXPECT_EQ(found.outcome, expected.outcome) << v;
    EXPECT_EQ(found.breakdown, expected.breakdown) << v;
    if (v == columns - 1 && columns % together == 1) {
      EXPECT_EQ(found.iterations, expected.iterations) << v;
      EXPECT_EQ(found.residual_norm, expected.residual_norm) << v;
      EXPECT_TRUE(bitwise_equal(column_of(x, rows, v), alone)) << v;
    } else {
      // Rounding decides on more of them the more iterations there are.
      EXPECT_NEAR(found.iterations, expected.iterations, std::max(1, expected.iterations / 3)) << v;
      EXPECT_TRUE(near(column_of(x, rows, v), alone, tolerance)) << v;
    }
    if (found.outcome == HYPERPLANE_CONVERGED) {
      EXPECT_TRUE(near(apply(column_of(x, rows, v)), rhs, tolerance)) << v;
    }
  }
  return results;
}

/// The same of columns that all converge.
template <class Apply>
void expect_columns_as_alone(hyperplane_krylov krylov, hyperplane_matrix a, hyperplane_preconditioner m,
                             const std::vector<double>& b, const std::vector<double>& guess, int columns, int together,
                             double tolerance, const Apply& apply) {
  for (auto const& found : columns_as_alone(krylov, a, m, b, guess, columns, together, tolerance, apply)) {
    EXPECT_EQ(found.outcome, HYPERPLANE_CONVERGED);
  }
}

}  // namespace hyperplane::test
