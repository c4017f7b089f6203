// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vector3.hpp"

#include <array>
#include <cmath>

namespace hyperplane::perf {

/// Fluxes of the Euler equations, by density, momentum and energy, where the speed of sound is 1, and their blocks.
struct EulerFluxes {
  static constexpr int n = 5;
  using Block = std::array<double, n * n>;

  static double wave_speed(const Vector3& u, const Vector3& s) { return std::abs(dot(u, s)) + std::sqrt(dot(s, s)); }

  /// Of the flux through s, by density, momentum and energy.
  static Block jacobian(const Vector3& u, const Vector3& s) {
    constexpr double gamma = 1.4, rest = gamma - 1.0;
    double const q = dot(u, s), square = dot(u, u), enthalpy = 1.0 / rest + 0.5 * square;
    Block a{};
    for (int j = 0; j < 3; ++j) {
      a[1 + j] = s[j];
      a[4 * n + 1 + j] = enthalpy * s[j] - rest * u[j] * q;
    }
    a[4 * n] = q * (0.5 * rest * square - enthalpy);
    a[4 * n + 4] = gamma * q;
    for (int i = 0; i < 3; ++i) {
      a[(1 + i) * n] = 0.5 * rest * square * s[i] - u[i] * q;
      for (int j = 0; j < 3; ++j) a[(1 + i) * n + 1 + j] = u[i] * s[j] - rest * s[i] * u[j] + (i == j ? q : 0.0);
      a[(1 + i) * n + 4] = rest * s[i];
    }
    return a;
  }

  /// to += (a + speed) / 2
  static void add_half(const Block& a, double speed, Block& to) {
    for (int e = 0; e < n * n; ++e) to[e] += 0.5 * a[e];
    add_diagonal(0.5 * speed, to);
  }

  static void add_diagonal(double value, Block& to) {
    for (int c = 0; c < n; ++c) to[c * n + c] += value;
  }
};

}  // namespace hyperplane::perf
