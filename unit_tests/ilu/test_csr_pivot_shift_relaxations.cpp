// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hyperplane/ilu/block_jacobi_csr.hpp>
#include <hyperplane/ilu/dilu_csr.hpp>
#include <hyperplane/ilu/ssor_csr.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "support/csr_ilu_plan.hpp"
#include "support/csr_reference.hpp"
#include "support/csr_zero_pivots.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/serial_reference.hpp"

// Pivots of DILU, SSOR and block Jacobi that cannot be inverted, and are replaced where that is asked for.
namespace hyperplane::test {
namespace {

template <class Exec>
class CsrRelaxationShiftTest : public ::testing::Test {};
TYPED_TEST_SUITE(CsrRelaxationShiftTest, ExecutionSpaces, SpaceNames);

/// Beside the same plan, without the option, of the matrix that has the shifts on its diagonal.
template <class Plan>
void compare_shifted(const typename Plan::execution_space& exec, typename Plan::Options options, double bound,
                     int first) {
  constexpr int n = Plan::block_size;
  std::vector<int> const rows{4, 11, 23};
  auto const b = random_vector(mesh_rows * n);
  auto order = natural_order(mesh_rows);
  if (first != rows.front()) std::ranges::reverse(order);
  auto const reference = with_zero_pivots(n, rows, order);
  auto const a = to_device<double, n, double>(exec, reference);
  auto const shifted = to_device<double, n, double>(exec, with_shifts(reference, rows));
  Plan without(exec, a, options);
  without.factor(exec, a);
  EXPECT_EQ(without.status(exec).failure, FactorFailure::zero_row);
  EXPECT_EQ(without.status(exec).row, first);
  EXPECT_EQ(without.status(exec).replaced, 0);
  auto const expected = solve_csr_with<double>(exec, without, shifted, b);
  options.pivot_shift = share;
  Plan plan(exec, a, options);
  auto const x = solve_csr_with<double>(exec, plan, a, b);
  EXPECT_TRUE(near(x, expected, bound)) << n;
  EXPECT_EQ(plan.status(exec).replaced, 3);
  EXPECT_EQ(plan.status(exec).first_replaced, first);
  EXPECT_EQ(plan.status(exec).message(),
            "factorization is regular, with 3 pivots replaced, the first at row " + std::to_string(first));
  // Without anything to replace it changes nothing, and counts begin anew.
  EXPECT_TRUE(bitwise_equal(solve_csr_with<double>(exec, plan, shifted, b), expected)) << n;
  EXPECT_EQ(plan.status(exec).replaced, 0);
  EXPECT_EQ(plan.status(exec).message(), "factorization is regular");
}

template <class Plan>
void compare_paths_and_orders(const typename Plan::execution_space& exec, typename Plan::Options options,
                              double bound = 1e-9) {
  for (auto const path : csr_paths_of<typename Plan::execution_space>()) {
    options.path = path;
    options.order = RowOrder::natural;
    options.given_order.clear();
    compare_shifted<Plan>(exec, options, bound, 4);
    options.order = RowOrder::given;
    options.given_order = natural_order(mesh_rows);
    std::ranges::reverse(options.given_order);
    compare_shifted<Plan>(exec, options, bound, 23);
  }
}

TYPED_TEST(CsrRelaxationShiftTest, factors_are_those_of_a_matrix_with_the_shifts) {
  TypeParam const exec;
  compare_paths_and_orders<DiluCsr<double, 1, TypeParam>>(exec, {});
  compare_paths_and_orders<DiluCsr<double, 5, TypeParam>>(exec, {});
  compare_paths_and_orders<DiluCsr<double, 3, TypeParam>>(exec, {.lu_sgs = true});
  compare_paths_and_orders<SsorCsr<double, 1, TypeParam>>(exec, {.relaxation = 1.3});
  compare_paths_and_orders<SsorCsr<double, 5, TypeParam>>(exec, {.relaxation = 0.7});
  compare_shifted<BlockJacobiCsr<double, 1, TypeParam>>(exec, {.relaxation = 0.8}, 1e-9, 4);
  compare_shifted<BlockJacobiCsr<double, 5, TypeParam>>(exec, {.relaxation = 1.2}, 1e-9, 4);
}

// Stored numbers may round to either side where the norms do.
TYPED_TEST(CsrRelaxationShiftTest, factors_in_16_bits_too) {
  TypeParam const exec;
  compare_paths_and_orders<DiluCsr<double, 5, TypeParam, Half>>(exec, {}, 0.02);
  compare_paths_and_orders<DiluCsr<double, 2, TypeParam, BFloat16>>(exec, {.lu_sgs = true}, 0.1);
  compare_paths_and_orders<SsorCsr<double, 3, TypeParam, Half>>(exec, {.relaxation = 1.3}, 0.02);
  compare_shifted<BlockJacobiCsr<double, 3, TypeParam, Half>>(exec, {.relaxation = 0.8}, 0.02, 4);
  compare_shifted<BlockJacobiCsr<double, 3, TypeParam, float>>(exec, {.relaxation = 0.8}, 1e-5, 4);
}

/// A row of zeros has no norm.
template <class Plan>
void expect_zero_row(const typename Plan::execution_space& exec) {
  auto reference = random_csr(mesh_rows, 2);
  for (auto e = reference.offsets[9]; e < reference.offsets[10]; ++e) reference.blocks[e] = DenseMatrix(2);
  auto const a = to_device<double, 2, double>(exec, reference);
  Plan plan(exec, a, {.pivot_shift = share});
  plan.factor(exec, a);
  auto const status = plan.status(exec);
  EXPECT_EQ(status.failure, FactorFailure::zero_row);
  EXPECT_EQ(status.row, 9);
  EXPECT_EQ(status.replaced, 0);
}

TYPED_TEST(CsrRelaxationShiftTest, rows_that_a_shift_does_not_help_fail_as_without) {
  TypeParam const exec;
  expect_zero_row<DiluCsr<double, 2, TypeParam>>(exec);
  expect_zero_row<SsorCsr<double, 2, TypeParam>>(exec);
  expect_zero_row<SsorCsr<double, 2, TypeParam, Half>>(exec);
  expect_zero_row<BlockJacobiCsr<double, 2, TypeParam>>(exec);
}

/// Where an inverse can be stored, but not w times it, its block is replaced.
template <class Plan>
void expect_overflow_replaced(const typename Plan::execution_space& exec) {
  ReferenceCsr reference(1);
  DenseMatrix diagonal(1), other(1);
  diagonal(0, 0) = 1.0 / 3e38;
  other(0, 0) = 4.0;
  reference.add(0, diagonal);
  reference.add(1, other);
  reference.end_row();
  reference.add(1, identity(1));
  reference.end_row();
  auto const a = to_device<double, 1, double>(exec, reference);
  for (double const shift : {0.0, share}) {
    Plan plan(exec, a, {.relaxation = 1.5, .pivot_shift = shift});
    plan.factor(exec, a);
    auto const status = plan.status(exec);
    EXPECT_EQ(status.failure, shift > 0 ? FactorFailure::none : FactorFailure::overflow) << status.message();
    EXPECT_EQ(status.replaced, shift > 0 ? 1 : 0);
  }
}

TYPED_TEST(CsrRelaxationShiftTest, replaces_what_overflows_with_the_relaxation) {
  TypeParam const exec;
  expect_overflow_replaced<BlockJacobiCsr<double, 1, TypeParam, float>>(exec);
  expect_overflow_replaced<BlockJacobiCsr<double, 1, TypeParam, BFloat16>>(exec);
}

TYPED_TEST(CsrRelaxationShiftTest, shifts_that_make_no_sense_are_refused) {
  TypeParam const exec;
  auto const a = to_device<double, 1, double>(exec, random_csr(5, 1));
  auto const refused = [&]<class Plan>(const std::string& name) {
    for (double const shift :
         {-0.5, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
      EXPECT_THAT(message_of([&] { Plan(exec, a, {.pivot_shift = shift}); }),
                  ::testing::StartsWith(name + ": pivot_shift is "))
          << shift;
    }
  };
  refused.template operator()<DiluCsr<double, 1, TypeParam>>("DiluCsr");
  refused.template operator()<DiluCsr<double, 1, TypeParam, Half>>("DiluCsr");
  refused.template operator()<SsorCsr<double, 1, TypeParam>>("SsorCsr");
  refused.template operator()<BlockJacobiCsr<double, 1, TypeParam>>("BlockJacobiCsr");
}

}  // namespace
}  // namespace hyperplane::test
