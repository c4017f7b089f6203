// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/grid.hpp>

namespace backward_facing_step {

/// What the command line says about the channel. Lengths are in heights of the step.
struct ChannelOptions {
  double reynolds = 100;  ///< mean velocity of the inflow * 2 * height of the inlet / kinematic viscosity
  int cells_along = 200;  ///< behind the step
  int cells_across = 40;  ///< over the whole height of the channel, even
  double length = 20;     ///< of the channel behind the step
  double inlet = 4;       ///< length of the inlet channel before the step; 0: the inflow is at the step
  bool step = true;       ///< false: a plane channel, with inflow over its whole height
};

/// A channel with a step in its lower wall, or without one, on a uniform staggered grid: pressures in the middle of
/// cells, velocities u and v in the middle of their faces. A value that kernels take.
///
/// Height of the step and mean velocity of the inflow are 1, and the height of the channel is 2 (expansion ratio 2).
/// The step is made of solid cells, which stay in the grid. x = 0 is at the step, y = 0 at the lower wall behind it.
struct Channel {
  int ni;           ///< cells along
  int nj;           ///< cells across
  int inlet_cells;  ///< cells along before the step
  int step_cells;   ///< cells across below the edge of the step
  double dx;
  double dy;
  double viscosity;  ///< kinematic

  static constexpr double height = 2;

  hyperplane::Grid cells() const { return {ni, nj, 1}; }
  /// Face i is the west one of cell i.
  hyperplane::Grid u_faces() const { return {ni + 1, nj, 1}; }
  /// Face j is the south one of cell j.
  hyperplane::Grid v_faces() const { return {ni, nj + 1, 1}; }

  HYPERPLANE_FUNCTION double x(double i) const { return (i - inlet_cells) * dx; }
  HYPERPLANE_FUNCTION double y(double j) const { return j * dy; }

  /// Whether there is a wall instead of a cell; before the inlet it goes on as it begins.
  HYPERPLANE_FUNCTION bool wall(int i, int j) const { return j < 0 || j >= nj || (j < step_cells && i < inlet_cells); }

  /// Whether the velocity through a face is an unknown, and not given by a wall or the inflow.
  HYPERPLANE_FUNCTION bool u_open(int i, int j) const { return i > 0 && !wall(i - 1, j) && !wall(i, j); }
  HYPERPLANE_FUNCTION bool v_open(int i, int j) const { return !wall(i, j - 1) && !wall(i, j); }

  /// u of the parabolic inflow at the middle of a face; 0 where the inlet is closed.
  HYPERPLANE_FUNCTION double inflow(int j) const {
    if (j < step_cells) return 0;
    double const inlet_height = height - y(step_cells);
    double const eta = (y(j + 0.5) - y(step_cells)) / inlet_height;
    return 6 * eta * (1 - eta);
  }
  /// The flow rate through the faces of the inlet: the midpoint rule for the parabola.
  double flow_rate() const;
};

/// Throws hyperplane::Error for options that make no sense.
Channel make_channel(const ChannelOptions& options);

}  // namespace backward_facing_step
