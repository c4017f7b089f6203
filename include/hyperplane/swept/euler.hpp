// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/swept/problem.hpp>

#include <cmath>
#include <limits>

namespace hyperplane::inline HYPERPLANE_ABI {

/// The Euler equations of an ideal gas in a tube, between two fixed states: finite volumes of second order, cells'
/// values carried to the faces with a minmod limiter on the pressure, Rusanov's flux with the spectral radius of Roe's
/// average, explicit midpoint rule in time (two sub-steps). Stable for dt (|u| + c) / dx below about 0.5.
///
/// A state is density, momentum and total energy per volume. As long as nothing reaches the ends, mass and energy are
/// conserved, and momentum changes by the pressures of the ends. About 290 floating-point instructions per point and
/// step where neighbouring points share their fluxes: 230 in double precision, 40 selections of words, and 20 first
/// guesses of reciprocals and roots.
template <class Scalar = double>
struct EulerEquations {
  using scalar_type = Scalar;
  using State = PointState<Scalar, 3>;
  static constexpr int components = 3;
  static constexpr int half_width = 2;
  static constexpr int sub_steps = 2;
  static constexpr SweptBoundary boundary = SweptBoundary::fixed;
  static constexpr int operations = 290;

  Scalar time_step_over_spacing;
  State left;
  State right;
  Scalar gamma = Scalar(1.4);

  static State state(Scalar density, Scalar velocity, Scalar pressure, Scalar gamma = Scalar(1.4)) {
    return {density, density * velocity, pressure / (gamma - 1) + density * velocity * velocity / 2};
  }

  /// The shock tube of G. A. Sod, doi:10.1016/0021-9991(78)90023-2.
  static EulerEquations sod(Scalar time_step_over_spacing) {
    return {time_step_over_spacing, state(1, 0, 1), state(Scalar(0.125), 0, Scalar(0.1))};
  }

  HYPERPLANE_FUNCTION State outside(SweptEnd end) const { return end == SweptEnd::left ? left : right; }

  template <int sub_step>
  HYPERPLANE_FORCEINLINE_FUNCTION State step(const State* u, const State& start) const {
    State const west = flux(u - 1);
    State const east = flux(u);
    Scalar const factor = sub_step == 0 ? time_step_over_spacing / 4 : time_step_over_spacing / 2;
    State result;
    for (int c = 0; c < 3; ++c) result[c] = multiply_add(factor, west[c] - east[c], start[c]);
    return result;
  }

 private:
  /// Energy of the gas at rest, that is the pressure over gamma - 1.
  HYPERPLANE_FORCEINLINE_FUNCTION static Scalar inner_energy(const State& q) {
    return multiply_add(Scalar(-0.5) * q[1], q[1] * reciprocal(q[0]), q[2]);
  }

  /// Shares of the differences to its neighbours that a cell's values are carried to its faces by.
  struct Shares {
    Scalar east, west;
  };

  static constexpr Scalar smallest = std::numeric_limits<Scalar>::min();

  /// From the differences of pressure to the neighbours: half of minmod(west, east) / east, and / west.
  HYPERPLANE_FORCEINLINE_FUNCTION static Shares limited(Scalar west, Scalar east) {
    using std::fabs;
    // One division for both, which compilers find again at the cell's other face.
    Scalar const product = west * east;
    bool const monotone = product > smallest;
    bool const flatter_west = fabs(west) < fabs(east);
    Scalar const none = 0, all = Scalar(0.5);
    // Nothing is divided by zero where the gas is uniform. Of a choice by `monotone` Clang would make none: it sees
    // that the quotient is not used otherwise.
    Scalar const inverse = Scalar(0.5) * reciprocal(fabs(product) + smallest);
    return {monotone ? (flatter_west ? west * west * inverse : all) : none,
            monotone ? (flatter_west ? all : east * east * inverse) : none};
  }

  HYPERPLANE_FORCEINLINE_FUNCTION static State carried(const State& from, const State& to, Scalar share) {
    State result;
    for (int c = 0; c < 3; ++c) result[c] = multiply_add(share, to[c] - from[c], from[c]);
    return result;
  }

  /// Twice the flux through the face between u[0] and u[1].
  HYPERPLANE_FORCEINLINE_FUNCTION State flux(const State* u) const {
    using std::fabs;
    Scalar const before = inner_energy(u[0]) - inner_energy(u[-1]);
    Scalar const across = inner_energy(u[1]) - inner_energy(u[0]);
    Scalar const after = inner_energy(u[2]) - inner_energy(u[1]);
    State const l = carried(u[0], u[1], limited(before, across).east);
    State const r = carried(u[1], u[0], limited(across, after).west);

    Scalar const volume_l = reciprocal(l[0]);
    Scalar const volume_r = reciprocal(r[0]);
    Scalar const velocity_l = multiply(l[1], volume_l);
    Scalar const velocity_r = multiply(r[1], volume_r);
    Scalar const inner_l = multiply_add(Scalar(-0.5) * l[1], velocity_l, l[2]);
    Scalar const inner_r = multiply_add(Scalar(-0.5) * r[1], velocity_r, r[2]);
    Scalar const enthalpy_l = multiply_add(gamma - 1, inner_l, l[2]);  // a volume
    Scalar const enthalpy_r = multiply_add(gamma - 1, inner_r, r[2]);

    // Roe's average: weights are the square roots of the densities.
    Scalar const weight = reciprocal(1 + square_root(r[0] * volume_l));
    Scalar const velocity = multiply_add(weight, velocity_l - velocity_r, velocity_r);
    Scalar const specific_r = multiply(enthalpy_r, volume_r);
    Scalar const specific = multiply_add(weight, multiply_add(enthalpy_l, volume_l, -specific_r), specific_r);
    Scalar const sound = square_root((gamma - 1) * multiply_add(Scalar(-0.5) * velocity, velocity, specific));
    Scalar const radius = fabs(velocity) + sound;

    Scalar const pressures = (gamma - 1) * (inner_l + inner_r);
    Scalar const mass = l[1] + r[1];
    Scalar const momentum = multiply_add(l[1], velocity_l, multiply_add(r[1], velocity_r, pressures));
    Scalar const energy = multiply_add(velocity_l, enthalpy_l, velocity_r * enthalpy_r);
    return {multiply_add(radius, l[0] - r[0], mass), multiply_add(radius, l[1] - r[1], momentum),
            multiply_add(radius, l[2] - r[2], energy)};
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
