// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "momentum.hpp"

namespace backward_facing_step {

/// The system for the correction of the pressure: faces answer to it as `response_u` and `response_v` say, and then
/// each cell gets as much as it gives. Faces that do not answer have 0 there, so walls and inflow need no other care;
/// beyond the outlet the correction is 0.
template <hyperplane::ExecutionSpace Exec>
void assemble_pressure(const Exec& exec, const Channel& c, const FlowRef<Exec>& flow,
                       const typename Field<Exec>::Ref& response_u, const typename Field<Exec>::Ref& response_v,
                       const Equation<Exec>& equation) {
  auto const matrix = equation.matrix().ref();
  auto const rhs = equation.rhs().ref();
  for_each_point(
      exec, "backward_facing_step::assemble_pressure", c.cells(), KOKKOS_LAMBDA(int i, int j) {
        using enum hyperplane::Direction;
        bool const solid = c.wall(i, j);
        double const w = c.dy * response_u(i, j, 0, 0);
        double const e = c.dy * response_u(i + 1, j, 0, 0);
        double const s = c.dx * response_v(i, j, 0, 0);
        double const n = c.dx * response_v(i, j + 1, 0, 0);
        matrix(i, j, 0, west, 0, 0) = -w;
        matrix(i, j, 0, east, 0, 0) = -e;
        matrix(i, j, 0, south, 0, 0) = -s;
        matrix(i, j, 0, north, 0, 0) = -n;
        matrix(i, j, 0, center, 0, 0) = solid ? 1 : w + e + s + n;
        rhs(i, j, 0, 0) = solid ? 0
                                : c.dy * (flow.u(i, j, 0, 0) - flow.u(i + 1, j, 0, 0)) +
                                      c.dx * (flow.v(i, j, 0, 0) - flow.v(i, j + 1, 0, 0));
      });
}

/// Adds the correction to the pressure, and what it does to the velocities.
template <hyperplane::ExecutionSpace Exec>
void correct(const Exec& exec, const Channel& c, const FlowRef<Exec>& flow, const typename Field<Exec>::Ref& response_u,
             const typename Field<Exec>::Ref& response_v, const typename Field<Exec>::Ref& correction) {
  for_each_point(
      exec, "backward_facing_step::correct_u", c.u_faces(), KOKKOS_LAMBDA(int i, int j) {
        if (!c.u_open(i, j)) return;
        double const beyond = i == c.ni ? 0.0 : correction(i, j, 0, 0);
        flow.u(i, j, 0, 0) += response_u(i, j, 0, 0) * (correction(i - 1, j, 0, 0) - beyond);
      });
  for_each_point(
      exec, "backward_facing_step::correct_v", c.v_faces(), KOKKOS_LAMBDA(int i, int j) {
        if (!c.v_open(i, j)) return;
        flow.v(i, j, 0, 0) += response_v(i, j, 0, 0) * (correction(i, j - 1, 0, 0) - correction(i, j, 0, 0));
      });
  for_each_point(
      exec, "backward_facing_step::correct_p", c.cells(),
      KOKKOS_LAMBDA(int i, int j) { flow.p(i, j, 0, 0) += correction(i, j, 0, 0); });
}

}  // namespace backward_facing_step
