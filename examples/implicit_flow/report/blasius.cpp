// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blasius.hpp"

#include <array>
#include <cstddef>

namespace implicit_flow {

namespace {

using State = std::array<double, 3>;  // f, f', f''

State derivative(const State& s) { return {s[1], s[2], -0.5 * s[0] * s[2]}; }

State plus(const State& s, double factor, const State& d) {
  return {s[0] + factor * d[0], s[1] + factor * d[1], s[2] + factor * d[2]};
}

/// One step of the classical Runge-Kutta method.
State runge_kutta_step(const State& s, double h) {
  State const k1 = derivative(s);
  State const k2 = derivative(plus(s, h / 2, k1));
  State const k3 = derivative(plus(s, h / 2, k2));
  State const k4 = derivative(plus(s, h, k3));
  return plus(plus(plus(plus(s, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
}

}  // namespace

Blasius::Blasius() {
  constexpr double end = 12;
  State state = {0, 0, friction / 2};
  for (double eta = 0; eta <= end; eta += step) {
    m_velocity.push_back(state[1]);
    state = runge_kutta_step(state, step);
  }
}

double Blasius::velocity(double eta) const {
  double const place = eta / step;
  auto const index = static_cast<std::size_t>(place);
  if (index + 1 >= m_velocity.size()) return 1;
  return m_velocity[index] + (place - static_cast<double>(index)) * (m_velocity[index + 1] - m_velocity[index]);
}

}  // namespace implicit_flow
