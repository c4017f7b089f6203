// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "case.hpp"
#include "mesh/airfoil.hpp"
#include "report/wall_forces.hpp"
#include "solver/flow_solver.hpp"

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>

namespace implicit_flow::airfoil {
namespace {

TEST(AirfoilGrid, IsOnTheAirfoilAndMeetsItselfBehindIt) {
  hyperplane::Grid const cells(40, 30, 2);
  auto const mesh = make_airfoil(cells);
  double thickest = 0;
  double nose = 1;
  for (int i = 0; i <= 40; ++i) {
    Vec3 const p = mesh.at(i, 0, 0);
    // NACA 0012 where its equation closes, with chord 1.
    double const x = p.x * 1.008930411365;
    double const y =
        0.6 * (0.2969 * std::sqrt(x) - 0.1260 * x - 0.3516 * x * x + 0.2843 * x * x * x - 0.1015 * x * x * x * x);
    EXPECT_NEAR(std::abs(p.y) * 1.008930411365, y, 1e-9);
    EXPECT_EQ(mesh.at(40 - i, 0, 0).y, -p.y);
    EXPECT_LE(i < 20 ? p.y : -p.y, 0);
    thickest = std::max(thickest, p.y);
    nose = std::min(nose, p.x);
    Vec3 const far = mesh.at(i, 30, 2);
    EXPECT_NEAR(std::hypot(far.x - 0.5, far.y), 0.27 * std::exp(2 * 3.14159 * 30 / 40), 3);
  }
  EXPECT_NEAR(thickest, 0.06 / 1.0089, 3e-4);
  EXPECT_EQ(nose, 0);
  EXPECT_EQ(mesh.at(0, 0, 0).x, 1);

  auto const flow = make_case({.kind = CaseKind::airfoil, .cells = cells});
  ASSERT_EQ(flow.blocks.cells.interfaces().size(), 2U);
  auto const& interface = flow.blocks.cells.interfaces()[0];
  EXPECT_EQ(interface.face, hyperplane::Direction::west);
  EXPECT_EQ(interface.points, (hyperplane::Box{{0, 0, 0}, {1, 30, 2}}));
  EXPECT_EQ(interface.donor_begin, (hyperplane::Point{39, 0, 0}));
  EXPECT_THROW(make_airfoil({9, 8, 1}), hyperplane::Error);
  EXPECT_THROW(make_airfoil({32, 192, 1}), hyperplane::Error);
}

WallForces forces(const CaseOptions& options, hyperplane::Coupling coupling = hyperplane::Coupling::none) {
  Kokkos::DefaultExecutionSpace const exec;
  auto const flow = make_case(options);
  FlowSolver solver(exec, flow.blocks, flow.gas, flow.boundary,
                    {.damping = default_damping(flow.kind), .linear = {.coupling = coupling}});
  EXPECT_TRUE(solver.run(exec, [](const StepReport&) {}).converged);
  return measure_wall_forces(*whole_solution(flow.blocks, solver.solutions(exec)), flow.mach, flow.attack);
}

TEST(Airfoil, ComesCloserToThePublishedForcesOnAFinerGrid) {
  hyperplane::Grid const cells(32, 32, 1);
  auto const coarse = forces({.kind = CaseKind::airfoil, .cells = cells});
  auto const fine = forces({.kind = CaseKind::airfoil, .cells = hyperplane::Grid(48, 48, 1)});
  EXPECT_LT(std::abs(fine.lift - vassberg_jameson.lift), 0.75 * std::abs(coarse.lift - vassberg_jameson.lift));
  EXPECT_LT(std::abs(fine.drag - vassberg_jameson.drag), 0.75 * std::abs(coarse.drag - vassberg_jameson.drag));

  auto const parts =
      forces({.kind = CaseKind::airfoil, .parts = {2, 2, 1}, .cells = cells}, hyperplane::Coupling::coloured);
  EXPECT_NEAR(parts.lift, coarse.lift, 1e-7);
  EXPECT_NEAR(parts.drag, coarse.drag, 1e-7);
}

TEST(Airfoil, WithoutAnAngleOfAttackThereIsNoLift) {
  auto const found = forces({.kind = CaseKind::airfoil, .cells = hyperplane::Grid(32, 32, 1), .attack_degrees = 0});
  EXPECT_NEAR(found.lift, 0, 1e-7);
  EXPECT_GT(found.drag, 0);
}

}  // namespace
}  // namespace implicit_flow::airfoil
