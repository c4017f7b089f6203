// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/quarter_cases.hpp"
#include "support/short_factors.hpp"

// Factors of 8 bits.
namespace hyperplane::test::ilu0_quarter {
namespace {

template <class Exec>
class BlockIlu0Quarter : public ::testing::Test {};
TYPED_TEST_SUITE(BlockIlu0Quarter, ExecutionSpaces, SpaceNames);

template <int n, class Storage, class Exec, class Scalar = double>
using Ilu = BlockIlu0<Scalar, n, Exec, Storage>;

TYPED_TEST(BlockIlu0Quarter, are_those_of_half_rounded_by_scales_of_rows_and_columns) {
  TypeParam const exec;
  std::vector<Grid> const grids = {Grid(1, 1, 1), Grid(5, 4, 3), Grid(9, 17, 5), Grid(1, 1, 12)};
  compare_quarter_with_reference<Ilu<1, Quarter, TypeParam>>(exec, grids);
  compare_quarter_with_reference<Ilu<2, Quarter, TypeParam>>(exec, grids);
  compare_quarter_with_reference<Ilu<5, Quarter, TypeParam>>(exec, grids);
  // More columns than sums in registers.
  compare_quarter_with_reference<Ilu<16, Quarter, TypeParam>>(exec, {Grid(3, 9, 2)});
}

TYPED_TEST(BlockIlu0Quarter, are_near_those_of_double) {
  TypeParam const exec;
  compare_in_any_units<Ilu<5, Quarter, TypeParam>, Ilu<5, double, TypeParam>>(exec);
  compare_with_double<Ilu<2, Quarter, TypeParam, float>, Ilu<2, double, TypeParam>>(exec);
}

TYPED_TEST(BlockIlu0Quarter, have_the_same_bits_for_any_number_of_threads) {
  expect_quarter_bits_of_one_thread<Ilu<5, Quarter, TypeParam>>(TypeParam{});
}

TYPED_TEST(BlockIlu0Quarter, of_diagonal_blocks_are_exact_whatever_points_out_of_the_grid) {
  expect_quarter_of_diagonal_blocks<Ilu<2, Quarter, TypeParam>>(TypeParam{});
}

TYPED_TEST(BlockIlu0Quarter, that_are_too_large_or_not_finite_are_a_status) {
  expect_quarter_overflow_to_be_a_status<Ilu<2, Quarter, TypeParam>>(TypeParam{});
}

TYPED_TEST(BlockIlu0Quarter, solve_in_halves_and_for_several_vectors) {
  expect_quarter_halves_and_several_vectors<Ilu<5, Quarter, TypeParam>>(TypeParam{});
}

TYPED_TEST(BlockIlu0Quarter, have_no_other_paths_and_no_folded_directions) {
  expect_no_other_paths_of_quarter<Ilu<2, Quarter, TypeParam>>(TypeParam{}, "BlockIlu0");
}

}  // namespace
}  // namespace hyperplane::test::ilu0_quarter
