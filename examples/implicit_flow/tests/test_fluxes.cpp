// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "physics/boundary.hpp"
#include "physics/dual.hpp"
#include "physics/inviscid.hpp"
#include "physics/inviscid_derivative.hpp"
#include "report/oblique_shock.hpp"

#include <hyperplane/core/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
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

template <class S>
Quintet<Dual<equations, S>> variables(const Quintet<S>& w) {
  Quintet<Dual<equations, S>> result;
  for (int c = 0; c < equations; ++c) result[c] = Dual<equations, S>::variable(w[c], c);
  return result;
}

template <class S>
Quintet<double> lane_of(const Quintet<S>& w, int lane) {
  Quintet<double> result{};
  for (int c = 0; c < equations; ++c) result[c] = w[c][lane];
  return result;
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

constexpr int lanes = 4;
using Lanes = hyperplane::Pack<double, lanes>;
struct FacesInLanes {
  Quintet<Lanes> left, right;
  Vector3<Lanes> normal;
};

/// Of which the first one alone is rounded off by the entropy fix.
FacesInLanes faces_in_lanes() {
  double const speeds[lanes] = {0.0, 0.4, 1.5, -2.0};
  FacesInLanes result;
  for (int lane = 0; lane < lanes; ++lane) {
    for (int c = 0; c < equations; ++c) {
      result.left[c].set(lane, c == 1 ? speeds[lane] : states[lane % 3][c]);
      result.right[c].set(lane, states[(lane + 1) % 3][c]);
    }
    result.normal.x.set(lane, normals[lane].x);
    result.normal.y.set(lane, normals[lane].y);
    result.normal.z.set(lane, normals[lane].z);
  }
  return result;
}

TEST(RoeFlux, OfSeveralLanesIsThatOfEach) {
  Gas const gas;
  auto const [left, right, normal] = faces_in_lanes();
  auto const values = roe_flux(gas, left, right, normal);
  auto const derivatives = roe_flux(gas, variables<Lanes>(left), right, normal);
  for (int lane = 0; lane < lanes; ++lane) {
    auto const w = lane_of(left, lane), other = lane_of(right, lane);
    expect_same(lane_of(values, lane), roe_flux(gas, w, other, normals[lane]));
    auto const expected = roe_flux(gas, variables<double>(w), other, normals[lane]);
    for (int e = 0; e < equations; ++e) {
      EXPECT_NEAR(derivatives[e].value[lane], expected[e].value, 100 * epsilon);
      for (int c = 0; c < equations; ++c) {
        EXPECT_NEAR(derivatives[e].derivative[c][lane], expected[e].derivative[c], 1000 * epsilon);
      }
    }
  }
}

template <class S>
Quintet<S> conserved_of(const Gas& gas, const Quintet<S>& w) {
  S const kinetic = 0.5 * w[0] * (w[1] * w[1] + w[2] * w[2] + w[3] * w[3]);
  return {{w[0], w[0] * w[1], w[0] * w[2], w[0] * w[3], w[4] / (gas.gamma - 1) + kinetic}};
}

/// Against automatic differentiation: subsonic, supersonic, backwards, and waves that the entropy fix rounds off.
TEST(RoeDerivative, IsThatOfAutomaticDifferentiation) {
  Gas const gas;
  int slow_waves = 0;
  for (auto const& n : normals) {
    for (auto left : states) {
      for (double const speed : {-1.5, -0.9, -0.02, 0.0, 0.4, 0.95, 2.0}) {
        left[1] = speed;
        for (auto const& right : states) {
          auto const u = conserved_of(gas, left);
          auto const expected = roe_flux(gas, gas.primitive(variables(u)), right, n);
          RoeDerivative<double>(gas, left, right, n).by_conserved([&](int c, const Quintet<double>& column) {
            for (int e = 0; e < equations; ++e) {
              EXPECT_NEAR(column[e], expected[e].derivative[c], 1000 * epsilon) << "flux " << e << " by " << c;
            }
          });
          double const sound = std::sqrt(gas.sound_speed_squared(left));
          double const normal = left[1] * n.x + left[2] * n.y + left[3] * n.z;
          if (std::abs(std::abs(normal) - sound) < entropy_fix * sound) ++slow_waves;
        }
      }
    }
  }
  EXPECT_GT(slow_waves, 0);
}

TEST(RoeDerivative, OfSeveralLanesIsThatOfEach) {
  Gas const gas;
  auto const [left, right, normal] = faces_in_lanes();
  Quintet<Lanes> columns[equations];
  RoeDerivative<Lanes>(gas, left, right, normal).by_conserved([&](int c, const Quintet<Lanes>& column) {
    columns[c] = column;
  });
  for (int lane = 0; lane < lanes; ++lane) {
    RoeDerivative<double> const one(gas, lane_of(left, lane), lane_of(right, lane), normals[lane]);
    one.by_conserved([&](int c, const Quintet<double>& column) {
      for (int e = 0; e < equations; ++e) EXPECT_NEAR(columns[c][e][lane], column[e], 1000 * epsilon);
    });
  }
}

/// Of one side by its own variables, and then the other's.
TEST(RoeFlux, HasTheDerivativesOfEitherSide) {
  Gas const gas;
  for (auto const& n : normals) {
    for (auto const& a : states) {
      for (auto const& b : states) {
        auto const by_both = roe_flux(gas, variables<double>(a), variables<double>(b), n);
        auto const by_left = roe_flux(gas, variables<double>(a), b, n);
        auto const by_right = roe_flux(gas, a, variables<double>(b), n);
        for (int e = 0; e < equations; ++e) {
          EXPECT_NEAR(by_left[e].value, by_both[e].value, 100 * epsilon);
          EXPECT_NEAR(by_right[e].value, by_both[e].value, 100 * epsilon);
          for (int c = 0; c < equations; ++c) {
            EXPECT_NEAR(by_left[e].derivative[c] + by_right[e].derivative[c], by_both[e].derivative[c], 1000 * epsilon);
          }
        }
      }
    }
  }
}

TEST(Numbers, RootsAreThoseOfEachLane) {
  hyperplane::Pack<double, 8> eight;
  hyperplane::Pack<double, 2> two;
  for (int lane = 0; lane < 8; ++lane) eight.set(lane, 0.3 * lane);
  for (int lane = 0; lane < 2; ++lane) two.set(lane, 0.7 + lane);
  for (int lane = 0; lane < 8; ++lane) EXPECT_EQ(sqrt(eight)[lane], std::sqrt(eight[lane]));
  for (int lane = 0; lane < 2; ++lane) EXPECT_EQ(sqrt(two)[lane], std::sqrt(two[lane]));
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
