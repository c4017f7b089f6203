// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../channel.hpp"

#include <vector>

namespace backward_facing_step {

/// A flow on the host: values of Channel::u_faces(), v_faces() and cells(), numbered as those grids are.
struct Solution {
  Channel channel;
  std::vector<double> u_values;
  std::vector<double> v_values;
  std::vector<double> p_values;

  double u(int i, int j) const { return u_values[channel.u_faces().index(i, j, 0)]; }
  double v(int i, int j) const { return v_values[channel.v_faces().index(i, j, 0)]; }
  double p(int i, int j) const { return p_values[channel.cells().index(i, j, 0)]; }

  /// Flow rate through all faces u of one i.
  double flow_rate(int i) const {
    double sum = 0;
    for (int j = 0; j < channel.nj; ++j) sum += u(i, j) * channel.dy;
    return sum;
  }
  /// Flow rate out of a cell, which should be 0.
  double net_outflow(int i, int j) const {
    return channel.dy * (u(i + 1, j) - u(i, j)) + channel.dx * (v(i, j + 1) - v(i, j));
  }
};

}  // namespace backward_facing_step
