// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../channel.hpp"
#include "equation.hpp"
#include "for_each.hpp"

#include <hyperplane/grid/stencil7.hpp>

namespace backward_facing_step {

/// The momentum equation of one face as it is gathered: a sum over the four sides of the control volume around it.
///
/// Convection is central; the matrix has the upwind part of it, and the difference is on the right-hand side with the
/// last velocities (deferred correction), so that the matrix is an M-matrix whatever the Reynolds number.
struct MomentumRow {
  enum Side { west, east, south, north };

  double neighbour[4] = {};
  double wall = 0;  ///< coefficient of velocities that are given to be 0
  double source = 0;

  KOKKOS_INLINE_FUNCTION static constexpr int opposite(int side) { return side ^ 1; }

  /// A side with a neighbour behind it, but for the fraction of the side that is a wall half a spacing away.
  /// conductance: viscosity * side / distance of neighbours; inflow: flow rate into the volume through this side.
  /// At the wall the derivative is that of the parabola through the wall, this face and its opposite neighbour.
  KOKKOS_INLINE_FUNCTION void add(int side, double conductance, double wall_fraction, double inflow, double here,
                                  double there) {
    double const upwind = inflow > 0 ? there : here;
    neighbour[side] += (1 - wall_fraction) * conductance + Kokkos::fmax(inflow, 0.0);
    source += inflow * (0.5 * (here + there) - upwind);
    neighbour[opposite(side)] += wall_fraction * conductance / 3;
    wall += wall_fraction * conductance * (8.0 / 3);
  }
};

/// The linear system of a momentum equation, relaxed, and how the velocity answers to a difference of pressures.
template <hyperplane::ExecutionSpace Exec>
struct MomentumTarget {
  typename hyperplane::BlockStencil7<double, 1, Exec>::Ref matrix;
  typename Field<Exec>::Ref rhs;
  typename Field<Exec>::Ref response;
  double relaxation;

  /// The velocity of the face is given.
  KOKKOS_INLINE_FUNCTION void fix(int i, int j, double value) const {
    using enum hyperplane::Direction;
    for (auto const d : {west, east, south, north}) matrix(i, j, 0, d, 0, 0) = 0;
    matrix(i, j, 0, center, 0, 0) = 1;
    rhs(i, j, 0, 0) = value;
    response(i, j, 0, 0) = 0;
  }

  /// `open` says which neighbours are unknowns; the other ones go to the right-hand side, so that no row of the matrix
  /// points to theirs. The response is that of SIMPLEC: neighbours change as this face does.
  KOKKOS_INLINE_FUNCTION void store(int i, int j, const MomentumRow& row, const bool (&open)[4],
                                    const double (&there)[4], double here, double area) const {
    using enum hyperplane::Direction;
    constexpr hyperplane::Direction directions[4] = {west, east, south, north};
    double diagonal = row.wall;
    double unknown = 0;
    double source = row.source;
    for (int s = 0; s < 4; ++s) {
      double const a = row.neighbour[s];
      diagonal += a;
      if (open[s]) {
        unknown += a;
      } else {
        source += a * there[s];
      }
      matrix(i, j, 0, directions[s], 0, 0) = open[s] ? -a : 0.0;
    }
    double const relaxed = diagonal / relaxation;
    matrix(i, j, 0, center, 0, 0) = relaxed;
    rhs(i, j, 0, 0) = source + (relaxed - diagonal) * here;
    response(i, j, 0, 0) = area / (relaxed - unknown);
  }
};

/// Velocities and pressure, for kernels.
template <hyperplane::ExecutionSpace Exec>
struct FlowRef {
  typename Field<Exec>::Ref u;
  typename Field<Exec>::Ref v;
  typename Field<Exec>::Ref p;
};

/// Control volumes of u reach from the middle of a cell to that of the next; the one at the outlet is half of that, has
/// the pressure 0 on its east side, and velocities there do not change along the channel.
template <hyperplane::ExecutionSpace Exec>
struct AssembleU {
  Channel c;
  FlowRef<Exec> flow;
  MomentumTarget<Exec> target;

  KOKKOS_FUNCTION void operator()(int i, int j) const {
    if (!c.u_open(i, j)) return target.fix(i, j, i == 0 ? c.inflow(j) : 0);
    auto const u = [&](int l, int m) { return l > c.ni || m < 0 || m >= c.nj ? 0.0 : flow.u(l, m, 0, 0); };
    bool const outlet = i == c.ni;
    double const here = u(i, j);
    double const there[4] = {u(i - 1, j), u(i + 1, j), u(i, j - 1), u(i, j + 1)};
    bool const open[4] = {c.u_open(i - 1, j), !outlet && c.u_open(i + 1, j), c.u_open(i, j - 1), c.u_open(i, j + 1)};
    // Flow into the volume from below, through halves of the faces of the cells on both sides.
    auto const rising = [&](int m) {
      return 0.5 * c.dx * (flow.v(i - 1, m, 0, 0) + (outlet ? 0.0 : flow.v(i, m, 0, 0)));
    };
    auto const walled = [&](int m) {
      return outlet ? double(c.wall(i - 1, m)) : 0.5 * (c.wall(i - 1, m) + c.wall(i, m));
    };
    double const width = outlet ? 0.5 * c.dx : c.dx;
    double const along = c.viscosity * c.dy / c.dx;
    double const across = c.viscosity * width / c.dy;
    MomentumRow row;
    row.add(MomentumRow::west, along, 0, 0.5 * c.dy * (there[0] + here), here, there[0]);
    if (!outlet) row.add(MomentumRow::east, along, 0, -0.5 * c.dy * (here + there[1]), here, there[1]);
    row.add(MomentumRow::south, across, walled(j - 1), rising(j), here, there[2]);
    row.add(MomentumRow::north, across, walled(j + 1), -rising(j + 1), here, there[3]);
    row.source += c.dy * (flow.p(i - 1, j, 0, 0) - (outlet ? 0.0 : flow.p(i, j, 0, 0)));
    target.store(i, j, row, open, there, here, c.dy);
  }
};

template <hyperplane::ExecutionSpace Exec>
void assemble_u(const Exec& exec, const Channel& c, const FlowRef<Exec>& flow, const MomentumTarget<Exec>& target) {
  for_each_point(exec, "backward_facing_step::assemble_u", c.u_faces(), AssembleU<Exec>{c, flow, target});
}

/// Control volumes of v reach from the middle of a cell to that of the one above. v is 0 at the inlet.
template <hyperplane::ExecutionSpace Exec>
struct AssembleV {
  Channel c;
  FlowRef<Exec> flow;
  MomentumTarget<Exec> target;

  KOKKOS_FUNCTION void operator()(int i, int j) const {
    if (!c.v_open(i, j)) return target.fix(i, j, 0);
    auto const v = [&](int l, int m) { return l < 0 || l >= c.ni ? 0.0 : flow.v(l, m, 0, 0); };
    bool const inlet = i == 0;
    bool const outlet = i == c.ni - 1;
    double const here = v(i, j);
    double const there[4] = {v(i - 1, j), v(i + 1, j), v(i, j - 1), v(i, j + 1)};
    bool const open[4] = {!inlet && c.v_open(i - 1, j), !outlet, c.v_open(i, j - 1), c.v_open(i, j + 1)};
    auto const along_flow = [&](int l) { return 0.5 * c.dy * (flow.u(l, j - 1, 0, 0) + flow.u(l, j, 0, 0)); };
    double const along = c.viscosity * c.dy / c.dx;
    double const across = c.viscosity * c.dx / c.dy;
    MomentumRow row;
    if (inlet) {
      row.add(MomentumRow::west, along, 1, 0, here, 0);
      row.wall += along_flow(0);  // what flows in has v = 0
    } else {
      double const walled = 0.5 * (c.wall(i - 1, j - 1) + c.wall(i - 1, j));
      row.add(MomentumRow::west, along, walled, along_flow(i), here, there[0]);
    }
    if (!outlet) row.add(MomentumRow::east, along, 0, -along_flow(i + 1), here, there[1]);
    row.add(MomentumRow::south, across, 0, 0.5 * c.dx * (there[2] + here), here, there[2]);
    row.add(MomentumRow::north, across, 0, -0.5 * c.dx * (here + there[3]), here, there[3]);
    row.source += c.dx * (flow.p(i, j - 1, 0, 0) - flow.p(i, j, 0, 0));
    target.store(i, j, row, open, there, here, c.dx);
  }
};

template <hyperplane::ExecutionSpace Exec>
void assemble_v(const Exec& exec, const Channel& c, const FlowRef<Exec>& flow, const MomentumTarget<Exec>& target) {
  for_each_point(exec, "backward_facing_step::assemble_v", c.v_faces(), AssembleV<Exec>{c, flow, target});
}

}  // namespace backward_facing_step
