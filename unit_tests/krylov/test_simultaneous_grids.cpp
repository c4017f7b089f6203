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
#include <hyperplane/ssor/ssor.hpp>
#include <hyperplane/stencil/apply_several.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "simultaneous_fixture.hpp"
#include "support/execution_spaces.hpp"
#include "support/kokkos_events.hpp"
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

template <int n, int count, class Exec>
BlockVectors<double, n, count, Exec> on_grid(const Exec& exec, const Grid& grid, const HostVectors& values) {
  BlockVectors<double, n, count, Exec> const result(exec, grid);
  for (int j = 0; j < count; ++j) pack(exec, to_view<double>(exec, values[static_cast<std::size_t>(j)]), result[j]);
  exec.fence();
  return result;
}

HostVectors zeros_like(const HostVectors& vectors) {
  return HostVectors(vectors.size(), std::vector<double>(vectors[0].size(), 0.0));
}

/// Points alone: what is in the padding is not the same for all kernels.
template <class Exec, class Vector>
::testing::AssertionResult same_values(const Exec& exec, const Vector& found, const Vector& single, double tolerance) {
  return same_as_single<Exec>(to_host(exec, found), to_host(exec, single), tolerance);
}

std::vector<Grid> grids() { return {Grid(1, 1, 1), Grid(1, 7, 1), Grid(17, 2, 9), Grid(9, 17, 5)}; }

template <int n, int count, class Storage, class Exec>
void check_products(const Exec& exec, const Grid& grid) {
  SCOPED_TRACE(to_string(grid) + ", n = " + std::to_string(n) + ", " + std::to_string(count) + " vectors");
  auto const reference = random_stencil(grid, n);
  auto const a = to_device<double, n, Storage>(exec, reference);
  auto const values = random_vectors(count, grid.size() * n);
  auto const x = on_grid<n, count>(exec, grid, values);
  BlockVectors<double, n, count, Exec> const y(exec, grid), of_devices(exec, grid);
  apply(exec, a, x, y);
  [&]<std::size_t... v>(std::index_sequence<v...>) {
    detail::ApplySeveral<double, n, Storage, vector_length_v<double, Exec>, count> const kernel{
        a.ref(), {x[v].ref()...}, {of_devices[v].ref()...}};
    detail::launch("apply", detail::LongIndexRange<Exec>(exec, 0, kernel.size()), 1.0, kernel);
  }(std::make_index_sequence<count>());
  BlockVector<double, n, Exec> const single(exec, grid);
  for (int j = 0; j < count; ++j) {
    apply(exec, a, x[j], single);
    EXPECT_TRUE(same_values(exec, y[j], single, rounding<double>(20, n))) << j;
    auto const expected = reference.apply(values[static_cast<std::size_t>(j)]);
    EXPECT_TRUE(near(to_host(exec, y[j]), expected, rounding<Storage>(20, n))) << j;
    EXPECT_TRUE(near(to_host(exec, of_devices[j]), expected, rounding<Storage>(20, n))) << "of devices, " << j;
  }
}

TYPED_TEST(SimultaneousOnGrids, products_are_those_of_single_vectors) {
  TypeParam const exec;
  for (auto const& grid : grids()) {
    check_products<1, 8, double>(exec, grid);
    check_products<5, 3, double>(exec, grid);
    check_products<3, 2, float>(exec, grid);
  }
}

template <int n, int count, template <class...> class Precond, class Exec>
void check_preconditioner(const Exec& exec, const Grid& grid, const typename Precond<Exec>::Options& options) {
  SCOPED_TRACE(to_string(grid) + ", n = " + std::to_string(n) + ", " + std::to_string(count) + " vectors");
  auto const a = to_device<double, n, double>(exec, random_stencil(grid, n));
  Precond<Exec> m(exec, grid, options);
  m.factor(exec, a);
  auto const x = on_grid<n, count>(exec, grid, random_vectors(count, grid.size() * n));
  BlockVectors<double, n, count, Exec> const y(exec, grid);
  BlockVector<double, n, Exec> const single(exec, grid);
  m.solve(exec, x, y);
  for (int j = 0; j < count; ++j) {
    m.solve(exec, x[j], single);
    EXPECT_TRUE(same_values(exec, y[j], single, rounding<double>(200, n))) << j;
  }
  m.solve(exec, x, x);
  for (int j = 0; j < count; ++j) EXPECT_TRUE(same_values(exec, x[j], y[j], 0.0)) << "in place, " << j;
}

template <class Exec>
using Ilu1 = BlockIlu0<double, 1, Exec>;
template <class Exec>
using Ilu5 = BlockIlu0<double, 5, Exec>;
template <class Exec>
using Ssor3 = Ssor<double, 3, Exec>;

TYPED_TEST(SimultaneousOnGrids, preconditioners_solve_as_for_single_vectors) {
  TypeParam const exec;
  for (auto const& grid : grids()) {
    check_preconditioner<1, 8, Ilu1>(exec, grid, {.right_hand_sides = 3});
    check_preconditioner<5, 2, Ilu5>(exec, grid, {});
    check_preconditioner<3, 5, Ssor3>(exec, grid, {});
    check_preconditioner<3, 5, Ssor3>(exec, grid, {.path = SweepPath::portable});
  }
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
  SimultaneousBiCgStab<Vectors> const method(exec, grid);
  EXPECT_THAT(message_of([&] { method.solve(exec, a, IdentityPreconditioner(), x, wrong); }),
              HasSubstr("SimultaneousBiCgStab: vectors are of 3x4x6 points, expected 3x4x5"));
}

}  // namespace
}  // namespace hyperplane::test::simultaneous_grids
