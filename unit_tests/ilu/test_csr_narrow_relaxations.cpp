// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstdint>
#include <hyperplane/core/storage_kind.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/ilu/dilu_csr.hpp>
#include <hyperplane/ilu/ssor_csr.hpp>
#include <hyperplane/sweep/choose_storage.hpp>
#include <string>
#include <vector>

#include "support/csr_reference.hpp"
#include "support/csr_short.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/short_factors.hpp"

// DILU and SSOR of block CSR with factors in fewer bits than the arithmetic: they keep L and d^-1 U of their own.
namespace hyperplane::test::csr_short {
namespace {

template <class Exec>
class CsrNarrowRelaxations : public ::testing::Test {};
TYPED_TEST_SUITE(CsrNarrowRelaxations, ExecutionSpaces, SpaceNames);

template <int n, class Storage, class Exec>
using Dilu = DiluCsr<double, n, Exec, Storage>;
template <int n, class Storage, class Exec>
using SsorOf = SsorCsr<double, n, Exec, Storage>;

TYPED_TEST(CsrNarrowRelaxations, are_those_of_double_to_rounding_in_all_units) {
  TypeParam const exec;
  compare<Dilu<1, Half, TypeParam>, Dilu<1, double, TypeParam>>(exec, {});
  compare<Dilu<5, Half, TypeParam>, Dilu<5, double, TypeParam>>(exec, {}, 40);
  compare<Dilu<5, Half, TypeParam>, Dilu<5, double, TypeParam>>(exec, {.lu_sgs = true}, 40);
  compare<Dilu<3, BFloat16, TypeParam>, Dilu<3, double, TypeParam>>(exec, {});
  compare<SsorOf<1, BFloat16, TypeParam>, SsorOf<1, double, TypeParam>>(exec, {.relaxation = 0.6});
  compare<SsorOf<2, Half, TypeParam>, SsorOf<2, double, TypeParam>>(exec, {.relaxation = 1.4});
  compare<SsorOf<5, Half, TypeParam>, SsorOf<5, double, TypeParam>>(exec, {.relaxation = 1.2}, 40);
  compare<DiluCsr<float, 4, TypeParam, Half>, Dilu<4, double, TypeParam>>(exec, {}, 40);
  compare<Dilu<5, float, TypeParam>, Dilu<5, double, TypeParam>>(exec, {}, 40);
  compare<Dilu<1, float, TypeParam>, Dilu<1, double, TypeParam>>(exec, {.lu_sgs = true}, 40);
  compare<SsorOf<3, float, TypeParam>, SsorOf<3, double, TypeParam>>(exec, {.relaxation = 1.3}, 40);
}

template <class Plan>
void expect_bits_of_all_paths(const typename Plan::execution_space& exec, typename Plan::Options options) {
  auto const reference = in_other_units(random_csr(90, Plan::block_size));
  auto const b = times_equations(random_vector(std::int64_t{90} * Plan::block_size), Plan::block_size);
  for (bool const transposed : {false, true}) {
    options.path = CsrPath::portable;
    auto const expected = factor_and_solve<Plan>(exec, reference, b, options, transposed);
    for_options<Plan>(options, [&](const typename Plan::Options& other) {
      if (other.order != options.order) return;
      EXPECT_TRUE(bitwise_equal(factor_and_solve<Plan>(exec, reference, b, other, transposed), expected));
    });
  }
}

TYPED_TEST(CsrNarrowRelaxations, have_the_bits_of_any_path) {
  TypeParam const exec;
  expect_bits_of_all_paths<Dilu<3, Half, TypeParam>>(exec, {});
  expect_bits_of_all_paths<SsorOf<1, BFloat16, TypeParam>>(exec, {.relaxation = 1.3});
  expect_bits_of_all_paths<Dilu<5, float, TypeParam>>(exec, {});
  expect_bits_of_all_paths<SsorOf<3, float, TypeParam>>(exec, {.relaxation = 1.3});
  // LU-SGS is SSOR that does not relax.
  auto const reference = random_csr(40, 3);
  auto const b = random_vector(120);
  EXPECT_TRUE(bitwise_equal(factor_and_solve<Dilu<3, Half, TypeParam>>(exec, reference, b, {.lu_sgs = true}, false),
                            factor_and_solve<SsorOf<3, Half, TypeParam>>(exec, reference, b, {}, false)));
}

template <class Plan>
void expect_independence(const typename Plan::execution_space& exec) {
  constexpr int n = Plan::block_size;
  auto const reference = random_csr(40, n);
  auto const a = to_device<double, n, double>(exec, reference);
  auto const b = random_vector(std::int64_t{40} * n);
  auto const expected = factor_and_solve<Plan>(exec, reference, b, {}, false);
  Plan plan(exec, a);
  plan.factor(exec, a);
  Kokkos::deep_copy(exec, a.values(), 7.0);
  auto const x = to_view<double>(exec, b);
  plan.solve(exec, x, x);
  EXPECT_TRUE(bitwise_equal(to_host(x), expected));
  // A matrix of float will do.
  auto const narrow = to_device<double, n, float>(exec, reference);
  Plan of_float(exec, narrow);
  of_float.factor(exec, narrow);
  auto const y = to_view<double>(exec, b);
  of_float.solve(exec, y, y);
  EXPECT_TRUE(near(to_host(y), expected, tolerance<Plan>));
}

TYPED_TEST(CsrNarrowRelaxations, are_not_those_of_a_later_matrix) {
  TypeParam const exec;
  expect_independence<Dilu<3, Half, TypeParam>>(exec);
  expect_independence<SsorOf<3, float, TypeParam>>(exec);
}

TYPED_TEST(CsrNarrowRelaxations, can_be_chosen) {
  TypeParam const exec;
  auto const a = to_device<double, 3, double>(exec, random_csr(40, 3));
  EXPECT_EQ((choose_storage<Dilu<3, double, TypeParam>>(exec, a)), StorageKind::half);
  EXPECT_EQ((choose_storage<SsorOf<3, Half, TypeParam>>(exec, a, {}, {.relaxation = 1.2})), StorageKind::half);
  EXPECT_EQ((choose_storage<Dilu<3, double, TypeParam>>(exec, a, {.fraction = 1e-5})), StorageKind::single_precision);
  EXPECT_EQ((choose_storage<Dilu<3, double, TypeParam>>(exec, a, {.fraction = 0.0})), StorageKind::double_precision);
}

TYPED_TEST(CsrNarrowRelaxations, take_several_vectors_as_single_ones_and_halves_as_a_solve) {
  TypeParam const exec;
  expect_single_vectors_and_halves<SsorOf<3, Half, TypeParam>>(exec, {.relaxation = 1.3, .transposed = true});
  expect_single_vectors_and_halves<Dilu<5, float, TypeParam>>(exec, {.transposed = true});
}

TYPED_TEST(CsrNarrowRelaxations, that_are_too_large_are_a_status) {
  TypeParam const exec;
  constexpr int n = 2;
  for_entries_of_row<n>([&](const ReferenceCsr& reference, double& entry, int row) {
    entry = 1e7;
    expect_overflow<Dilu<n, Half, TypeParam>>(exec, reference, row);
    expect_overflow<SsorOf<n, Half, TypeParam>>(exec, reference, row, {.relaxation = 0.7});
    entry = 1e40;
    expect_overflow<Dilu<n, BFloat16, TypeParam>>(exec, reference, row, {.lu_sgs = true});
  });
  for_entries_of_row<5>([&](const ReferenceCsr& reference, double& entry, int row) {
    entry = 1e40;
    expect_overflow<Dilu<5, float, TypeParam>>(exec, reference, row);
  });
  for_entries_of_row<3>([&](const ReferenceCsr& reference, double& entry, int row) {
    entry = 1e40;
    expect_overflow<SsorOf<3, float, TypeParam>>(exec, reference, row, {.relaxation = 0.7});
  });
}

TYPED_TEST(CsrNarrowRelaxations, that_are_singular_are_a_status) {
  TypeParam const exec;
  auto reference = random_csr(30, 3);
  reference.blocks[block_at(reference, 7, 7)] = DenseMatrix(3);
  auto const a = to_device<double, 3, double>(exec, reference);
  SsorOf<3, Half, TypeParam> plan(exec, a);
  plan.factor(exec, a);
  EXPECT_TRUE(plan.status(exec).singular()) << plan.status(exec).message();
  EXPECT_EQ(plan.status(exec).row, 7);
}

TYPED_TEST(CsrNarrowRelaxations, are_computed_with_in_full_precision) {
  TypeParam const exec;
  ReferenceCsr reference(3);
  for (int row = 0; row < 20; ++row) {
    DenseMatrix block(3);
    for (int r = 0; r < 3; ++r) block(r, r) = 0.5;
    reference.add(row, block);
    reference.end_row();
  }
  auto const b = random_vector(60);
  auto expected = b;
  for (auto& value : expected) value *= 2.0;
  for (bool const transposed : {false, true}) {
    EXPECT_TRUE(
        bitwise_equal(factor_and_solve<Dilu<3, BFloat16, TypeParam>>(exec, reference, b, {}, transposed), expected));
  }
}

}  // namespace
}  // namespace hyperplane::test::csr_short
