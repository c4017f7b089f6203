// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "momentum.hpp"

namespace backward_facing_step {

template <hyperplane::ExecutionSpace Exec>
struct AssemblePressure {
  Channel c;
  FlowRef<Exec> flow;
  typename Field<Exec>::Ref response_u;
  typename Field<Exec>::Ref response_v;
  typename hyperplane::BlockStencil7<double, 1, Exec>::Ref matrix;
  typename Field<Exec>::Ref rhs;

  KOKKOS_FUNCTION void operator()(int i, int j) const {
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
  }
};

/// The system for the correction of the pressure: faces answer to it as `response_u` and `response_v` say, and then
/// each cell gets as much as it gives. Faces that do not answer have 0 there, so walls and inflow need no other care;
/// beyond the outlet the correction is 0.
template <hyperplane::ExecutionSpace Exec>
void assemble_pressure(const Exec& exec, const Channel& c, const FlowRef<Exec>& flow,
                       const typename Field<Exec>::Ref& response_u, const typename Field<Exec>::Ref& response_v,
                       const Equation<Exec>& equation) {
  for_each_point(
      exec, "backward_facing_step::assemble_pressure", c.cells(),
      AssemblePressure<Exec>{c, flow, response_u, response_v, equation.matrix().ref(), equation.rhs().ref()});
}

template <hyperplane::ExecutionSpace Exec>
struct CorrectU {
  Channel c;
  typename Field<Exec>::Ref u;
  typename Field<Exec>::Ref response;
  typename Field<Exec>::Ref correction;

  KOKKOS_FUNCTION void operator()(int i, int j) const {
    if (!c.u_open(i, j)) return;
    double const beyond = i == c.ni ? 0.0 : correction(i, j, 0, 0);
    u(i, j, 0, 0) += response(i, j, 0, 0) * (correction(i - 1, j, 0, 0) - beyond);
  }
};

template <hyperplane::ExecutionSpace Exec>
struct CorrectV {
  Channel c;
  typename Field<Exec>::Ref v;
  typename Field<Exec>::Ref response;
  typename Field<Exec>::Ref correction;

  KOKKOS_FUNCTION void operator()(int i, int j) const {
    if (!c.v_open(i, j)) return;
    v(i, j, 0, 0) += response(i, j, 0, 0) * (correction(i, j - 1, 0, 0) - correction(i, j, 0, 0));
  }
};

template <hyperplane::ExecutionSpace Exec>
struct CorrectP {
  typename Field<Exec>::Ref p;
  typename Field<Exec>::Ref correction;

  KOKKOS_FUNCTION void operator()(int i, int j) const { p(i, j, 0, 0) += correction(i, j, 0, 0); }
};

/// Adds the correction to the pressure, and what it does to the velocities.
template <hyperplane::ExecutionSpace Exec>
void correct(const Exec& exec, const Channel& c, const FlowRef<Exec>& flow, const typename Field<Exec>::Ref& response_u,
             const typename Field<Exec>::Ref& response_v, const typename Field<Exec>::Ref& correction) {
  for_each_point(exec, "backward_facing_step::correct_u", c.u_faces(),
                 CorrectU<Exec>{c, flow.u, response_u, correction});
  for_each_point(exec, "backward_facing_step::correct_v", c.v_faces(),
                 CorrectV<Exec>{c, flow.v, response_v, correction});
  for_each_point(exec, "backward_facing_step::correct_p", c.cells(), CorrectP<Exec>{flow.p, correction});
}

}  // namespace backward_facing_step
