// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hyperplane/csr/point_vector.hpp>
#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <hyperplane/ilu/block_iluk_csr.hpp>
#include <hyperplane/ilu/block_ilut_csr.hpp>
#include <hyperplane/krylov/fgmres.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "support/csr_ilu_plan.hpp"
#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/matchers.hpp"
#include "support/random_system.hpp"
#include "support/serial_reference.hpp"
#include "support/views.hpp"

// Systems that no incomplete factorization solves without pivots that are replaced.
namespace hyperplane::test {
namespace {

/// A system with constraints that have nothing on the diagonal, as pressures have none: (A, B; B^T, 0), the constraints
/// first, so that their pivots are zero.
ReferenceCsr saddle_point() {
  constexpr int constraints = 5, unknowns = 20;
  ReferenceCsr a(2);
  std::int64_t counter = 0;
  auto const random_block = [&](double diagonal) {
    DenseMatrix block(2);
    for (auto& entry : block.entries) entry = random_value(7, counter++);
    for (int c = 0; c < 2; ++c) block(c, c) += diagonal;
    return block;
  };
  for (int row = 0; row < constraints + unknowns; ++row) {
    for (int column = 0; column < constraints + unknowns; ++column) {
      bool const couples = (row < constraints) != (column < constraints) && (row + column) % constraints == 0;
      bool const is_near = row >= constraints && column >= constraints && std::abs(row - column) <= 1;
      if (row == column && row < constraints) {
        a.add(column, DenseMatrix(2));
      } else if (couples || is_near) {
        a.add(column, random_block(row == column ? 6.0 : couples ? 2.0 : 0.0));
      }
    }
    a.end_row();
  }
  return a;
}

template <class Plan>
void solve_saddle_point(const typename Plan::execution_space& exec, typename Plan::Options options) {
  using Exec = typename Plan::execution_space;
  using Vector = PointVector<double, 2, Exec>;
  auto const reference = saddle_point();
  auto const a = to_device<double, 2, double>(exec, reference);
  Plan without(exec, a, options);
  without.factor(exec, a);
  EXPECT_TRUE(without.status(exec).singular());
  options.pivot_shift = 1.0;
  Plan plan(exec, a, options);
  plan.factor(exec, a);
  EXPECT_TRUE(plan.status(exec).ok()) << plan.status(exec).message();
  EXPECT_EQ(plan.status(exec).replaced, 5);
  auto const solution = random_vector(std::int64_t{reference.rows()} * 2);
  Vector const b(to_view<double>(exec, solution)), x(exec, reference.rows()), product(exec, reference.rows());
  apply(exec, a, b, product);
  auto const result =
      Fgmres<Vector>(exec, reference.rows(), {.tolerance = 1e-12, .restart = 60}).solve(exec, a, plan, product, x);
  EXPECT_TRUE(result.converged());
  EXPECT_TRUE(near(to_host(x.flat()), solution, 1e-8));
}

template <class Exec>
class CsrPivotShiftSolves : public ::testing::Test {};
TYPED_TEST_SUITE(CsrPivotShiftSolves, ExecutionSpaces, SpaceNames);

TYPED_TEST(CsrPivotShiftSolves, systems_with_zeros_on_the_diagonal_are_solved) {
  TypeParam const exec;
  solve_saddle_point<BlockIlu0Csr<double, 2, TypeParam>>(exec, {});
  solve_saddle_point<BlockIlukCsr<double, 2, TypeParam>>(exec, {});
  solve_saddle_point<BlockIlutCsr<double, 2, TypeParam>>(exec, {});
}

TYPED_TEST(CsrPivotShiftSolves, factorizations_allocate_nothing_and_fence_nothing) {
  auto const exec = OtherInstance<TypeParam>::make();
  auto const a = to_device<double, 2, double>(exec, saddle_point());
  for (auto const path : csr_paths_of<TypeParam>()) {
    BlockIlu0Csr<double, 2, TypeParam> ilu(exec, a, {.path = path, .pivot_shift = 1.0});
    exec.fence();
    KokkosEvents const events;
    ilu.factor(exec, a);
    EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
    EXPECT_THAT(events.fences(), ::testing::IsEmpty());
    EXPECT_THAT(events.copies(), ::testing::IsEmpty());
    auto const launches = path == CsrPath::team ? 1 : ilu.forward_levels();
    EXPECT_EQ(events.kernels().size(), static_cast<std::size_t>(launches) + 3u);
  }
}

}  // namespace
}  // namespace hyperplane::test
