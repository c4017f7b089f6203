// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <hyperplane/csr/csr_path.hpp>
#include <hyperplane/csr/point_vectors.hpp>
#include <hyperplane/csr/row_order.hpp>
#include <string>
#include <vector>

#include "support/csr_ilu_plan.hpp"
#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/several_vectors.hpp"
#include "support/short_factors.hpp"

// Factors of block CSR in 16 or 8 bits.
namespace hyperplane::test::csr_short {

/// x = M^-1 b, or M^-T b.
template <class Plan>
std::vector<double> factor_and_solve(const typename Plan::execution_space& exec, const ReferenceCsr& reference,
                                     const std::vector<double>& b, typename Plan::Options options, bool transposed) {
  using Scalar = typename Plan::scalar_type;
  if constexpr (requires { options.transposed; }) options.transposed = true;
  auto const a = to_device<Scalar, Plan::block_size, Scalar>(exec, reference);
  Plan plan(exec, a, options);
  plan.factor(exec, a);
  auto const x = to_view<Scalar>(exec, b);
  if (transposed) {
    plan.solve_transposed(exec, x, x);
  } else {
    plan.solve(exec, x, x);
  }
  EXPECT_TRUE(plan.status(exec).ok()) << plan.status(exec).message();
  return to_host(x);
}

template <class Plan>
constexpr double tolerance = 10 * Plan::block_size * unit_roundoff<typename Plan::storage_type>;

/// visit(options) with each path and two orders, where plans have them.
template <class Plan, class Visit>
void for_options(typename Plan::Options options, const Visit& visit) {
  if constexpr (requires { options.path; }) {
    for (auto const path : csr_paths_of_plan<Plan>()) {
      for (auto const order : {RowOrder::natural, RowOrder::rcm}) {
        options.path = path;
        options.order = order;
        SCOPED_TRACE("path " + std::to_string(static_cast<int>(path)) + ", order " + name(order));
        visit(options);
      }
    }
  } else {
    visit(options);
  }
}

/// Those that a plan of double can have: its path is its own choice.
template <class PlanOfDouble>
typename PlanOfDouble::Options of_double(typename PlanOfDouble::Options options) {
  if constexpr (requires { options.path; }) options.path = CsrPath::automatic;
  return options;
}

template <class Plan, class PlanOfDouble>
void compare(const typename Plan::execution_space& exec, const typename Plan::Options& given, int most_rows = 150) {
  constexpr int n = Plan::block_size;
  for (int const rows : {1, 2, most_rows}) {
    SCOPED_TRACE(std::to_string(rows) + " rows");
    auto const reference = random_csr(rows, n);
    auto const scaled = in_other_units(reference);
    auto const b = random_vector(rows * n);
    for_options<Plan>(given, [&](const typename Plan::Options& options) {
      auto const expected = factor_and_solve<PlanOfDouble>(exec, reference, b, of_double<PlanOfDouble>(options), false);
      auto const expected_transposed =
          factor_and_solve<PlanOfDouble>(exec, reference, b, of_double<PlanOfDouble>(options), true);
      EXPECT_TRUE(near(factor_and_solve<Plan>(exec, reference, b, options, false), expected, tolerance<Plan>));
      EXPECT_TRUE(
          near(factor_and_solve<Plan>(exec, reference, b, options, true), expected_transposed, tolerance<Plan>));
      if (sizeof(typename Plan::scalar_type) < sizeof(double)) return;
      // Of units.
      auto const x = factor_and_solve<Plan>(exec, scaled, times_equations(b, n), options, false);
      EXPECT_TRUE(near(over_unknowns(x, n), expected, tolerance<Plan>));
      auto const y = factor_and_solve<Plan>(exec, scaled, over_unknowns(b, n), options, true);
      EXPECT_TRUE(near(times_equations(y, n), expected_transposed, tolerance<Plan>));
    });
  }
}

template <class Plan>
void expect_single_vectors_and_halves(const typename Plan::execution_space& exec, const typename Plan::Options& given) {
  constexpr int n = Plan::block_size, count = 5;
  auto const reference = in_other_units(random_csr(40, n));
  auto const a = to_device<double, n, double>(exec, reference);
  for_options<Plan>(given, [&](const typename Plan::Options& options) {
    Plan plan(exec, a, options);
    plan.factor(exec, a);
    compare_solves_with_single<count>(exec, plan, a.rows());
    compare_halves(exec, plan, a);
    compare_transposed_halves(exec, plan, a);
  });
}

template <class Plan>
void expect_overflow(const typename Plan::execution_space& exec, const ReferenceCsr& reference, int row,
                     typename Plan::Options options = {}) {
  for (auto const path : csr_paths_of_plan<Plan>()) {
    options.path = path;
    auto const a = to_device<double, Plan::block_size, double>(exec, reference);
    Plan plan(exec, a, options);
    plan.factor(exec, a);
    auto const status = plan.status(exec);
    EXPECT_EQ(status.failure, FactorFailure::overflow) << status.message();
    EXPECT_EQ(status.row, row);
  }
}

/// check(system, entry, row) for systems with an entry before or behind the diagonal block of a row that may be made
/// too large.
template <int n, class Check>
void for_entries_of_row(const Check& check) {
  constexpr int row = 11;
  for (int const column : {row - 1, row + 1}) {
    SCOPED_TRACE(std::to_string(column));
    auto reference = random_csr(30, n);
    // What the neighbour has for the point is nothing, so that no pivot block is large.
    reference.blocks[block_at(reference, column, row)] = DenseMatrix(n);
    check(reference, reference.blocks[block_at(reference, row, column)](1, 0), row);
  }
}

}  // namespace hyperplane::test::csr_short
