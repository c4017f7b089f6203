// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "adjoint/drag_gradient.hpp"
#include "adjoint/linearized_drag.hpp"
#include "solver/flow_solver.hpp"

#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/apply_transposed.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace implicit_flow::gradient {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Vector = LinearizedDrag<Exec>::Vector;

/// Fields at random.
class Random {
 public:
  explicit Random(const hyperplane::Grid& cells) : m_cells(cells) {}

  Field<Exec> field(const Quintet<double>& mean, double spread) {
    auto const result = make_field(Exec(), "field", m_cells);
    auto const host = Kokkos::create_mirror_view(result);
    std::uniform_real_distribution<double> noise(-spread, spread);
    for (std::int64_t number = 0; number < m_cells.size(); ++number) {
      auto values = mean;
      for (int c = 0; c < equations; ++c) values[c] += noise(m_generator);
      store(host, m_cells.point(number), values);
    }
    Kokkos::deep_copy(result, host);
    return result;
  }

 private:
  hyperplane::Grid m_cells;
  std::mt19937 m_generator{7};
};

Vector packed(const Exec& exec, const Field<Exec>& field) {
  auto const extent = [&](unsigned d) { return static_cast<int>(field.extent(d)) - 2 * ghost_layers; };
  Vector const result(exec, {extent(0), extent(1), extent(2)}, "packed");
  pack(exec, field, result, {.axes = hyperplane::AxisOrder::ijk, .ghost_layers = ghost_layers});
  return result;
}

/// a + factor b
Field<Exec> sum(const Field<Exec>& a, const Field<Exec>& b, double factor) {
  auto const left = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  auto const right = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
  Field<Exec> const result("sum", a.extent(0), a.extent(1), a.extent(2), a.extent(3));
  auto const host = Kokkos::create_mirror_view(result);
  for (std::size_t v = 0; v < host.span(); ++v) host.data()[v] = left.data()[v] + factor * right.data()[v];
  Kokkos::deep_copy(result, host);
  return result;
}

/// Grids and streams that differ in everything: one layer and two, odd numbers, an angle of attack, a viscous gas.
const std::vector<CaseOptions>& cases() {
  static const std::vector<CaseOptions> all = {
      {.cells = hyperplane::Grid(20, 16, 1)},
      {.cells = hyperplane::Grid(13, 9, 2), .mach = 2.5, .ramp_degrees = 14, .attack_degrees = 1},
      {.cells = hyperplane::Grid(11, 7, 1), .mach = 3, .ramp_degrees = 6, .reynolds = 200}};
  return all;
}

/// The flow, as steady as rounding leaves it.
Solution solve(const CaseOptions& options, Order order) {
  Exec const exec;
  auto const flow = make_case(options);
  FlowSolver solver(exec, flow.blocks, flow.gas, flow.boundary,
                    {.max_steps = 400,
                     .tolerance = 1e-15,
                     .max_cfl = 1e12,
                     .order = order,
                     .linear = {.tolerance = order == Order::first ? 1e-6 : 1e-2, .max_iterations = 200}});
  EXPECT_TRUE(solver.run(exec, [](const StepReport&) {}).converged);
  return solver.solutions(exec).front();
}

double drag(const CaseOptions& options, Order order) {
  auto const flow = make_case(options);
  return measure_wall_forces(solve(options, order), flow.mach, flow.attack).drag;
}

/// Central differences of fourth order between flows of their own.
template <class Change>
double difference(const CaseOptions& options, Order order, double step, const Change& change) {
  auto const at = [&](double by) {
    auto changed = options;
    change(changed, by * step);
    return drag(changed, order);
  };
  return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step);
}

/// Of several steps of the differences the one that fits best: large ones have their error, small ones rounding.
template <class Change>
double least_error(const CaseOptions& options, Order order, double found, const Change& change) {
  double least = 1;
  for (double const step : {1e-2, 1e-3}) {
    least = std::min(least, std::abs(difference(options, order, step, change) / found - 1));
  }
  return least;
}

class DragGradientOfOrder : public ::testing::TestWithParam<Order> {};

TEST_P(DragGradientOfOrder, IsThatOfDifferencesOfFlows) {
  for (auto const& options : cases()) {
    auto const found = drag_gradient(Exec(), options, GetParam(), solve(options, GetParam()));
    auto const change_mach = [](CaseOptions& changed, double by) { changed.mach = changed.mach.value_or(2) + by; };
    auto const change_angle = [](CaseOptions& changed, double by) { changed.ramp_degrees += by; };
    EXPECT_LT(least_error(options, GetParam(), found.by_mach, change_mach), 1e-6) << found.by_mach;
    EXPECT_LT(least_error(options, GetParam(), found.by_angle, change_angle), 1e-6) << found.by_angle;
    EXPECT_NEAR(found.drag, drag(options, GetParam()), 1e-14);
  }
}

INSTANTIATE_TEST_SUITE_P(BothOrders, DragGradientOfOrder, ::testing::Values(Order::first, Order::second),
                         [](const auto& info) { return info.param == Order::first ? "First" : "Second"; });

TEST(DragGradient, IsThatOfTheTangent) {
  Exec const exec;
  for (auto const& options : cases()) {
    auto const flow = solve(options, Order::first);
    auto const found = drag_gradient(exec, options, Order::first, flow);
    LinearizedDrag<Exec> const linearized(exec, options, Order::first, flow);
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
  CaseOptions const options{.cells = hyperplane::Grid(30, 24, 1), .mach = mach, .ramp_degrees = degrees};
  auto const found = drag_gradient(Exec(), options, Order::second, solve(options, Order::second));
  double const beta2 = mach * mach - 1, theory = 2 * std::pow(degrees * degree, 2) / std::sqrt(beta2);
  EXPECT_NEAR(found.drag, theory, 0.1 * theory);
  EXPECT_NEAR(found.by_mach, -theory * mach / beta2, 0.1 * theory);
  EXPECT_NEAR(found.by_angle, 2 * theory / degrees, 0.1 * 2 * theory / degrees);
}

/// <y, R_U x> and <R_U^T y, x> of both orders, with R_U x by a central difference; of first order R_U^T is that of the
/// matrix too. All kinds of boundaries, waved cells with and without viscosity.
TEST(ResidualTransposed, IsTheTransposeOfTheResidualsDerivative) {
  Exec const exec;
  hyperplane::Grid const cells(5, 4, 3);
  for (double const viscosity : {0.0, 0.02}) {
    Gas gas;
    gas.viscosity = viscosity;
    BoundaryConditions boundary{};
    for (int side = 0; side < sides; ++side) boundary.side[side].type = static_cast<Boundary>(side);
    boundary.free_stream = gas.free_stream(1.5, 0.2);
    Problem<Exec> const problem{gas, boundary, compute_metrics(exec, make_wavy_box(cells, 0.03))};
    Residual<Exec> const residual(exec, problem);
    Random random(cells);
    auto const flow = random.field(gas.conserved(boundary.free_stream), 0.1);
    auto const x = random.field({}, 1);
    auto const y = packed(exec, random.field({}, 1));
    for (auto const order : {Order::first, Order::second}) {
      Vector const of_y(exec, cells, "R_U^T y"), more(exec, cells, "more"), less(exec, cells, "less");
      apply(exec, ResidualTransposed<Exec>{problem, flow, order}, y, of_y);
      double const step = 1e-5;
      residual.evaluate(exec, sum(flow, x, step), order, more);
      residual.evaluate(exec, sum(flow, x, -step), order, less);
      double const expected = (dot(exec, y, less) - dot(exec, y, more)) / (2 * step);
      EXPECT_NEAR(dot(exec, of_y, packed(exec, x)), expected, 1e-7 * std::sqrt(dot(exec, of_y, of_y)));
      if (order == Order::second) continue;
      hyperplane::BlockStencil7<double, equations, Exec> const a(exec, cells, "Jacobian");
      assemble_jacobian(exec, problem, flow, std::numeric_limits<double>::infinity(), a);
      Vector const of_matrix(exec, cells, "A^T y");
      apply_transposed(exec, a, y, of_matrix);
      LinearizedDrag<Exec>::subtract_and_scale(exec, of_y, 1, of_matrix);
      EXPECT_LT(dot(exec, of_matrix, of_matrix), 1e-26 * dot(exec, of_y, of_y));
    }
  }
}

std::string refusal(const CaseOptions& options) {
  try {
    check_drag_gradient(options);
  } catch (const hyperplane::Error& error) {
    return error.what();
  }
  return {};
}

TEST(DragGradient, IsRefusedOfOtherCasesAndOfSeveralGridBlocks) {
  EXPECT_EQ(refusal({}), "");
  EXPECT_NE(refusal({.kind = CaseKind::airfoil}).find("it is for the wedge"), std::string::npos);
  EXPECT_NE(refusal({.grid_file = "wedge.p3d"}).find("on its own grid"), std::string::npos);
  EXPECT_NE(refusal({.parts = {2, 3, 1}}).find("there are 6"), std::string::npos);
}

}  // namespace
}  // namespace implicit_flow::gradient
