// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/core/half.hpp>
#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <hyperplane/ilu/block_jacobi_csr.hpp>
#include <hyperplane/ilu/dilu_csr.hpp>
#include <hyperplane/ilu/ssor_csr.hpp>

#include <cstdint>

#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/writable_csr.hpp"

// Offsets that are written to after a plan was made of them, and are no structure any more.
namespace hyperplane::test {
namespace {

template <class Exec>
class CsrOffsetsTest : public ::testing::Test {};
TYPED_TEST_SUITE(CsrOffsetsTest, ExecutionSpaces, SpaceNames);

constexpr int rows = 41;
constexpr int row = 17;

/// Nothing is read where there is no matrix.
template <class Plan>
void lead_out(const typename Plan::Options& options = {}) {
  using Exec = typename Plan::execution_space;
  constexpr int n = Plan::block_size;
  Exec const exec;
  auto const reference = random_csr(rows, n);
  WritableCsr<n, Exec, std::int64_t> const a(exec, reference);
  Plan plan(exec, a.matrix, options);
  for (std::int64_t const offset : {std::int64_t{-1000000000}, std::int64_t{1000000000}}) {
    auto to = reference;
    to.offsets[row + 1] = static_cast<int>(offset);
    a.write(exec, to);
    plan.factor(exec, a.matrix);
    auto const status = plan.status(exec);
    EXPECT_EQ(status.failure, FactorFailure::other_structure) << offset;
    // It is where one row ends and the next one begins.
    EXPECT_TRUE(status.row == row || status.row == row + 1) << offset << ": row " << status.row;
  }
}

TYPED_TEST(CsrOffsetsTest, offsets_that_lead_out_of_the_matrix_are_not_followed) {
  lead_out<BlockIlu0Csr<double, 3, TypeParam>>({.order = RowOrder::rcm});
  lead_out<BlockIlu0Csr<double, 3, TypeParam>>({.pivot_shift = 0.1});
  lead_out<BlockIlu0Csr<double, 3, TypeParam, Half>>({.order = RowOrder::colours});
  lead_out<DiluCsr<double, 2, TypeParam, Half>>({.pivot_shift = 0.1});
  lead_out<SsorCsr<double, 2, TypeParam, Half>>();
  lead_out<BlockJacobiCsr<double, 2, TypeParam, Half>>();
}

}  // namespace
}  // namespace hyperplane::test
