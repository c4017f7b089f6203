// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "case.hpp"
#include "report/oblique_shock.hpp"
#include "report/wedge.hpp"
#include "solver/flow_solver.hpp"

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <numbers>

namespace implicit_flow::wedge {
namespace {

constexpr double degree = std::numbers::pi / 180;

struct Outcome {
  SteadyResult result;
  ObliqueShock shock;
};

Outcome solve_wedge(const hyperplane::Grid& cells, const SteadyOptions& options) {
  Kokkos::DefaultExecutionSpace const exec;
  auto const flow = make_case({.kind = CaseKind::wedge, .cells = cells});
  FlowSolver solver(exec, flow.blocks, flow.gas, flow.boundary, options);
  auto const result = solver.run(exec, [](const StepReport&) {});
  return {result, measure_wedge_shock(solver.solutions(exec).front())};
}

TEST(Wedge, ComesCloserToTheoryOnAFinerGrid) {
  auto const theory = weak_oblique_shock(2, 10 * degree, 1.4);
  auto const coarse = solve_wedge({20, 16, 1}, {});
  auto const fine = solve_wedge({40, 32, 1}, {});
  for (auto const& outcome : {coarse, fine}) {
    EXPECT_TRUE(outcome.result.converged);
    EXPECT_LT(outcome.result.residual, 1e-8);
  }
  auto const expect_closer = [](double at_first, double then, double exact, const char* what) {
    EXPECT_LT(std::abs(then - exact), std::abs(at_first - exact)) << what;
    EXPECT_NEAR(then, exact, 0.01 * exact) << what;
  };
  expect_closer(coarse.shock.shock_angle, fine.shock.shock_angle, theory.shock_angle, "shock angle");
  expect_closer(coarse.shock.pressure_ratio, fine.shock.pressure_ratio, theory.pressure_ratio, "pressure ratio");
  expect_closer(coarse.shock.mach, fine.shock.mach, theory.mach, "Mach number");
}

TEST(Wedge, EveryLinearSolverFindsTheSameFlow) {
  hyperplane::Grid const cells(20, 12, 2);
  auto const reference = solve_wedge(cells, {}).shock;
  for (auto const method : {Method::fgmres, Method::fgcrodr, Method::correction}) {
    auto const shock = solve_wedge(cells, {.linear = {.method = method}}).shock;
    EXPECT_NEAR(shock.shock_angle, reference.shock_angle, 1e-7);
    EXPECT_NEAR(shock.mach, reference.mach, 1e-7);
  }
  auto const portable = solve_wedge(cells, {.linear = {.path = hyperplane::SweepPath::portable}}).shock;
  EXPECT_NEAR(portable.shock_angle, reference.shock_angle, 1e-7);
}

TEST(Wedge, FirstOrderIsNewtonsMethod) {
  auto const outcome = solve_wedge({20, 16, 1}, {.max_steps = 20, .max_cfl = 1e12, .order = Order::first});
  EXPECT_TRUE(outcome.result.converged) << outcome.result.residual;
}

}  // namespace
}  // namespace implicit_flow::wedge
