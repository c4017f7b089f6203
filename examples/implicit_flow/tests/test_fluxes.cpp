// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "physics/boundary.hpp"
#include "physics/inviscid.hpp"
#include "report/oblique_shock.hpp"

#include <hyperplane/core/error.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

namespace implicit_flow {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double degree = std::numbers::pi / 180;

Vec3 const normals[] = {{1, 0, 0}, {0, -1, 0}, {0.6, 0.64, 0.48}, {-0.48, 0.6, 0.64}};
Quintet<double> const states[] = {
    {{1.1, 2.0, 0.2, 0.1, 0.7}}, {{0.9, 0.3, -0.5, 0.2, 0.8}}, {{1.4, -0.1, 0.0, 0.7, 2.0}}};

void expect_same(const Quintet<double>& a, const Quintet<double>& b) {
  for (int e = 0; e < equations; ++e) EXPECT_NEAR(a[e], b[e], 100 * epsilon) << "equation " << e;
}

Quintet<double> exact(const Gas& gas, const Quintet<double>& w, const Vec3& n) {
  return euler_flux(w, gas.enthalpy(w), n);
}

TEST(RoeFlux, IsTheExactFluxOfEqualStates) {
  Gas const gas;
  for (auto const& n : normals) {
    for (auto const& w : states) expect_same(roe_flux(gas, w, w, n), exact(gas, w, n));
  }
}

TEST(RoeFlux, IsConservative) {
  Gas const gas;
  for (auto const& n : normals) {
    for (auto const& a : states) {
      for (auto const& b : states) {
        auto back = roe_flux(gas, b, a, -1.0 * n);
        for (int e = 0; e < equations; ++e) back[e] = -back[e];
        expect_same(roe_flux(gas, a, b, n), back);
      }
    }
  }
}

TEST(RoeFlux, TakesTheUpwindStateWhereAllWavesRunOneWay) {
  Gas const gas;
  Quintet<double> const left = {{1.0, 2.0, 0.1, 0.0, 0.7}};
  Quintet<double> const right = {{1.1, 2.1, 0.0, 0.1, 0.75}};
  expect_same(roe_flux(gas, left, right, {1, 0, 0}), exact(gas, left, {1, 0, 0}));
  expect_same(roe_flux(gas, right, left, {-1, 0, 0}), exact(gas, left, {-1, 0, 0}));
}

TEST(RoeFlux, KeepsAShockThatStandsStill) {
  // Rankine-Hugoniot at Mach 2; the entropy fix acts on waves that are slow on both sides alone.
  Gas const gas;
  Quintet<double> const ahead = {{1.0, 2.0, 0.0, 0.0, 1 / gas.gamma}};
  Quintet<double> const behind = {{8.0 / 3, 0.75, 0.0, 0.0, 4.5 / gas.gamma}};
  expect_same(exact(gas, ahead, {1, 0, 0}), exact(gas, behind, {1, 0, 0}));
}

TEST(BoundaryFlux, WallsLetNothingThrough) {
  Gas gas;
  auto const free_stream = gas.free_stream(2);
  for (double const viscosity : {0.0, 0.01}) {
    gas.viscosity = viscosity;
    for (auto const type : {Boundary::slip_wall, Boundary::no_slip_wall}) {
      auto const f = boundary_flux(gas, type, free_stream, states[0], Vec3{0.3, 0.4, 0.1}, 0.2);
      EXPECT_EQ(f[0], 0);
      EXPECT_NEAR(f[4], 0, epsilon);
    }
  }
}

TEST(BoundaryFlux, EveryOpenBoundaryPassesTheFreeStream) {
  Gas const gas;
  auto const free_stream = gas.free_stream(2, 0.1);
  Vec3 const area{0.3, -0.2, 0.1};
  auto const wanted = exact(gas, free_stream, area);
  for (auto const type :
       {Boundary::supersonic_inflow, Boundary::outflow, Boundary::pressure_outflow, Boundary::far_field}) {
    expect_same(boundary_flux(gas, type, free_stream, free_stream, area, 1), wanted);
  }
}

TEST(BoundaryNames, RoundTripAndRefuse) {
  for (int type = 0; type <= static_cast<int>(Boundary::far_field); ++type) {
    EXPECT_EQ(static_cast<int>(parse_boundary(name(static_cast<Boundary>(type)))), type);
  }
  for (int side = 0; side < sides; ++side) {
    EXPECT_EQ(static_cast<int>(parse_side(name(static_cast<Side>(side)))), side);
  }
  EXPECT_THROW(parse_boundary("wall"), hyperplane::Error);
  EXPECT_THROW(parse_side("top"), hyperplane::Error);
}

TEST(ObliqueShock, AgreesWithPrintedTables) {
  auto const shock = weak_oblique_shock(2, 10 * degree, 1.4);
  EXPECT_NEAR(shock.shock_angle / degree, 39.31, 0.005);
  EXPECT_NEAR(shock.pressure_ratio, 1.707, 0.0005);
  EXPECT_NEAR(shock.mach, 1.641, 0.0005);
}

TEST(ObliqueShock, SmallDeflectionsGiveMachWaves) {
  auto const shock = weak_oblique_shock(3, 1e-6, 1.4);
  EXPECT_NEAR(shock.shock_angle, std::asin(1.0 / 3), 1e-5);
  EXPECT_NEAR(shock.pressure_ratio, 1, 1e-5);
  EXPECT_NEAR(shock.mach, 3, 1e-5);
}

TEST(ObliqueShock, RefusesWhatHasNoAttachedShock) {
  EXPECT_THROW(weak_oblique_shock(2, 25 * degree, 1.4), hyperplane::Error);
  EXPECT_THROW(weak_oblique_shock(0.9, 5 * degree, 1.4), hyperplane::Error);
  EXPECT_THROW(weak_oblique_shock(2, -5 * degree, 1.4), hyperplane::Error);
}

}  // namespace
}  // namespace implicit_flow
