// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>

namespace hyperplane::test {

/// Density, velocity and pressure.
struct Gas {
  double density, velocity, pressure;
};

/// The exact solution of the Riemann problem of the Euler equations (E. F. Toro, "Riemann Solvers and Numerical Methods
/// for Fluid Dynamics", 3rd ed., doi:10.1007/b79761, chapter 4), without vacuum.
class ExactRiemann {
 public:
  ExactRiemann(const Gas& left, const Gas& right, double gamma) : m_left(left), m_right(right), m_gamma(gamma) {
    // Both functions rise with the pressure: bisection.
    double low = 1e-12, high = 1e3;
    for (int iteration = 0; iteration < 200; ++iteration) {
      m_pressure = (low + high) / 2;
      bool const too_high = jump(left, m_pressure) + jump(right, m_pressure) + right.velocity - left.velocity > 0;
      (too_high ? high : low) = m_pressure;
    }
    m_velocity = (left.velocity + right.velocity + jump(right, m_pressure) - jump(left, m_pressure)) / 2;
  }

  /// At x / t.
  Gas at(double speed) const {
    if (speed <= m_velocity) return side(m_left, speed, 1.0);
    Gas mirrored = m_right;
    mirrored.velocity = -mirrored.velocity;
    Gas result = side(mirrored, -speed, -1.0);
    result.velocity = -result.velocity;
    return result;
  }

 private:
  double sound(const Gas& gas) const { return std::sqrt(m_gamma * gas.pressure / gas.density); }

  double jump(const Gas& gas, double pressure) const {
    double const a = 2 / ((m_gamma + 1) * gas.density);
    double const b = (m_gamma - 1) / (m_gamma + 1) * gas.pressure;
    if (pressure > gas.pressure) return (pressure - gas.pressure) * std::sqrt(a / (pressure + b));
    double const exponent = (m_gamma - 1) / (2 * m_gamma);
    return 2 * sound(gas) / (m_gamma - 1) * (std::pow(pressure / gas.pressure, exponent) - 1);
  }

  /// Left of the contact; `sign` is that of the velocity behind it.
  Gas side(const Gas& gas, double speed, double sign) const {
    double const velocity = sign * m_velocity;
    double const c = sound(gas);
    double const ratio = m_pressure / gas.pressure;
    double const g = (m_gamma - 1) / (m_gamma + 1);
    if (m_pressure > gas.pressure) {
      double const shock =
          gas.velocity - c * std::sqrt((m_gamma + 1) / (2 * m_gamma) * ratio + (m_gamma - 1) / (2 * m_gamma));
      if (speed < shock) return gas;
      return {gas.density * (ratio + g) / (g * ratio + 1), velocity, m_pressure};
    }
    double const c_behind = c * std::pow(ratio, (m_gamma - 1) / (2 * m_gamma));
    if (speed < gas.velocity - c) return gas;
    if (speed > velocity - c_behind) return {gas.density * std::pow(ratio, 1 / m_gamma), velocity, m_pressure};
    double const fan = 2 / (m_gamma + 1) + g / c * (gas.velocity - speed);
    return {gas.density * std::pow(fan, 2 / (m_gamma - 1)),
            2 / (m_gamma + 1) * (c + (m_gamma - 1) / 2 * gas.velocity + speed),
            gas.pressure * std::pow(fan, 2 * m_gamma / (m_gamma - 1))};
  }

  Gas m_left, m_right;
  double m_gamma;
  double m_pressure = 0.0;
  double m_velocity = 0.0;
};

}  // namespace hyperplane::test
