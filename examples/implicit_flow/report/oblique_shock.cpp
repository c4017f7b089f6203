// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oblique_shock.hpp"

#include <hyperplane/core/error.hpp>

#include <cmath>
#include <numbers>
#include <string>

namespace implicit_flow {

double deflection(double mach, double shock_angle, double gamma) {
  double const normal = std::pow(mach * std::sin(shock_angle), 2);
  return std::atan(2 / std::tan(shock_angle) * (normal - 1) / (mach * mach * (gamma + std::cos(2 * shock_angle)) + 2));
}

namespace {

/// Angle of the shock that turns the stream the most: between the Mach angle and 90 degrees the deflection rises to one
/// maximum and falls again (golden section search).
double angle_of_largest_deflection(double mach, double gamma) {
  double low = std::asin(1 / mach);
  double high = std::numbers::pi / 2;
  double const section = std::numbers::phi - 1;
  for (int step = 0; step < 100; ++step) {
    double const a = high - section * (high - low);
    double const b = low + section * (high - low);
    if (deflection(mach, a, gamma) < deflection(mach, b, gamma)) {
      low = a;
    } else {
      high = b;
    }
  }
  return 0.5 * (low + high);
}

}  // namespace

ObliqueShock weak_oblique_shock(double mach, double deflection_angle, double gamma) {
  hyperplane::require(mach > 1, "oblique shock: the Mach number must be greater than 1");
  hyperplane::require(deflection_angle > 0, "oblique shock: the deflection must be positive");
  double low = std::asin(1 / mach);
  double high = angle_of_largest_deflection(mach, gamma);
  if (double const most = deflection(mach, high, gamma); most < deflection_angle) {
    throw hyperplane::Error("oblique shock: at Mach " + std::to_string(mach) +
                            " no attached shock turns the flow by more than " +
                            std::to_string(most * 180 / std::numbers::pi) + " degrees");
  }
  for (int step = 0; step < 100; ++step) {
    double const middle = 0.5 * (low + high);
    (deflection(mach, middle, gamma) < deflection_angle ? low : high) = middle;
  }
  double const angle = 0.5 * (low + high);
  double const normal = std::pow(mach * std::sin(angle), 2);
  double const normal_behind = (1 + 0.5 * (gamma - 1) * normal) / (gamma * normal - 0.5 * (gamma - 1));
  return {angle, 1 + 2 * gamma / (gamma + 1) * (normal - 1),
          std::sqrt(normal_behind) / std::sin(angle - deflection_angle)};
}

}  // namespace implicit_flow
