// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "inviscid.hpp"
#include "viscous.hpp"

#include <string>

namespace implicit_flow {

enum class Boundary : int {
  supersonic_inflow,  ///< the free stream, whatever the flow
  outflow,            ///< the cell's own state: right where the flow leaves at supersonic speed
  pressure_outflow,   ///< the same with the free stream's pressure: where the flow leaves at subsonic speed
  slip_wall,          ///< no flow through it; also a plane of symmetry
  no_slip_wall,       ///< adiabatic; the same as slip_wall without viscosity
  far_field,          ///< upwind flux between the cell and the free stream: waves leave, the free stream enters
};

/// The six sides of a block.
enum class Side : int { imin, imax, jmin, jmax, kmin, kmax };
inline constexpr int sides = 6;

/// What one side is made of: `type`, except for the first `leading_cells` cells along i, which are `leading`.
struct SideCondition {
  Boundary type = Boundary::far_field;
  Boundary leading = Boundary::far_field;
  int leading_cells = 0;

  KOKKOS_FUNCTION Boundary at(int i) const { return i < leading_cells ? leading : type; }
};

/// All boundary conditions of a block, usable in kernels.
struct BoundaryConditions {
  SideCondition side[sides];
  Quintet<double> free_stream;

  SideCondition& operator[](Side s) { return side[static_cast<int>(s)]; }
  const SideCondition& operator[](Side s) const { return side[static_cast<int>(s)]; }
};

/// Names as on the command line: "slip_wall", "imin".
const char* name(Boundary boundary);
const char* name(Side side);
/// Throw hyperplane::Error that lists the names, unless `text` is one.
Boundary parse_boundary(const std::string& text);
Side parse_side(const std::string& text);

/// Primitive state of the cell that one may imagine behind the boundary; n is the unit normal, either way. Behind a
/// face without area, whose normal is zero, it is the cell itself.
template <class T>
KOKKOS_FUNCTION Quintet<T> ghost_state(Boundary type, const Quintet<double>& free_stream, const Quintet<T>& w,
                                       const Vec3& n) {
  Quintet<T> ghost = w;
  if (!(dot(n, n) > 0)) return ghost;
  switch (type) {
    case Boundary::supersonic_inflow:
    case Boundary::far_field:
      for (int c = 0; c < equations; ++c) ghost[c] = T(free_stream[c]);
      break;
    case Boundary::outflow: break;
    case Boundary::pressure_outflow: ghost[4] = T(free_stream[4]); break;
    case Boundary::slip_wall: {
      T const twice_normal = 2.0 * (w[1] * n.x + w[2] * n.y + w[3] * n.z);
      ghost[1] = w[1] - twice_normal * n.x;
      ghost[2] = w[2] - twice_normal * n.y;
      ghost[3] = w[3] - twice_normal * n.z;
      break;
    }
    case Boundary::no_slip_wall:
      for (int c = 1; c <= 3; ++c) ghost[c] = -w[c];
      break;
  }
  return ghost;
}

/// Flux out of the cell with primitive state w through a boundary face; `area` points out of the block, `volume` is
/// the cell's.
template <class T>
KOKKOS_FUNCTION Quintet<T> boundary_flux(const Gas& gas, Boundary type, const Quintet<double>& free_stream,
                                         const Quintet<T>& w, const Vec3& area, double volume) {
  double const size = norm(area);
  Vec3 const n = unit(area);
  auto const ghost = ghost_state(type, free_stream, w, n);
  Quintet<T> f;
  switch (type) {
    case Boundary::supersonic_inflow:
    case Boundary::outflow:
    case Boundary::pressure_outflow: f = euler_flux(ghost, gas.enthalpy(ghost), n); break;
    case Boundary::far_field: f = roe_flux(gas, w, ghost, n); break;
    case Boundary::slip_wall:
    case Boundary::no_slip_wall:
      f[0] = f[4] = T(0.0);
      f[1] = w[4] * n.x;
      f[2] = w[4] * n.y;
      f[3] = w[4] * n.z;
      break;
  }
  for (int e = 0; e < equations; ++e) f[e] = f[e] * size;
  if (gas.viscosity > 0 && type == Boundary::no_slip_wall) {
    auto const viscous = thin_layer_flux(gas, w, ghost, area, volume);
    for (int e = 0; e < equations; ++e) f[e] = f[e] + viscous[e];
  }
  return f;
}

}  // namespace implicit_flow
