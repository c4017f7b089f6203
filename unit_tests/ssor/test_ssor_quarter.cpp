// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/quarter_cases.hpp"
#include "support/short_factors.hpp"

// Factors of 8 bits.
namespace hyperplane::test::ssor_quarter {
namespace {

template <class Exec>
class SsorQuarter : public ::testing::Test {};
TYPED_TEST_SUITE(SsorQuarter, ExecutionSpaces, SpaceNames);

template <int n, class Storage, class Exec, class Scalar = double>
using Sweeps = Ssor<Scalar, n, Exec, Storage>;

TYPED_TEST(SsorQuarter, are_those_of_half_rounded_by_scales_of_rows_and_columns) {
  TypeParam const exec;
  std::vector<Grid> const grids = {Grid(1, 1, 1), Grid(5, 4, 3), Grid(9, 17, 2), Grid(1, 1, 12)};
  compare_quarter_with_reference<Sweeps<1, Quarter, TypeParam>>(exec, grids, {.relaxation = 0.7});
  compare_quarter_with_reference<Sweeps<2, Quarter, TypeParam>>(exec, grids);
  compare_quarter_with_reference<Sweeps<5, Quarter, TypeParam>>(exec, grids, {.relaxation = 1.6});
  compare_quarter_with_reference<Sweeps<6, Quarter, TypeParam>>(exec, {Grid(3, 9, 2)}, {.relaxation = 1.3});
}

TYPED_TEST(SsorQuarter, are_near_those_of_double) {
  TypeParam const exec;
  compare_in_any_units<Sweeps<4, Quarter, TypeParam>, Sweeps<4, double, TypeParam>>(exec);
  compare_with_double<Sweeps<2, Quarter, TypeParam, float>, Sweeps<2, double, TypeParam>>(exec);
}

TYPED_TEST(SsorQuarter, have_the_same_bits_for_any_number_of_threads) {
  expect_quarter_bits_of_one_thread<Sweeps<5, Quarter, TypeParam>>(TypeParam{});
}

TYPED_TEST(SsorQuarter, of_diagonal_blocks_are_exact_whatever_points_out_of_the_grid) {
  expect_quarter_of_diagonal_blocks<Sweeps<2, Quarter, TypeParam>>(TypeParam{});
}

TYPED_TEST(SsorQuarter, that_are_too_large_or_not_finite_are_a_status) {
  expect_quarter_overflow_to_be_a_status<Sweeps<2, Quarter, TypeParam>>(TypeParam{});
}

TYPED_TEST(SsorQuarter, solve_in_halves_and_for_several_vectors) {
  expect_quarter_halves_and_several_vectors<Sweeps<5, Quarter, TypeParam>>(TypeParam{});
}

TYPED_TEST(SsorQuarter, have_no_other_paths_and_no_folded_directions) {
  expect_no_other_paths_of_quarter<Sweeps<2, Quarter, TypeParam>>(TypeParam{}, "Ssor");
}

}  // namespace
}  // namespace hyperplane::test::ssor_quarter
