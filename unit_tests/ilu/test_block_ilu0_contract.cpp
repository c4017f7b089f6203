// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <limits>

#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/solver_paths.hpp"
#include "support/transfer.hpp"

// What the plan promises beside its result: no allocation, no fence, the given instance, errors.
namespace hyperplane::test {
namespace {

template <class Exec>
class BlockIlu0Contract : public ::testing::Test {};
TYPED_TEST_SUITE(BlockIlu0Contract, ExecutionSpaces, SpaceNames);

constexpr int n = 2;

TYPED_TEST(BlockIlu0Contract, factor_and_solve_allocate_nothing_and_fence_nothing) {
  auto const exec = OtherInstance<TypeParam>::make();
  Grid const grid(9, 10, 4);
  auto const a = to_device<double, n, double>(exec, random_stencil(grid, n));
  auto const b = to_device<double, n>(exec, grid, random_vector(grid.size() * n));
  BlockVector<double, n, TypeParam> const x(exec, grid);
  for (SolverPath const path : solver_paths_of<TypeParam>()) {
    auto ilu = path.make<BlockIlu0<double, n, TypeParam>>(exec, grid);
    exec.fence();
    KokkosEvents const events;
    ilu.factor(exec, a);
    ilu.solve(exec, b, x);
    EXPECT_THAT(events.allocations(), ::testing::IsEmpty()) << name(path);
    EXPECT_THAT(events.fences(), ::testing::IsEmpty()) << name(path);
    EXPECT_THAT(events.copies(), ::testing::IsEmpty()) << name(path);
    EXPECT_GT(events.kernels().size(), 2u);
    auto const instance = Kokkos::Tools::Experimental::device_id(exec);
    for (auto const& kernel : events.kernels()) {
      EXPECT_THAT(kernel.label, ::testing::StartsWith("Hyperplane::"));
      EXPECT_EQ(kernel.device_and_instance, instance) << kernel.label << " is not on the given instance";
    }
    auto const labels = [&] {
      std::vector<std::string> result;
      for (auto const& kernel : events.kernels()) result.push_back(kernel.label);
      return result;
    }();
    EXPECT_THAT(labels, ::testing::Contains("Hyperplane::BlockIlu0::factor"));
    EXPECT_THAT(labels, ::testing::Contains(::testing::StartsWith("Hyperplane::BlockIlu0::solve")));
  }
}

TYPED_TEST(BlockIlu0Contract, names_the_first_singular_pivot) {
  TypeParam const exec;
  Grid const grid(9, 10, 4);
  auto reference = random_stencil(grid, n);
  // Row 1 of two points: zero in the diagonal block and nothing from below, so that the pivot is exactly zero.
  auto const make_singular = [&](int i, int j, int k) {
    for (auto const d : {Direction::center, Direction::west, Direction::south, Direction::bottom}) {
      auto& block = reference.block(grid.index(i, j, k), d);
      for (int c = 0; c < n; ++c) block(1, c) = 0.0;
    }
  };
  make_singular(7, 9, 3);
  make_singular(4, 5, 2);
  for (SolverPath const path : solver_paths_of<TypeParam>()) {
    auto ilu = path.make<BlockIlu0<double, n, TypeParam>>(exec, grid);
    ilu.factor(exec, to_device<double, n, double>(exec, reference));
    auto const status = ilu.status(exec);
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(status.point, (Point{4, 5, 2})) << status.message();
    EXPECT_EQ(status.equation, 1);

    // Not replaced in silence: the solution is not finite.
    auto const x = to_device<double, n>(exec, grid, std::vector<double>(grid.size() * n, 1.0));
    ilu.solve(exec, x, x);
    auto const solution = to_host(exec, x);
    EXPECT_FALSE(std::isfinite(solution[grid.index(4, 5, 2) * n]));

    ilu.factor(exec, to_device<double, n, double>(exec, random_stencil(grid, n)));
    EXPECT_TRUE(ilu.status(exec).ok()) << "a regular matrix clears the status";
  }
}

TYPED_TEST(BlockIlu0Contract, reports_nan) {
  TypeParam const exec;
  Grid const grid(3, 4, 5);
  auto reference = random_stencil(grid, n);
  reference.block(grid.index(1, 2, 3), Direction::center)(0, 1) = std::numeric_limits<double>::quiet_NaN();
  for (SolverPath const path : solver_paths_of<TypeParam>()) {
    auto ilu = path.make<BlockIlu0<double, n, TypeParam>>(exec, grid);
    ilu.factor(exec, to_device<double, n, double>(exec, reference));
    EXPECT_EQ(ilu.status(exec).point, (Point{1, 2, 3}));
  }
}

TYPED_TEST(BlockIlu0Contract, refuses_other_grids_and_a_solve_before_factor) {
  TypeParam const exec;
  Grid const grid(3, 4, 5), other(4, 3, 5);
  BlockIlu0<double, n, TypeParam> ilu(exec, grid);
  BlockStencil7<double, n, TypeParam> const a(exec, other);
  BlockVector<double, n, TypeParam> const right(exec, grid), wrong(exec, other);
  try {
    ilu.factor(exec, a);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::AllOf(::testing::HasSubstr("3x4x5"), ::testing::HasSubstr("4x3x5")));
  }
  EXPECT_THROW(ilu.solve(exec, right, right), Error);
  ilu.factor(exec, to_device<double, n, double>(exec, random_stencil(grid, n)));
  EXPECT_NO_THROW(ilu.solve(exec, right, right));
  auto const message = [&](const auto& rhs, const auto& x) -> std::string {
    try {
      ilu.solve(exec, rhs, x);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  using ::testing::AllOf, ::testing::HasSubstr;
  EXPECT_THAT(message(wrong, right), AllOf(HasSubstr("the right-hand side"), HasSubstr("3x4x5"), HasSubstr("4x3x5")));
  EXPECT_THAT(message(right, wrong), AllOf(HasSubstr("x is"), HasSubstr("3x4x5"), HasSubstr("4x3x5")));
}

TYPED_TEST(BlockIlu0Contract, takes_a_path_at_its_word) {
  TypeParam const exec;
  Grid const grid(3, 4, 5);
  using Ilu = BlockIlu0<double, n, TypeParam>;
  EXPECT_NE(Ilu(exec, grid).path(), SweepPath::automatic);
  EXPECT_EQ(Ilu(exec, grid, {.path = SweepPath::portable}).path(), SweepPath::portable);
  auto const runs = paths_of<TypeParam>();
  for (SweepPath const path : sweep_paths) {
    if (path == SweepPath::automatic) continue;
    if (std::find(runs.begin(), runs.end(), path) != runs.end()) {
      EXPECT_EQ(Ilu(exec, grid, {.path = path}).path(), path);
    } else {
      EXPECT_THROW(Ilu(exec, grid, {.path = path}), Error) << name(path);
    }
  }
  EXPECT_THROW(Ilu(exec, grid, {.path = SweepPath::comparison}), Error);
  for (ComparisonPath const path : comparison_paths) {
    if constexpr (CudaExecutionSpace<TypeParam>) {
      EXPECT_EQ(with_comparison_path<Ilu>(exec, grid, path).path(), SweepPath::comparison);
      EXPECT_THROW(with_comparison_path<Ilu>(exec, grid, path, {.path = SweepPath::portable}), Error) << name(path);
    } else {
      EXPECT_THROW(with_comparison_path<Ilu>(exec, grid, path), Error) << name(path);
    }
  }
}

}  // namespace
}  // namespace hyperplane::test
