// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/swept/problem.hpp>

/// Burgers' equation u_t + (u^2/2)_x = nu u_xx on a ring: conservative central differences, and the strong stability
/// preserving Runge-Kutta scheme of third order (Shu and Osher, doi:10.1016/0021-9991(88)90177-5).
///
/// This is all that the library needs to know of an equation.
struct Burgers {
  using scalar_type = double;
  using State = hyperplane::PointState<double, 1>;
  static constexpr int components = 1;
  static constexpr int half_width = 1;
  static constexpr int sub_steps = 3;
  static constexpr auto boundary = hyperplane::SweptBoundary::periodic;

  Burgers(double time_step, double spacing, double viscosity)
      : m_convection(time_step / (4 * spacing)), m_diffusion(time_step * viscosity / (spacing * spacing)) {}

  template <int sub_step>
  HYPERPLANE_FUNCTION State step(const State* u, const State& start) const {
    using hyperplane::multiply_add;
    // dt (nu u_xx - (u^2/2)_x), products and sums written so that all compilers fuse them alike.
    double const sum = u[1][0] + u[-1][0];
    double const difference = u[1][0] - u[-1][0];
    double const second = multiply_add(-2.0, u[0][0], sum);
    double const change = multiply_add(m_diffusion, second, -m_convection * difference * sum);
    double const forward = u[0][0] + change;
    if constexpr (sub_step == 0) return {forward};
    // A mean of the beginning of the step and a step forward.
    constexpr double weight = sub_step == 1 ? 1.0 / 4.0 : 2.0 / 3.0;
    return {multiply_add(weight, forward - start[0], start[0])};
  }

  double m_convection, m_diffusion;
};
