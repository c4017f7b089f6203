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
#include "support/csr_short.hpp"
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
  expect_single_vectors_and_halves<Iluk<3, Half, TypeParam>>(exec, {.fill = 1, .transposed = true});
}

TYPED_TEST(CsrShort, that_are_too_large_are_a_status) {
  TypeParam const exec;
  constexpr int n = 2;
  for_entries_of_row<n>([&](const ReferenceCsr& reference, double& entry, int row) {
    entry = 1e7;
    expect_overflow<Ilu0<n, Half, TypeParam>>(exec, reference, row);
    expect_overflow<Ilut<n, Half, TypeParam>>(exec, reference, row);
    auto const b = random_vector(30 * n);
    auto const of_range = factor_and_solve<Ilu0<n, BFloat16, TypeParam>>(exec, reference, b, {}, false);
    EXPECT_EQ(of_range.size(), b.size());
    entry = 1e40;
    expect_overflow<Ilu0<n, BFloat16, TypeParam>>(exec, reference, row);
  });
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
