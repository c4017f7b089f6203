// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "adjoint/drag_gradient.hpp"
#include "adjoint/linearized_drag.hpp"
#include "solver/flow_solver.hpp"

#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/apply_transposed.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace implicit_flow::gradient {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Vector = LinearizedDrag<Exec>::Vector;

/// Grids and streams that differ in everything: one layer and two, odd numbers, an angle of attack, a viscous gas.
const std::vector<CaseOptions>& cases() {
  static const std::vector<CaseOptions> all = {
      {.cells = hyperplane::Grid(20, 16, 1)},
      {.cells = hyperplane::Grid(13, 9, 2), .mach = 2.5, .ramp_degrees = 14, .attack_degrees = 1},
      {.cells = hyperplane::Grid(11, 7, 1), .mach = 3, .ramp_degrees = 6, .reynolds = 200}};
  return all;
}

/// The flow, as steady as rounding leaves it.
Solution solve(const CaseOptions& options) {
  Exec const exec;
  auto const flow = make_case(options);
  FlowSolver solver(exec, flow.blocks, flow.gas, flow.boundary,
                    {.max_steps = 40,
                     .tolerance = 1e-15,
                     .max_cfl = 1e12,
                     .order = Order::first,
                     .linear = {.tolerance = 1e-6, .max_iterations = 200}});
  EXPECT_TRUE(solver.run(exec, [](const StepReport&) {}).converged);
  return solver.solutions(exec).front();
}

double drag(const CaseOptions& options) {
  auto const flow = make_case(options);
  return measure_wall_forces(solve(options), flow.mach, flow.attack).drag;
}

/// Central differences of fourth order between flows of their own.
template <class Change>
double difference(const CaseOptions& options, double step, const Change& change) {
  auto const at = [&](double by) {
    auto changed = options;
    change(changed, by * step);
    return drag(changed);
  };
  return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step);
}

/// Of several steps of the differences the one that fits best: large ones have their error, small ones rounding.
template <class Change>
void expect_differences(const CaseOptions& options, double found, const Change& change, const char* what) {
  double best = 1;
  for (double const step : {1e-2, 1e-3, 1e-4}) {
    best = std::min(best, std::abs(difference(options, step, change) / found - 1));
  }
  EXPECT_LT(best, 1e-6) << what << ", " << found;
}

TEST(DragGradient, IsThatOfDifferencesOfFlows) {
  for (auto const& options : cases()) {
    auto const found = drag_gradient(Exec(), options, solve(options));
    expect_differences(
        options, found.by_mach, [](CaseOptions& changed, double by) { changed.mach = changed.mach.value_or(2) + by; },
        "by Mach number");
    expect_differences(
        options, found.by_angle, [](CaseOptions& changed, double by) { changed.ramp_degrees += by; }, "by angle");
    EXPECT_NEAR(found.drag, drag(options), 1e-14);
  }
}

TEST(DragGradient, IsThatOfTheTangent) {
  Exec const exec;
  for (auto const& options : cases()) {
    auto const flow = solve(options);
    auto const found = drag_gradient(exec, options, flow);
    LinearizedDrag<Exec> const linearized(exec, options, flow);
    auto const& a = linearized.jacobian();
    hyperplane::BlockIlu0<double, equations, Exec> m(exec, a.grid());
    m.factor(exec, a);
    hyperplane::Fgmres<Vector> const fgmres(exec, a.grid(), {.tolerance = 1e-12, .max_iterations = 2000});
    auto const by = [&](Parameter parameter) {
      auto const [residual, explicit_drag] = linearized.by(exec, parameter);
      Vector const change(exec, a.grid(), "change of the flow");  // with the other sign
      EXPECT_TRUE(fgmres.solve(exec, a, m, residual, change).converged());
      return explicit_drag - dot(exec, linearized.drag_by_flow(), change);
    };
    double const by_mach = by(Parameter::mach), by_angle = by(Parameter::angle);
    EXPECT_NEAR(by_mach, found.by_mach, 1e-11 * std::abs(by_mach));
    EXPECT_NEAR(by_angle, found.by_angle, 1e-11 * std::abs(by_angle));
  }
}

/// Thin air pushes a ramp by its angle: J = 2 angle / beta * tan(angle) per Ackeret, with beta = sqrt(M^2 - 1).
TEST(DragGradient, IsCloseToTheoryOfSmallAngles) {
  double const mach = 2, degrees = 1, degree = 0.017453292519943295;
  CaseOptions const options{.cells = hyperplane::Grid(40, 32, 1), .mach = mach, .ramp_degrees = degrees};
  auto const found = drag_gradient(Exec(), options, solve(options));
  double const beta2 = mach * mach - 1, theory = 2 * std::pow(degrees * degree, 2) / std::sqrt(beta2);
  EXPECT_NEAR(found.drag, theory, 0.1 * theory);
  EXPECT_NEAR(found.by_mach, -theory * mach / beta2, 0.1 * theory);
  EXPECT_NEAR(found.by_angle, 2 * theory / degrees, 0.1 * 2 * theory / degrees);
}

std::string refusal(const CaseOptions& options, Order order) {
  try {
    check_drag_gradient(options, order);
  } catch (const hyperplane::Error& error) {
    return error.what();
  }
  return {};
}

TEST(DragGradient, IsRefusedWhereTheJacobianIsNotExact) {
  EXPECT_EQ(refusal({}, Order::first), "");
  EXPECT_NE(refusal({}, Order::second).find("--order first"), std::string::npos);
  EXPECT_NE(refusal({.kind = CaseKind::airfoil}, Order::first).find("it is for the wedge"), std::string::npos);
  EXPECT_NE(refusal({.grid_file = "wedge.p3d"}, Order::first).find("on its own grid"), std::string::npos);
  EXPECT_NE(refusal({.parts = {2, 3, 1}}, Order::first).find("there are 6"), std::string::npos);
}

}  // namespace
}  // namespace implicit_flow::gradient
