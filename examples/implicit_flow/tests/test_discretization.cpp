// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mesh/mesh.hpp"
#include "solver/jacobian.hpp"
#include "solver/kernels.hpp"

#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/convert.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace implicit_flow {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Vector = hyperplane::BlockVector<double, equations, Exec>;
using Values = Kokkos::View<double****, Kokkos::LayoutLeft, Kokkos::HostSpace>;

constexpr double infinity = std::numeric_limits<double>::infinity();

Values to_host(const Exec& exec, const Vector& vector) {
  auto const& grid = vector.grid();
  Field<Exec> const values("values", grid.ni(), grid.nj(), grid.nk(), equations);
  unpack(exec, vector, values, {.axes = hyperplane::AxisOrder::ijk});
  exec.fence();
  Values const host("host values", grid.ni(), grid.nj(), grid.nk(), equations);
  Kokkos::deep_copy(host, values);
  return host;
}

double largest(const Values& a) {
  double result = 0;
  for (std::size_t v = 0; v < a.span(); ++v) result = std::max(result, std::abs(a.data()[v]));
  return result;
}

BoundaryConditions all_sides(const Gas& gas, Boundary type) {
  BoundaryConditions boundary{};
  for (auto& side : boundary.side) side.type = type;
  boundary.free_stream = gas.free_stream(1.5, 0.2);
  return boundary;
}

/// The free stream, disturbed at random by a tenth.
Field<Exec> disturbed(const Problem<Exec>& problem) {
  auto const cells = problem.metrics.cells;
  auto const field = make_field(Exec(), "conserved", cells);
  auto const host = Kokkos::create_mirror_view(field);
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> noise(-0.1, 0.1);
  for (std::int64_t number = 0; number < cells.size(); ++number) {
    auto w = problem.boundary.free_stream;
    for (int c = 0; c < equations; ++c) w[c] += noise(generator);
    store(host, cells.point(number), problem.gas.conserved(w));
  }
  Kokkos::deep_copy(field, host);
  return field;
}

TEST(Metrics, VolumesAddUpAndFacesClose) {
  Exec const exec;
  hyperplane::Grid const cells(7, 5, 6);
  auto const metrics = compute_metrics(exec, make_wavy_box(cells, 0.03));
  auto const volumes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), metrics.volumes);
  double sum = 0;
  for (std::size_t v = 0; v < volumes.span(); ++v) sum += volumes.data()[v];
  // One cell with the same, coarser sampled sides would be something else: compare with the surface integral instead.
  double surface = 0;
  auto const mesh = make_wavy_box(cells, 0.03);
  auto const vertex = [&](int i, int j, int k) { return mesh.at(i, j, k); };
  for (int direction = 0; direction < directions; ++direction) {
    auto const faces = faces_along(cells, direction);
    for (std::int64_t number = 0; number < faces.size(); ++number) {
      auto const p = faces.point(number);
      int const index = index_along(p, direction);
      if (index != 0 && index != extent_along(cells, direction)) continue;
      surface += (index == 0 ? -1 : 1) * cone_volume(face_corners(vertex, p, direction), Vec3{});
    }
  }
  EXPECT_NEAR(sum, surface, 1e-14);
}

TEST(Metrics, NamesTheCellThatIsFolded) {
  Exec const exec;
  auto mesh = make_wavy_box({3, 3, 3}, 0);
  for (int j = 0; j <= 3; ++j) {
    for (int k = 0; k <= 3; ++k) std::swap(mesh.at(1, j, k), mesh.at(2, j, k));
  }
  try {
    compute_metrics(exec, mesh);
    FAIL() << "no error";
  } catch (const hyperplane::Error& error) {
    EXPECT_NE(std::string(error.what()).find("cell (1, 0, 0)"), std::string::npos) << error.what();
  }
}

TEST(Residual, KeepsAUniformFlowOnACurvilinearGrid) {
  Exec const exec;
  hyperplane::Grid const cells(9, 7, 6);
  for (double const viscosity : {0.0, 0.01}) {
    Gas gas;
    gas.viscosity = viscosity;
    Problem<Exec> const problem{gas, all_sides(gas, Boundary::far_field),
                                compute_metrics(exec, make_wavy_box(cells, 0.04))};
    auto const conserved = make_field(exec, "conserved", cells);
    fill(exec, conserved, cells, gas.conserved(problem.boundary.free_stream));
    Vector const result(exec, cells);
    Residual<Exec>(exec, problem).evaluate(exec, conserved, Order::second, result);
    // Fluxes through the faces are about 0.1: every digit that can cancel does.
    EXPECT_LT(largest(to_host(exec, result)), 1e-14);
  }
}

TEST(Residual, HasNoFluxThroughAnAxis) {
  Exec const exec;
  hyperplane::Grid const cells(4, 3, 2);
  // A quarter of a cylinder: faces of the lower side along j are on its axis, exactly or but for rounding.
  for (double const axis : {0.0, 1e-16}) {
    Mesh mesh({5, 4, 3});
    for (std::int64_t number = 0; number < mesh.vertices.size(); ++number) {
      auto const p = mesh.vertices.point(number);
      double const angle = -0.4 * p.i, radius = p.j + (p.j == 0 ? axis : 0.0);
      mesh.at(p.i, p.j, p.k) = {radius * std::cos(angle), radius * std::sin(angle), 1.0 * p.k};
    }
    for (auto const type : {Boundary::far_field, Boundary::slip_wall, Boundary::no_slip_wall, Boundary::outflow}) {
      Gas gas;
      gas.viscosity = 0.01;
      Problem<Exec> problem{gas, all_sides(gas, Boundary::far_field), compute_metrics(exec, mesh)};
      problem.boundary[Side::jmin].type = type;
      Residual<Exec> const residual(exec, problem);
      auto const conserved = make_field(exec, "conserved", cells);
      fill(exec, conserved, cells, gas.conserved(problem.boundary.free_stream));
      Vector const result(exec, cells), product(exec, cells);
      residual.evaluate(exec, conserved, Order::second, result);
      EXPECT_LT(largest(to_host(exec, result)), 1e-13) << name(type) << " " << axis;
      hyperplane::BlockStencil7<double, equations, Exec> const a(exec, cells);
      assemble_jacobian(exec, problem, disturbed(problem), infinity, a);
      apply(exec, a, result, product);
      auto const products = to_host(exec, product);
      for (std::size_t v = 0; v < products.span(); ++v) ASSERT_TRUE(std::isfinite(products.data()[v])) << name(type);
    }
  }
}

class JacobianTest : public ::testing::TestWithParam<Boundary> {};

TEST_P(JacobianTest, IsTheDerivativeOfTheFirstOrderResidual) {
  Exec const exec;
  hyperplane::Grid const cells(5, 4, 3);
  for (auto const law : {ViscosityLaw::constant, ViscosityLaw::linear, ViscosityLaw::sutherland}) {
    Gas gas;
    gas.law = law;
    gas.viscosity = law == ViscosityLaw::constant ? 0 : 0.02;
    Problem<Exec> const problem{gas, all_sides(gas, GetParam()), compute_metrics(exec, make_wavy_box(cells, 0.04))};
    auto const conserved = disturbed(problem);

    hyperplane::BlockStencil7<double, equations, Exec> const a(exec, cells);
    assemble_jacobian(exec, problem, conserved, infinity, a);
    Vector const x(exec, cells);
    Vector const product(exec, cells);
    pack(exec, disturbed(problem), x, {.axes = hyperplane::AxisOrder::ijk, .ghost_layers = ghost_layers});
    apply(exec, a, x, product);

    // Central difference along x: its error is of the order of step^2 plus epsilon / step.
    double const step = 1e-6;
    Residual<Exec> const residual(exec, problem);
    auto const moved = [&](double by) {
      auto const there = make_field(exec, "there", cells);
      Kokkos::deep_copy(there, conserved);
      add_change(exec, there, x, by);
      Vector const result(exec, cells);
      residual.evaluate(exec, there, Order::first, result);
      return to_host(exec, result);
    };
    auto const plus = moved(step);
    auto const minus = moved(-step);
    auto const exact = to_host(exec, product);
    double const scale = largest(exact);
    ASSERT_GT(scale, 0.01);
    for (std::size_t v = 0; v < exact.span(); ++v) {
      double const difference = (minus.data()[v] - plus.data()[v]) / (2 * step);
      EXPECT_NEAR(exact.data()[v], difference, 1e-7 * scale);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryBoundary, JacobianTest,
                         ::testing::Values(Boundary::supersonic_inflow, Boundary::outflow, Boundary::pressure_outflow,
                                           Boundary::slip_wall, Boundary::no_slip_wall, Boundary::far_field),
                         [](const auto& info) { return std::string(name(info.param)); });

TEST(SafeFraction, KeepsDensityAndPressurePositive) {
  Gas const gas;
  auto const u = gas.conserved(gas.free_stream(0));
  EXPECT_EQ(safe_fraction(gas, u, {{0.1, 0.1, 0, 0, 0.1}}), 1);
  EXPECT_NEAR(safe_fraction(gas, u, {{-2, 0, 0, 0, 0}}), 0.25, 1e-15);
  EXPECT_NEAR(safe_fraction(gas, u, {{4, 0, 0, 0, 0}}), 0.25, 1e-15);
  double const fraction = safe_fraction(gas, u, {{0, 0, 0, 0, -5}});
  auto after = u;
  after[4] -= 5 * fraction;
  EXPECT_GT(gas.primitive(after)[4], 0.5 * gas.primitive(u)[4]);
  EXPECT_LT(safe_fraction(gas, u, {{0, 0, 0, 0, std::numeric_limits<double>::quiet_NaN()}}), 0.01);
}

}  // namespace
}  // namespace implicit_flow
