// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace implicit_flow {

/// State behind an oblique shock, angles in radians.
struct ObliqueShock {
  double shock_angle;
  double pressure_ratio;
  double mach;
};

/// Deflection by a shock of the given angle: the theta-beta-M relation. Ames Research Staff, "Equations, Tables, and
/// Charts for Compressible Flow", NACA Report 1135, 1953, equation 139a.
double deflection(double mach, double shock_angle, double gamma);

/// The weak oblique shock that turns a stream by `deflection_angle`. Throws hyperplane::Error where the stream is not
/// supersonic, the angle is not positive, or no attached shock turns it so far.
ObliqueShock weak_oblique_shock(double mach, double deflection_angle, double gamma);

}  // namespace implicit_flow
