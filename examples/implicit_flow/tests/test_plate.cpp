// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "case.hpp"
#include "report/blasius.hpp"
#include "report/plate.hpp"
#include "solver/flow_solver.hpp"

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <string>

namespace implicit_flow {
namespace {

TEST(Blasius, HasTheValuesOfTheTables) {
  Blasius const theory;
  EXPECT_EQ(theory.velocity(0), 0);
  EXPECT_NEAR(theory.velocity(1), 0.32979, 2e-5);
  EXPECT_NEAR(theory.velocity(2), 0.62977, 2e-5);
  EXPECT_NEAR(theory.velocity(5), 0.99155, 2e-5);
  EXPECT_NEAR(theory.velocity(9), 1, 1e-5);
  EXPECT_EQ(theory.velocity(100), 1);
}

struct Outcome {
  SteadyResult result;
  double friction;
  double profile_error;
};

/// Subsonic, so that theory is as good as exact; the grid's cells are hundreds of times as long as high at the wall.
Outcome solve_plate(const hyperplane::Grid& cells, const LinearOptions& linear = {}) {
  Kokkos::DefaultExecutionSpace const exec;
  auto const flow = make_case({.kind = CaseKind::plate, .cells = cells, .mach = 0.5, .wall_cell = 0.01});
  EXPECT_GT(largest_wall_aspect(flow.blocks.meshes.front()), 150);
  FlowSolver solver(exec, flow.blocks, flow.gas, flow.boundary, {.linear = linear});
  auto const result = solver.run(exec, [](const StepReport&) {});
  auto const solution = solver.solutions(exec).front();
  return {result, measure_plate_friction(solution, flow.mach),
          largest_profile_error(measure_plate_profile(solution, flow.mach))};
}

TEST(Plate, IsBlasiusBoundaryLayer) {
  auto const coarse = solve_plate({32, 32, 1});
  EXPECT_TRUE(coarse.result.converged);
  EXPECT_NEAR(coarse.friction, Blasius::friction, 0.015 * Blasius::friction);
  EXPECT_LT(coarse.profile_error, 0.015);

  auto const fine = solve_plate({48, 48, 1});
  EXPECT_NEAR(fine.friction, Blasius::friction, 0.005 * Blasius::friction);
  EXPECT_LT(fine.profile_error, coarse.profile_error);
}

TEST(Plate, EveryPreconditionerFindsTheSameFlow) {
  hyperplane::Grid const cells(20, 20, 1);
  auto const reference = solve_plate(cells);
  for (LinearOptions const& linear :
       {LinearOptions{.preconditioner = Preconditioner::ssor, .relaxation = 1.1},
        LinearOptions{.preconditioner = Preconditioner::lines}, LinearOptions{.folded = {.i = true, .j = true}},
        LinearOptions{.preconditioner = Preconditioner::jacobi}}) {
    auto const outcome = solve_plate(cells, linear);
    EXPECT_TRUE(outcome.result.converged) << name(linear.preconditioner);
    EXPECT_NEAR(outcome.friction, reference.friction, 1e-6) << name(linear.preconditioner);
  }
}

TEST(Plate, LinesAcrossTheLayerTakeFewerIterationsThanLinesAlongIt) {
  Kokkos::DefaultExecutionSpace const exec;
  auto const flow =
      make_case({.kind = CaseKind::plate, .cells = hyperplane::Grid(24, 24, 1), .mach = 0.5, .wall_cell = 0.01});
  FlowSolver solver(exec, flow.blocks, flow.gas, flow.boundary,
                    {.max_steps = 10, .linear = {.max_iterations = 100}, .compare = true});
  auto const result = solver.run(exec, [](const StepReport&) {});
  auto const iterations = [&](const std::string& preconditioner) -> std::int64_t {
    for (auto const& totals : solver.comparison()) {
      if (totals.preconditioner != preconditioner) continue;
      EXPECT_EQ(totals.systems, 10);
      return totals.iterations;
    }
    ADD_FAILURE() << preconditioner;
    return 0;
  };
  EXPECT_EQ(iterations("BILU(0)"), result.linear_iterations) << "it is what the steps are taken with";
  EXPECT_LT(iterations("BILU(0), folded"), iterations("lines along j"));
  EXPECT_LT(2 * iterations("lines along j"), iterations("lines along i"));
  EXPECT_LT(2 * iterations("lines along j"), iterations("block Jacobi"));
  EXPECT_LE(iterations("lines alternating"), iterations("lines along j"));
}

}  // namespace
}  // namespace implicit_flow
