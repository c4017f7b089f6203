// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../solver/solution.hpp"

namespace implicit_flow {

/// Coefficients of the force on a body of length 1, by the pressure on its surface.
struct WallForces {
  double lift;
  double drag;
};

/// Lift and drag at Mach 0.8 and 1.25 degrees without viscosity, on ever finer grids, rounded: J. C. Vassberg and A.
/// Jameson, "In pursuit of grid convergence for two-dimensional Euler solutions", 2010, DOI 10.2514/1.46737.
inline constexpr WallForces vassberg_jameson{0.356, 0.0227};

/// Forces on the side jmin of the only block: make_airfoil()'s airfoil, or make_wedge()'s ramp, in front of which the
/// side has no part in the drag where it is along the stream. `attack` in radians. The pressure is that which the
/// wall's flux has: of the cells next to it.
WallForces measure_wall_forces(const Solution& solution, double mach, double attack);

/// What a unit of pressure in cell (i, 0, k) adds to them.
WallForces forces_of_pressure(const Mesh& mesh, int i, int k, double mach, double attack);

}  // namespace implicit_flow
