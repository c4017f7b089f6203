// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstddef>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/csr/point_vectors.hpp>
#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <hyperplane/ilu/block_iluk_csr.hpp>
#include <hyperplane/ilu/block_ilut_csr.hpp>
#include <hyperplane/ilu/block_jacobi_csr.hpp>
#include <string>
#include <vector>

#include "support/csr_ilu_plan.hpp"
#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/several_vectors.hpp"
#include "support/short_factors.hpp"

// Factors of block CSR in 16 bits.
namespace hyperplane::test::csr_short {
namespace {

template <class Exec>
class CsrShort : public ::testing::Test {};
TYPED_TEST_SUITE(CsrShort, ExecutionSpaces, SpaceNames);

template <int n, class Storage, class Exec, class Scalar = double>
using Ilu0 = BlockIlu0Csr<Scalar, n, Exec, Storage>;
template <int n, class Storage, class Exec>
using Iluk = BlockIlukCsr<double, n, Exec, Storage>;
template <int n, class Storage, class Exec>
using Jacobi = BlockJacobiCsr<double, n, Exec, Storage>;
template <int n, class Storage, class Exec>
using Ilut = BlockIlutCsr<double, n, Exec, Storage>;

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
    for (auto const path : csr_paths_of<typename Plan::execution_space>()) {
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

template <class Plan, class PlanOfDouble>
void compare(const typename Plan::execution_space& exec, const typename Plan::Options& given, int most_rows = 150) {
  constexpr int n = Plan::block_size;
  for (int const rows : {1, 2, most_rows}) {
    SCOPED_TRACE(std::to_string(rows) + " rows");
    auto const reference = random_csr(rows, n);
    auto const scaled = in_other_units(reference);
    auto const b = random_vector(rows * n);
    for_options<Plan>(given, [&](const typename Plan::Options& options) {
      auto const expected = factor_and_solve<PlanOfDouble>(exec, reference, b, options, false);
      auto const expected_transposed = factor_and_solve<PlanOfDouble>(exec, reference, b, options, true);
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

TYPED_TEST(CsrShort, are_those_of_double_to_rounding_in_all_units) {
  TypeParam const exec;
  compare<Ilu0<1, Half, TypeParam>, Ilu0<1, double, TypeParam>>(exec, {});
  compare<Ilu0<5, Half, TypeParam>, Ilu0<5, double, TypeParam>>(exec, {});
  compare<Ilu0<5, BFloat16, TypeParam>, Ilu0<5, double, TypeParam>>(exec, {});
  compare<Ilu0<4, Half, TypeParam, float>, Ilu0<4, double, TypeParam>>(exec, {});
  compare<Iluk<3, Half, TypeParam>, Iluk<3, double, TypeParam>>(exec, {.fill = 2}, 40);
  compare<Jacobi<5, Half, TypeParam>, Jacobi<5, double, TypeParam>>(exec, {.relaxation = 0.7});
  compare<Jacobi<1, BFloat16, TypeParam>, Jacobi<1, double, TypeParam>>(exec, {});
  BlockIlutCsrOptions const all{.drop_tolerance = 0.0, .row_entries = 20};
  compare<Ilut<1, Half, TypeParam>, Ilut<1, double, TypeParam>>(exec, all, 20);
  compare<Ilut<5, Half, TypeParam>, Ilut<5, double, TypeParam>>(exec, all, 20);
  compare<Ilut<2, BFloat16, TypeParam>, Ilut<2, double, TypeParam>>(exec, all, 20);
}

TYPED_TEST(CsrShort, have_the_blocks_of_double) {
  // Which are dropped is a matter of the units of A.
  TypeParam const exec;
  constexpr int n = 3;
  auto const scaled = in_other_units(random_csr(60, n));
  auto const a = to_device<double, n, double>(exec, scaled);
  BlockIlutCsrOptions const options{.drop_tolerance = 1e-2, .row_entries = 3};
  Ilut<n, double, TypeParam> of_double(exec, a, options);
  Ilut<n, Half, TypeParam> of_half(exec, a, options);
  auto const b = times_equations(random_vector(60 * n), n);
  auto const expected = over_unknowns(solve_csr_with<double>(exec, of_double, a, b), n);
  EXPECT_TRUE(
      near(over_unknowns(solve_csr_with<double>(exec, of_half, a, b), n), expected, 10 * n * unit_roundoff<Half>));
  EXPECT_EQ(of_half.blocks(), of_double.blocks());
}

TYPED_TEST(CsrShort, do_not_depend_on_rows_that_are_much_larger) {
  TypeParam const exec;
  constexpr int n = 4;
  auto reference = in_other_units(random_csr(90, n));
  auto b = random_vector(90 * n);
  for (int row = 0; row < 90; row += 7) {
    for (int r = 0; r < n; ++r) {
      reference.blocks[block_at(reference, row, row)](r, r) = 1e25;
      b[static_cast<std::size_t>(row * n + r)] *= 1e25;
    }
  }
  for_options<Ilu0<n, Half, TypeParam>>({}, [&](const BlockIlu0CsrOptions& options) {
    auto const expected = factor_and_solve<Ilu0<n, double, TypeParam>>(exec, reference, b, options, false);
    auto const found = factor_and_solve<Ilu0<n, Half, TypeParam>>(exec, reference, b, options, false);
    EXPECT_TRUE(near(over_unknowns(found, n), over_unknowns(expected, n), 10 * n * unit_roundoff<Half>));
  });
}

TYPED_TEST(CsrShort, take_several_vectors_as_single_ones_and_halves_as_a_solve) {
  TypeParam const exec;
  constexpr int n = 3, count = 5;
  auto const reference = in_other_units(random_csr(40, n));
  auto const a = to_device<double, n, double>(exec, reference);
  for_options<Iluk<n, Half, TypeParam>>({.fill = 1, .transposed = true}, [&](const BlockIlukCsrOptions& options) {
    Iluk<n, Half, TypeParam> plan(exec, a, options);
    plan.factor(exec, a);
    compare_with_single<double, n, count>(
        exec, a.rows(), "solve", [&](const auto& x) { plan.solve(exec, x, x); },
        [&](const auto& x) { plan.solve(exec, x, x); });
    compare_with_single<double, n, count>(
        exec, a.rows(), "solve_transposed", [&](const auto& x) { plan.solve_transposed(exec, x, x); },
        [&](const auto& x) { plan.solve_transposed(exec, x, x); });
    compare_halves(exec, plan, a);
    compare_transposed_halves(exec, plan, a);
  });
}

template <class Plan>
void expect_overflow(const typename Plan::execution_space& exec, const ReferenceCsr& reference, int row,
                     typename Plan::Options options = {}) {
  for (auto const path : csr_paths_of<typename Plan::execution_space>()) {
    options.path = path;
    auto const a = to_device<double, Plan::block_size, double>(exec, reference);
    Plan plan(exec, a, options);
    plan.factor(exec, a);
    auto const status = plan.status(exec);
    EXPECT_EQ(status.failure, FactorFailure::overflow) << status.message();
    EXPECT_EQ(status.row, row);
  }
}

TYPED_TEST(CsrShort, that_are_too_large_are_a_status) {
  TypeParam const exec;
  constexpr int n = 2, row = 11;
  for (int const column : {row - 1, row + 1}) {
    SCOPED_TRACE(std::to_string(column));
    auto reference = random_csr(30, n);
    // What the neighbour has for the point is nothing, so that no pivot block is large.
    reference.blocks[block_at(reference, column, row)] = DenseMatrix(n);
    auto& entry = reference.blocks[block_at(reference, row, column)](1, 0);
    entry = 1e7;
    expect_overflow<Ilu0<n, Half, TypeParam>>(exec, reference, row);
    expect_overflow<Ilut<n, Half, TypeParam>>(exec, reference, row);
    auto const b = random_vector(30 * n);
    auto const of_range = factor_and_solve<Ilu0<n, BFloat16, TypeParam>>(exec, reference, b, {}, false);
    EXPECT_EQ(of_range.size(), b.size());
    entry = 1e40;
    expect_overflow<Ilu0<n, BFloat16, TypeParam>>(exec, reference, row);
  }
}

TYPED_TEST(CsrShort, have_pivots_replaced_in_the_units_of_the_matrix) {
  TypeParam const exec;
  constexpr int n = 3;
  auto reference = in_other_units(random_csr(30, n));
  reference.blocks[block_at(reference, 0, 0)] = DenseMatrix(n);
  auto const a = to_device<double, n, double>(exec, reference);
  auto const b = times_equations(random_vector(30 * n), n);
  for_options<Ilu0<n, Half, TypeParam>>({.pivot_shift = 0.5}, [&](const BlockIlu0CsrOptions& options) {
    Ilu0<n, double, TypeParam> of_double(exec, a, options);
    Ilu0<n, Half, TypeParam> of_half(exec, a, options);
    auto const expected = solve_csr_with<double>(exec, of_double, a, b);
    auto const found = solve_csr_with<double>(exec, of_half, a, b);
    // M of a matrix with such pivots magnifies what rounding gives.
    EXPECT_TRUE(near(over_unknowns(found, n), over_unknowns(expected, n), 200 * n * unit_roundoff<Half>));
    EXPECT_EQ(of_half.status(exec).replaced, of_double.status(exec).replaced);
    if (options.order == RowOrder::natural) {
      EXPECT_EQ(of_half.status(exec).first_replaced, 0);
    }
  });
}

TYPED_TEST(CsrShort, are_computed_with_in_full_precision) {
  TypeParam const exec;
  constexpr int n = 3;
  ReferenceCsr reference(n);
  for (int row = 0; row < 20; ++row) {
    DenseMatrix block(n);
    for (int r = 0; r < n; ++r) block(r, r) = 0.5;
    reference.add(row, block);
    reference.end_row();
  }
  auto const b = random_vector(20 * n);
  auto expected = b;
  for (auto& value : expected) value *= 2.0;
  for (bool const transposed : {false, true}) {
    EXPECT_TRUE(
        bitwise_equal(factor_and_solve<Ilu0<n, Half, TypeParam>>(exec, reference, b, {}, transposed), expected));
    EXPECT_TRUE(
        bitwise_equal(factor_and_solve<Ilut<n, BFloat16, TypeParam>>(exec, reference, b, {}, transposed), expected));
  }
}

}  // namespace
}  // namespace hyperplane::test::csr_short
