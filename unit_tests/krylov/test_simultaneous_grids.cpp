// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <hyperplane/krylov/simultaneous_bicgstab.hpp>
#include <hyperplane/krylov/simultaneous_fgmres.hpp>
#include <hyperplane/krylov/transposed.hpp>
#include <hyperplane/stencil/apply_several.hpp>
#include <hyperplane/stencil/apply_transposed.hpp>
#include <limits>
#include <string>
#include <vector>

#include "several_on_grids.hpp"
#include "simultaneous_fixture.hpp"
#include "support/execution_spaces.hpp"
#include "support/kokkos_events.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/serial_reference.hpp"
#include "support/several_vectors.hpp"
#include "support/transfer.hpp"

// Several right-hand sides on a grid, beside single ones.
namespace hyperplane::test::simultaneous_grids {
namespace {

template <class Exec>
class SimultaneousOnGrids : public ::testing::Test {};
TYPED_TEST_SUITE(SimultaneousOnGrids, ExecutionSpaces, SpaceNames);

HostVectors zeros_like(const HostVectors& vectors) {
  return HostVectors(vectors.size(), std::vector<double>(vectors[0].size(), 0.0));
}

/// Each of several right-hand sides, from a guess, has the result of Single for it alone.
template <template <class> class Several, template <class> class Single, int n, int count, class Exec, class Precond>
auto compare_on_grid(const Exec& exec, const BlockStencil7<double, n, Exec>& a, const Precond& m, const HostVectors& b,
                     const HostVectors& guess, const KrylovOptions& options) {
  using Vectors = BlockVectors<double, n, count, Exec>;
  auto const& grid = a.grid();
  auto const rhs = on_grid<n, count>(exec, grid, b), x = on_grid<n, count>(exec, grid, guess);
  auto const y = on_grid<n, count>(exec, grid, guess);
  auto const results = Several<Vectors>(exec, grid, options).solve(exec, a, m, rhs, x);
  Single<typename Vectors::Vector> const alone(exec, grid, options);
  for (int j = 0; j < count; ++j) {
    SCOPED_TRACE("vector " + std::to_string(j) + " of " + std::to_string(count));
    auto const result = alone.solve(exec, a, m, rhs[j], y[j]);
    expect_same_result(results[static_cast<std::size_t>(j)], result, same_bits<Exec>);
    if (!result.converged()) continue;
    EXPECT_TRUE(same_values(exec, x[j], y[j], 1e-6));
  }
  return results;
}

template <template <class> class Several, template <class> class Single, int n, int count, class Exec>
void compare_with_ilu(const Exec& exec, const Grid& grid, const KrylovOptions& options) {
  SCOPED_TRACE(to_string(grid) + ", n = " + std::to_string(n));
  auto const reference = random_stencil(grid, n);
  auto const a = to_device<double, n, double>(exec, reference);
  BlockIlu0<double, n, Exec> ilu(exec, grid);
  ilu.factor(exec, a);
  auto const b = random_vectors(count, grid.size() * n);
  // One begins near its solution, and ends before the others.
  auto guess = zeros_like(b);
  auto near_solution = b;
  near_solution[1] = reference.apply(b[1]);
  guess[1] = b[1];
  guess[1][0] += 1e-6;
  for (auto const& result : compare_on_grid<Several, Single, n, count>(exec, a, ilu, near_solution, guess, options)) {
    EXPECT_TRUE(result.converged()) << result.message();
  }
}

TYPED_TEST(SimultaneousOnGrids, methods_have_the_iterates_of_single_solves) {
  TypeParam const exec;
  KrylovOptions const options{.tolerance = 1e-9};
  compare_with_ilu<SimultaneousBiCgStab, BiCgStab, 5, 2>(exec, Grid(9, 17, 5), options);
  compare_with_ilu<SimultaneousFgmres, Fgmres, 5, 2>(exec, Grid(9, 17, 5), {.tolerance = 1e-9, .restart = 3});
  for (auto const& grid : {Grid(1, 1, 1), Grid(1, 7, 1), Grid(11, 9, 4)}) {
    compare_with_ilu<SimultaneousBiCgStab, BiCgStab, 1, 8>(exec, grid, options);
    compare_with_ilu<SimultaneousFgmres, Fgmres, 1, 8>(exec, grid, {.tolerance = 1e-9, .check_interval = 3});
  }
}

TYPED_TEST(SimultaneousOnGrids, methods_solve_adjoint_systems) {
  TypeParam const exec;
  constexpr int n = 3, count = 4;
  for (auto const& grid : {Grid(1, 1, 1), Grid(11, 9, 4)}) {
    SCOPED_TRACE(to_string(grid));
    auto const reference = random_stencil(grid, n);
    auto const a = to_device<double, n, double>(exec, reference);
    BlockIlu0<double, n, TypeParam> ilu(exec, grid);
    ilu.factor(exec, a);
    auto const solutions = random_vectors(count, grid.size() * n);
    HostVectors b;
    for (auto const& solution : solutions) b.push_back(reference_transposed_product(reference, solution));
    using Vectors = BlockVectors<double, n, count, TypeParam>;
    auto const rhs = on_grid<n, count>(exec, grid, b);
    auto const check = [&](const auto& method) {
      Vectors const x(exec, grid);
      auto const results = method.solve(exec, transposed(a), transposed(ilu), rhs, x);
      for (int j = 0; j < count; ++j) {
        EXPECT_TRUE(results[static_cast<std::size_t>(j)].converged()) << j;
        EXPECT_TRUE(near(to_host(exec, x[j]), solutions[static_cast<std::size_t>(j)], 1e-7)) << j;
      }
    };
    check(SimultaneousBiCgStab<Vectors>(exec, grid, {.tolerance = 1e-11}));
    check(SimultaneousFgmres<Vectors>(exec, grid, {.tolerance = 1e-11}));
  }
}

// What is not finite, in vectors or in padding, comes neither to the others nor to the next solve.
template <template <class> class Several, template <class> class Single, class Exec>
void check_endings(const Exec& exec) {
  constexpr int n = 2, count = 5;
  Grid const grid(4, 5, 3);
  auto const reference = random_stencil(grid, n);
  auto const a = to_device<double, n, double>(exec, reference);
  auto b = random_vectors(count, grid.size() * n);
  auto guess = zeros_like(b);
  b[0].assign(b[0].size(), 0.0);
  guess[0].assign(b[0].size(), 1.0);
  b[1][4] = std::numeric_limits<double>::quiet_NaN();
  guess[2][7] = std::numeric_limits<double>::infinity();
  for (auto& value : b[3]) value *= 1e-200;
  using Vectors = BlockVectors<double, n, count, Exec>;
  KrylovOptions const options{.tolerance = 1e-10, .restart = 7};
  auto const results = compare_on_grid<Several, Single, n, count>(exec, a, IdentityPreconditioner(), b, guess, options);
  EXPECT_EQ(results[0].iterations, 0);
  EXPECT_EQ(results[1].breakdown, KrylovBreakdown::right_hand_side);
  EXPECT_EQ(results[2].breakdown, KrylovBreakdown::initial_guess);
  for (std::size_t const j : {0, 3, 4}) EXPECT_TRUE(results[j].converged()) << j << results[j].message();
  auto const healthy = on_grid<n, count>(exec, grid, random_vectors(count, grid.size() * n, 30));
  Vectors const x(exec, grid), again(exec, grid), broken = on_grid<n, count>(exec, grid, b);
  Several<Vectors> const method(exec, grid, options);
  method.solve(exec, a, IdentityPreconditioner(), healthy, x);
  KokkosEvents const events;
  method.solve(exec, a, IdentityPreconditioner(), broken, again);
  EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
  Kokkos::deep_copy(exec, again.flat(), 0.0);
  method.solve(exec, a, IdentityPreconditioner(), healthy, again);
  EXPECT_TRUE(bitwise_equal(to_host(again.flat()), to_host(x.flat())));
}

TYPED_TEST(SimultaneousOnGrids, methods_leave_alone_what_has_ended) {
  TypeParam const exec;
  check_endings<SimultaneousBiCgStab, BiCgStab>(exec);
  check_endings<SimultaneousFgmres, Fgmres>(exec);
}

TYPED_TEST(SimultaneousOnGrids, says_what_is_wrong) {
  TypeParam const exec;
  using Vectors = BlockVectors<double, 1, 2, TypeParam>;
  Grid const grid(3, 4, 5), other(3, 4, 6);
  BlockStencil7<double, 1, TypeParam> const a(exec, grid);
  Vectors const x(exec, grid), wrong(exec, other);
  using ::testing::HasSubstr;
  EXPECT_THAT(message_of([&] { apply(exec, a, x, wrong); }),
              HasSubstr("apply: the result is on a grid of 3x4x6 points, expected 3x4x5"));
  EXPECT_THAT(message_of([&] { apply(exec, a, x, x); }), HasSubstr("apply: the result must not be x"));
  EXPECT_THAT(message_of([&] { BlockIlu0<double, 1, TypeParam>(exec, grid).solve(exec, x, x); }),
              HasSubstr("BlockIlu0::solve: called before factor"));
  EXPECT_EQ(Vectors(grid, x.flat())[1].flat().data(), x[1].flat().data());
  auto const count = std::to_string(wrong.flat().size());
  EXPECT_THAT(
      message_of([&] { Vectors(grid, wrong.flat()); }),
      HasSubstr("BlockVectors: " + count + " values are not those of 2 vectors of 1 unknowns on a grid of 3x4x5"));
  SimultaneousBiCgStab<Vectors> const method(exec, grid);
  EXPECT_THAT(message_of([&] { method.solve(exec, a, IdentityPreconditioner(), x, wrong); }),
              HasSubstr("SimultaneousBiCgStab: vectors are of 3x4x6 points, expected 3x4x5"));
}

}  // namespace
}  // namespace hyperplane::test::simultaneous_grids
