// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/csr/point_vectors.hpp>
#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <hyperplane/ilu/block_iluk_csr.hpp>
#include <hyperplane/ilu/block_ilut_csr.hpp>
#include <hyperplane/ilu/block_jacobi_csr.hpp>
#include <hyperplane/ilu/dilu_csr.hpp>
#include <hyperplane/ilu/ssor_csr.hpp>
#include <string>
#include <vector>

#include "support/csr_ilu_plan.hpp"
#include "support/csr_quarter_reference.hpp"
#include "support/csr_reference.hpp"
#include "support/csr_short.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/short_factors.hpp"

// Factors of block CSR in 8 bits.
namespace hyperplane::test::csr_quarter {
namespace {

using ::testing::HasSubstr;

template <class Exec>
class CsrQuarter : public ::testing::Test {};
TYPED_TEST_SUITE(CsrQuarter, ExecutionSpaces, SpaceNames);

template <int n, class Storage, class Exec, class Scalar = double>
using Ilu0 = BlockIlu0Csr<Scalar, n, Exec, Storage>;
template <int n, class Storage, class Exec>
using Iluk = BlockIlukCsr<double, n, Exec, Storage>;
template <int n, class Storage, class Exec>
using Ilut = BlockIlutCsr<double, n, Exec, Storage>;

/// With rows that are coupled to nothing, equations without couplings, and couplings of which two columns and an
/// equation are small. The last row is coupled with all others.
ReferenceCsr uneven_csr(int rows, int n) {
  auto const random = random_csr(rows, n);
  ReferenceCsr a(n);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < rows; ++column) {
      bool const is_last = row == rows - 1 || column == rows - 1;
      auto const begin = random.columns.begin() + random.offsets[row],
                 end = random.columns.begin() + random.offsets[row + 1];
      bool const is_given = std::find(begin, end, column) != end;
      if (row != column && !is_last && (!is_given || row % 5 == 2)) continue;
      DenseMatrix block = random.blocks[is_given ? block_at(random, row, column) : 0];
      if (row == column) {
        for (int r = 0; r < n; ++r) block(r, r) += 2.0 * n * (is_last ? rows : 1);
      } else {
        for (int r = 0; r < n; ++r) {
          if (n > 2) block(r, 0) *= 0x1p-5;
          if (n > 2) block(r, n - 1) *= 0x1p-20;
        }
        for (int c = 0; c < n && n > 2; ++c) block(1, c) *= 0x1p-16;
        for (int c = 0; c < n && row % 3 == 0; ++c) block(0, c) = 0;
      }
      a.add(column, block);
    }
    a.end_row();
  }
  return a;
}

template <int n, class Exec>
void compare_with_reference(const Exec& exec, const ReferenceCsr& reference) {
  auto const a = to_device<double, n, double>(exec, reference);
  auto const b = random_vector(a.rows() * n);
  std::vector<int> const given{};
  for (auto const path : csr_paths_of_plan<Ilu0<n, Quarter, Exec>>()) {
    for (auto const order : {RowOrder::natural, RowOrder::rcm}) {
      for (int const fill : {0, 1}) {
        SCOPED_TRACE(std::to_string(a.rows()) + " rows, n = " + std::to_string(n) + ", path " +
                     std::to_string(static_cast<int>(path)) + ", order " + name(order) + ", fill " +
                     std::to_string(fill));
        CsrQuarterPlan<n, Exec> plan(exec, a, {path, order, given, fill, true});
        plan.factor(exec, a);
        ASSERT_TRUE(plan.status(exec).ok()) << plan.status(exec).message();
        StoredCsrFactors<n, Exec> const stored(exec, plan);
        check_quarters(stored.lower, n);
        check_quarters(stored.upper, n);
        for (std::size_t row = 0; row < stored.inverses.size(); ++row) {
          EXPECT_EQ(stored.inverses[row].entries, stored.half_inverses[row].entries);
        }
        CsrQuarterReference<n, Exec> const slow(stored);
        auto const x = to_view<double>(exec, b), y = to_view<double>(exec, b);
        plan.solve(exec, x, x);
        EXPECT_TRUE(near(to_host(x), slow.solve(b), 1e-13));
        plan.solve_transposed(exec, y, y);
        EXPECT_TRUE(near(to_host(y), slow.solve_transposed(b), 1e-13));
      }
    }
  }
}

template <int n, class Exec>
void compare_all_with_reference(const Exec& exec) {
  for (int const rows : {1, 2, 40}) {
    compare_with_reference<n>(exec, uneven_csr(rows, n));
    compare_with_reference<n>(exec, in_other_units(random_csr(rows, n)));
  }
}

TYPED_TEST(CsrQuarter, are_those_of_half_rounded_by_scales_of_rows_and_columns) {
  TypeParam const exec;
  compare_all_with_reference<1>(exec);
  compare_all_with_reference<2>(exec);
  compare_all_with_reference<3>(exec);
  compare_all_with_reference<4>(exec);
  compare_all_with_reference<5>(exec);
  compare_all_with_reference<6>(exec);
  compare_all_with_reference<16>(exec);
}

TYPED_TEST(CsrQuarter, are_those_of_double_to_rounding_in_all_units) {
  using csr_short::compare;
  TypeParam const exec;
  compare<Ilu0<1, Quarter, TypeParam>, Ilu0<1, double, TypeParam>>(exec, {});
  compare<Ilu0<5, Quarter, TypeParam>, Ilu0<5, double, TypeParam>>(exec, {});
  compare<Ilu0<4, Quarter, TypeParam, float>, Ilu0<4, double, TypeParam>>(exec, {});
  compare<Iluk<3, Quarter, TypeParam>, Iluk<3, double, TypeParam>>(exec, {.fill = 2}, 40);
  BlockIlutCsrOptions const all{.drop_tolerance = 0.0, .row_entries = 20};
  compare<Ilut<1, Quarter, TypeParam>, Ilut<1, double, TypeParam>>(exec, all, 20);
  compare<Ilut<5, Quarter, TypeParam>, Ilut<5, double, TypeParam>>(exec, all, 20);
}

TYPED_TEST(CsrQuarter, take_several_vectors_as_single_ones_and_halves_as_a_solve) {
  using csr_short::expect_single_vectors_and_halves;
  TypeParam const exec;
  expect_single_vectors_and_halves<Iluk<3, Quarter, TypeParam>>(exec, {.fill = 1, .transposed = true});
  expect_single_vectors_and_halves<Ilu0<5, Quarter, TypeParam>>(exec, {.transposed = true});
}

TYPED_TEST(CsrQuarter, have_the_status_of_half) {
  TypeParam const exec;
  constexpr int n = 2;
  csr_short::for_entries_of_row<n>([&](const ReferenceCsr& reference, double& entry, int row) {
    entry = 1e7;
    csr_short::expect_overflow<Ilu0<n, Quarter, TypeParam>>(exec, reference, row);
    csr_short::expect_overflow<Ilut<n, Quarter, TypeParam>>(exec, reference, row);
  });
}

/// DiluCsr and SsorCsr read A itself.
template <template <class, int, class, class, class> class Plan, class Exec, class Storage>
concept HasPlan = requires { typename Plan<double, 2, Exec, Storage, std::int64_t>; };

TYPED_TEST(CsrQuarter, are_those_of_ilu_alone) {
  EXPECT_TRUE((HasPlan<BlockIlu0Csr, TypeParam, Quarter>));
  EXPECT_TRUE((HasPlan<DiluCsr, TypeParam, Half>));
  EXPECT_FALSE((HasPlan<DiluCsr, TypeParam, Quarter>));
  EXPECT_FALSE((HasPlan<SsorCsr, TypeParam, Quarter>));
  EXPECT_FALSE((HasPlan<BlockJacobiCsr, TypeParam, Quarter>));
}

TYPED_TEST(CsrQuarter, have_no_tickets) {
  TypeParam const exec;
  auto const a = to_device<double, 2, double>(exec, random_csr(5, 2));
  using Plan = Ilu0<2, Quarter, TypeParam>;
  auto const message = message_of([&] { Plan(exec, a, {.path = CsrPath::tickets}); });
  if (CudaExecutionSpace<TypeParam>) {
    EXPECT_THAT(message, HasSubstr("BlockIlu0Csr: CsrPath::tickets has no factors of 8 bits; CsrPath::portable has"));
  } else {
    EXPECT_THAT(message, HasSubstr("BlockIlu0Csr: CsrPath::tickets is for CUDA"));
  }
  EXPECT_EQ(Plan(exec, a).path(), HostExecutionSpace<TypeParam> ? CsrPath::team : CsrPath::portable);
}

}  // namespace
}  // namespace hyperplane::test::csr_quarter
