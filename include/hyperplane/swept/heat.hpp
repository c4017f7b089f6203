// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/swept/problem.hpp>

namespace hyperplane::inline HYPERPLANE_ABI {

/// Heat conduction in a bar with insulated ends, T_t = alpha T_xx: forward in time, central in space. First order in
/// time, second in space; stable for fourier_number = alpha dt / dx^2 <= 1/2. Points are at the ends of the bar too;
/// the sum of T, the end points' halved, is conserved. 3 floating-point instructions per point and step.
template <class Scalar = double>
struct HeatEquation {
  using scalar_type = Scalar;
  using State = PointState<Scalar, 1>;
  static constexpr int components = 1;
  static constexpr int half_width = 1;
  static constexpr int sub_steps = 1;
  static constexpr SweptBoundary boundary = SweptBoundary::insulated;
  static constexpr int operations = 3;

  Scalar fourier_number;

  template <int>
  HYPERPLANE_FUNCTION State step(const State* u, const State&) const {
    Scalar const second = multiply_add(Scalar(-2), u[0][0], u[-1][0] + u[1][0]);
    return {multiply_add(fourier_number, second, u[0][0])};
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
