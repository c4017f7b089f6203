// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <hyperplane/ilu/block_iluk_csr.hpp>
#include <hyperplane/ilu/block_ilut_csr.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "support/csr_ilu_plan.hpp"
#include "support/csr_ilu_reference.hpp"
#include "support/csr_ilut_reference.hpp"
#include "support/csr_reference.hpp"
#include "support/csr_zero_pivots.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/serial_reference.hpp"

// Pivots of BILU(0), BILU(k) and ILUT that cannot be inverted, and are replaced where that is asked for.
namespace hyperplane::test {
namespace {

template <class Exec>
class CsrPivotShiftTest : public ::testing::Test {};
TYPED_TEST_SUITE(CsrPivotShiftTest, ExecutionSpaces, SpaceNames);

/// M x = b with the pivots of three rows replaced, in the order of numbers and backwards, beside the textbook on the
/// matrix that needs none replaced.
template <class Plan>
void compare(const typename Plan::execution_space& exec, typename Plan::Options options, int fill) {
  constexpr int n = Plan::block_size;
  std::vector<int> const rows{4, 11, 23};
  auto const b = random_vector(mesh_rows * n);
  for (bool const backwards : {false, true}) {
    auto order = natural_order(mesh_rows);
    if (backwards) std::ranges::reverse(order);
    options.order = backwards ? RowOrder::given : RowOrder::natural;
    options.given_order = backwards ? order : std::vector<int>();
    auto const reference = with_zero_pivots(n, rows, order);
    auto const a = to_device<double, n, double>(exec, reference);
    for (auto const path : csr_paths_of<typename Plan::execution_space>()) {
      options.path = path;
      options.pivot_shift = 0.0;
      Plan without(exec, a, options);
      without.factor(exec, a);
      EXPECT_EQ(without.status(exec).failure, FactorFailure::zero_row);
      EXPECT_EQ(without.status(exec).row, backwards ? 23 : 4);
      EXPECT_EQ(without.status(exec).replaced, 0);
      options.pivot_shift = share;
      Plan plan(exec, a, options);
      auto const x = solve_csr_with<double>(exec, plan, a, b);
      auto const expected = ReferenceCsrIlu(with_shifts(reference, rows), order, fill).solve(b);
      EXPECT_TRUE(near(x, expected, 1e-9)) << n << (backwards ? " backwards" : "");
      auto const status = plan.status(exec);
      EXPECT_EQ(status.replaced, 3);
      EXPECT_EQ(status.first_replaced, backwards ? 23 : 4);
      EXPECT_EQ(status.message(), "factorization is regular, with 3 pivots replaced, the first at row " +
                                      std::string(backwards ? "23" : "4"));
    }
  }
}

TYPED_TEST(CsrPivotShiftTest, factors_are_those_of_a_matrix_with_the_shifts) {
  TypeParam const exec;
  compare<BlockIlu0Csr<double, 1, TypeParam>>(exec, {}, 0);
  compare<BlockIlu0Csr<double, 5, TypeParam>>(exec, {}, 0);
  compare<BlockIlukCsr<double, 3, TypeParam>>(exec, {.fill = 1}, 1);
  BlockIlutCsrOptions const exact{.drop_tolerance = 0.0, .row_entries = mesh_rows};
  compare<BlockIlutCsr<double, 1, TypeParam>>(exec, exact, mesh_rows);
  compare<BlockIlutCsr<double, 5, TypeParam>>(exec, exact, mesh_rows);
}

/// Without anything to replace it changes nothing, and counts begin anew.
template <class Plan>
void compare_regular(const typename Plan::execution_space& exec, typename Plan::Options options) {
  constexpr int n = Plan::block_size;
  auto const a = to_device<double, n, double>(exec, random_csr(mesh_rows, n));
  auto const singular = to_device<double, n, double>(exec, with_zero_pivots(n, {7}, natural_order(mesh_rows)));
  auto const b = random_vector(mesh_rows * n);
  Plan plain(exec, a, options);
  options.pivot_shift = share;
  Plan plan(exec, a, options);
  plan.factor(exec, singular);
  EXPECT_EQ(plan.status(exec).replaced, 1);
  EXPECT_EQ(plan.status(exec).message(), "factorization is regular, with 1 pivot replaced, at row 7");
  EXPECT_TRUE(bitwise_equal(solve_csr_with<double>(exec, plan, a, b), solve_csr_with<double>(exec, plain, a, b)));
  EXPECT_EQ(plan.status(exec).replaced, 0);
  EXPECT_FALSE(plan.status(exec).first_replaced);
  EXPECT_EQ(plan.status(exec).message(), "factorization is regular");
}

TYPED_TEST(CsrPivotShiftTest, regular_pivots_stay_as_they_are) {
  TypeParam const exec;
  compare_regular<BlockIlu0Csr<double, 5, TypeParam>>(exec, {});
  compare_regular<BlockIlukCsr<double, 2, TypeParam>>(exec, {.fill = 2});
  compare_regular<BlockIlutCsr<double, 5, TypeParam>>(exec, {});
}

/// One unknown for each of two points that do not know one another; the first has this value.
template <class Plan>
CsrStatus status_of_value(const typename Plan::execution_space& exec, double value,
                          const typename Plan::Options& options) {
  using Scalar = typename Plan::scalar_type;
  ReferenceCsr reference(1);
  for (int row = 0; row < 2; ++row) {
    for (int column = 0; column < 2; ++column) {
      DenseMatrix block(1);
      block(0, 0) = row == 1 ? (column == 1 ? 1.0 : 0.0) : column == 0 ? value : 2.0;
      reference.add(column, block);
    }
    reference.end_row();
  }
  auto const a = to_device<Scalar, 1, Scalar>(exec, reference);
  Plan plan(exec, a, options);
  plan.factor(exec, a);
  return plan.status(exec);
}

template <class Plan>
void expect_unstorable_replaced(const typename Plan::execution_space& exec, double value) {
  EXPECT_EQ(status_of_value<Plan>(exec, value, {}).failure, FactorFailure::overflow) << value;
  auto const status = status_of_value<Plan>(exec, value, {.pivot_shift = 1e-3});
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(status.replaced, 1);
  EXPECT_EQ(status.first_replaced, 0);
}

TYPED_TEST(CsrPivotShiftTest, pivots_without_an_inverse_that_can_be_stored_are_replaced) {
  TypeParam const exec;
  expect_unstorable_replaced<BlockIlu0Csr<double, 1, TypeParam>>(exec, 1e-310);
  expect_unstorable_replaced<BlockIlutCsr<double, 1, TypeParam>>(exec, -1e-310);
  expect_unstorable_replaced<BlockIlu0Csr<double, 1, TypeParam, float>>(exec, 1e-39);
  expect_unstorable_replaced<BlockIlutCsr<double, 1, TypeParam, float>>(exec, 1e-39);
}

/// Where there is no norm to take a share of, or nothing but what is no number.
template <class Plan>
void expect_failures(const typename Plan::execution_space& exec) {
  constexpr int n = Plan::block_size;
  auto reference = with_zero_pivots(n, {3, 9}, natural_order(mesh_rows));
  for (auto e = reference.offsets[9]; e < reference.offsets[10]; ++e) reference.blocks[e] = DenseMatrix(n);
  auto const a = to_device<double, n, double>(exec, reference);
  Plan plan(exec, a, {.pivot_shift = share});
  plan.factor(exec, a);
  EXPECT_EQ(plan.status(exec).failure, FactorFailure::zero_row);
  EXPECT_EQ(plan.status(exec).row, 9);
  EXPECT_EQ(plan.status(exec).replaced, 0);
  EXPECT_THAT(plan.status(exec).message(), ::testing::HasSubstr("singular pivot at row 9, equation 0"));
  reference.blocks[reference.offsets[5]](0, 0) = std::numeric_limits<double>::quiet_NaN();
  auto const not_finite = to_device<double, n, double>(exec, reference);
  plan.factor(exec, not_finite);
  EXPECT_EQ(plan.status(exec).failure, FactorFailure::not_finite);
  EXPECT_EQ(plan.status(exec).row, 5);
}

TYPED_TEST(CsrPivotShiftTest, what_a_shift_does_not_help_still_fails) {
  TypeParam const exec;
  expect_failures<BlockIlu0Csr<double, 2, TypeParam>>(exec);
  expect_failures<BlockIlukCsr<double, 2, TypeParam>>(exec);
  expect_failures<BlockIlutCsr<double, 2, TypeParam>>(exec);
}

/// Ones times 1e-39, and half of their norm: the sum has an inverse, which a float cannot store. What is wrong is still
/// that the block is singular.
template <class Plan>
void expect_singular(const typename Plan::execution_space& exec) {
  ReferenceCsr reference(2);
  DenseMatrix block(2);
  for (int r = 0; r < 2; ++r) {
    for (int c = 0; c < 2; ++c) block(r, c) = 1e-39;
  }
  reference.add(0, block);
  reference.end_row();
  auto const a = to_device<double, 2, double>(exec, reference);
  for (double const shift : {0.0, share}) {
    Plan plan(exec, a, {.pivot_shift = shift});
    plan.factor(exec, a);
    auto const status = plan.status(exec);
    EXPECT_EQ(status.failure, FactorFailure::singular) << shift << ": " << status.message();
    EXPECT_EQ(status.row, 0) << shift;
    EXPECT_EQ(status.equation, 1) << shift;
    EXPECT_EQ(status.replaced, 0) << shift;
  }
}

TYPED_TEST(CsrPivotShiftTest, blocks_that_a_shift_does_not_help_are_diagnosed_as_they_are) {
  TypeParam const exec;
  expect_singular<BlockIlu0Csr<double, 2, TypeParam, float>>(exec);
  expect_singular<BlockIlukCsr<double, 2, TypeParam, float>>(exec);
  expect_singular<BlockIlutCsr<double, 2, TypeParam, float>>(exec);
}

TYPED_TEST(CsrPivotShiftTest, shifts_that_make_no_sense_are_refused) {
  TypeParam const exec;
  auto const a = to_device<double, 1, double>(exec, random_csr(5, 1));
  auto const refused = [&]<class Plan>(const char* name) {
    for (auto const& [shift, text] :
         std::vector<std::pair<double, std::string>>{{-0.5, "-0.5"},
                                                     {std::numeric_limits<double>::infinity(), "inf"},
                                                     {std::numeric_limits<double>::quiet_NaN(), "nan"}}) {
      EXPECT_THAT(message_of([&] { Plan(exec, a, {.pivot_shift = shift}); }),
                  ::testing::HasSubstr(std::string(name) + ": pivot_shift is " + text +
                                       ", expected a finite number, 0 or more"));
    }
  };
  refused.template operator()<BlockIlu0Csr<double, 1, TypeParam>>("BlockIlu0Csr");
  refused.template operator()<BlockIlukCsr<double, 1, TypeParam>>("BlockIlukCsr");
  refused.template operator()<BlockIlutCsr<double, 1, TypeParam>>("BlockIlutCsr");
}

/// Beside shifts that a float can have, down to numbers that are not normal.
template <class Plan>
void expect_refused_in_float(const typename Plan::execution_space& exec, const std::string& name) {
  auto const a = to_device<float, 1, float>(exec, random_csr(5, 1));
  for (auto const& [shift, text] : std::vector<std::pair<double, std::string>>{
           {1e-50, "1e-50, which is 0"}, {1e300, "1e+300, which is not finite"}}) {
    EXPECT_THAT(message_of([&] { Plan(exec, a, {.pivot_shift = shift}); }),
                ::testing::HasSubstr(name + ": pivot_shift is " + text + " in single precision"));
  }
  for (double const shift : {0.0, 1e-44, 1e-3, 3e38}) EXPECT_NO_THROW(Plan(exec, a, {.pivot_shift = shift})) << shift;
}

TYPED_TEST(CsrPivotShiftTest, shifts_that_a_float_cannot_have_are_refused) {
  TypeParam const exec;
  expect_refused_in_float<BlockIlu0Csr<float, 1, TypeParam>>(exec, "BlockIlu0Csr");
  expect_refused_in_float<BlockIlukCsr<float, 1, TypeParam>>(exec, "BlockIlukCsr");
  expect_refused_in_float<BlockIlutCsr<float, 1, TypeParam>>(exec, "BlockIlutCsr");
}

}  // namespace
}  // namespace hyperplane::test
