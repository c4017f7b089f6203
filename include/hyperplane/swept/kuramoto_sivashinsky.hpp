// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/swept/problem.hpp>

namespace hyperplane::inline HYPERPLANE_ABI {

/// The Kuramoto-Sivashinsky equation u_t = -(u^2/2)_x - u_xx - u_xxxx on a ring: central differences of second order on
/// five points, explicit midpoint rule in time (two sub-steps). Stable for dt below about dx^4 / 8. The sum of u is
/// conserved. 16 floating-point instructions per point and step.
template <class Scalar = double>
struct KuramotoSivashinsky {
  using scalar_type = Scalar;
  using State = PointState<Scalar, 1>;
  static constexpr int components = 1;
  static constexpr int half_width = 2;
  static constexpr int sub_steps = 2;
  static constexpr SweptBoundary boundary = SweptBoundary::periodic;
  static constexpr int operations = 16;

  KuramotoSivashinsky(Scalar time_step, Scalar spacing)
      : m_convection(time_step / (4 * spacing)),
        m_far(time_step / (spacing * spacing * spacing * spacing)),
        m_near(time_step / (spacing * spacing) - 4 * m_far),
        m_centre(-2 * (m_near + m_far)) {}

  template <int sub_step>
  HYPERPLANE_FUNCTION State step(const State* u, const State& start) const {
    Scalar const sum = u[1][0] + u[-1][0];
    Scalar const difference = u[1][0] - u[-1][0];
    // (u[1]^2 - u[-1]^2) and the linear part of the nearest neighbours share their sum.
    Scalar const near = multiply_add(m_convection, difference, m_near);
    Scalar const rest = multiply_add(m_centre, u[0][0], m_far * (u[2][0] + u[-2][0]));
    Scalar const change = multiply_add(near, sum, rest);
    return {sub_step == 0 ? multiply_add(Scalar(-0.5), change, start[0]) : start[0] - change};
  }

  // Of the negative right-hand side times the time step.
  Scalar m_convection, m_far, m_near, m_centre;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
