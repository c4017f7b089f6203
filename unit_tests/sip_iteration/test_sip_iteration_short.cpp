// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/sip_iteration/sip_iteration.hpp>
#include <type_traits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/short_factors.hpp"
#include "support/sip_problems.hpp"
#include "support/transfer.hpp"

// Coefficients of 16 bits.
namespace hyperplane::test::sip_iteration_short {
namespace {

template <class Exec>
class SipIterationShort : public ::testing::Test {};
TYPED_TEST_SUITE(SipIterationShort, ExecutionSpaces, SpaceNames);

template <class Storage, class Exec>
std::vector<SipIterationPath> paths_with() {
  if (CudaExecutionSpace<Exec> && !std::is_same_v<Storage, Half>) {
    return {SipIterationPath::portable, SipIterationPath::slab};
  }
  return {SipIterationPath::portable};
}

/// Iterations one by one with the factors that Sip has in each order.
template <class Storage, class Exec>
std::vector<double> by_solves(const Exec& exec, const ReferenceStencil& a, const std::vector<double>& b, bool alternate,
                              int count) {
  auto const plan_of = [&](const ReferenceStencil& matrix) {
    Sip<double, Exec, Storage> sip(exec, matrix.grid, {.alpha = 0.8, .path = SweepPath::portable});
    sip.factor(exec, to_device<double, 1, double>(exec, matrix));
    EXPECT_TRUE(sip.status(exec).ok()) << sip.status(exec).message();
    return sip;
  };
  auto const usual = plan_of(a), other = plan_of(mirrored(a));
  std::vector<double> x(b.size());
  for (int m = 0; m < count; ++m) {
    auto r = a.apply(x);
    for (std::size_t e = 0; e < r.size(); ++e) r[e] = b[e] - r[e];
    bool const turned = alternate && m % 2 == 1;
    auto const delta = to_device<double, 1>(exec, a.grid, turned ? mirrored(r) : r);
    (turned ? other : usual).solve(exec, delta, delta);
    auto const correction = turned ? mirrored(to_host(exec, delta)) : to_host(exec, delta);
    for (std::size_t e = 0; e < x.size(); ++e) x[e] += correction[e];
  }
  return x;
}

template <class Storage, class Exec>
void compare_with_solves(const Exec& exec, const ReferenceStencil& a, const std::vector<double>& b) {
  auto const matrix = to_device<double, 1, double>(exec, a);
  for (bool const alternate : {true, false}) {
    auto const expected = by_solves<Storage>(exec, a, b, alternate, 3);
    for (SipIterationPath const path : paths_with<Storage, Exec>()) {
      SipIteration<double, Exec, Storage> iteration(exec, a.grid, {.alpha = 0.8, .alternate = alternate, .path = path});
      EXPECT_EQ(iteration.options().path, path);
      iteration.factor(exec, matrix);
      EXPECT_TRUE(iteration.status(exec).ok()) << iteration.status(exec).message();
      BlockVector<double, 1, Exec> const x(exec, a.grid);
      iteration.iterate(exec, matrix, to_device<double, 1>(exec, a.grid, b), x, 3);
      // Where another kernel computes them, some coefficients are rounded the other way.
      double const tolerance =
          path == SipIterationPath::portable ? rounding<double>(400, 1) : 4 * unit_roundoff<Storage>;
      EXPECT_TRUE(near(to_host(exec, x), expected, tolerance))
          << to_string(a.grid) << ", path " << name(path) << (alternate ? ", alternating" : "");
    }
  }
}

TYPED_TEST(SipIterationShort, is_solves_one_by_one_in_any_units) {
  TypeParam const exec;
  for (auto const& grid : {Grid(1, 1, 1), Grid(5, 4, 3), Grid(9, 17, 5)}) {
    auto const a = random_stencil(grid, 1);
    auto const b = random_vector(a.rows());
    compare_with_solves<Half>(exec, a, b);
    compare_with_solves<BFloat16>(exec, a, b);
    compare_with_solves<Half>(exec, in_other_units(a), times_equations(b, 1));
  }
}

TYPED_TEST(SipIterationShort, iterations_for_the_poisson_problem) {
  // A row of the table of docs/algorithms.md. Coefficients that are rounded the other way may take a look more.
  TypeParam const exec;
  EXPECT_NEAR((poisson_iterations<SipIteration<double, TypeParam, Half>>(exec, 0.98, true)), 42, 2);
  EXPECT_NEAR((poisson_iterations<SipIteration<double, TypeParam, BFloat16>>(exec, 0.98, true)), 36, 2);
}

TYPED_TEST(SipIterationShort, that_are_too_large_are_a_status) {
  TypeParam const exec;
  Point const bad{2, 10, 1};
  auto a = random_stencil(Grid(5, 19, 4), 1);
  a.block(a.grid.index(bad), Direction::south)(0, 0) = 1e7;
  a.block(a.grid.index({2, 9, 1}), Direction::north)(0, 0) = 0;
  SipIteration<double, TypeParam, Half> iteration(exec, a.grid, {.alpha = 0});
  iteration.factor(exec, to_device<double, 1, double>(exec, a));
  auto const status = iteration.status(exec);
  EXPECT_EQ(status.failure, FactorFailure::overflow) << status.message();
  EXPECT_EQ(status.point, bad);
}

}  // namespace
}  // namespace hyperplane::test::sip_iteration_short
