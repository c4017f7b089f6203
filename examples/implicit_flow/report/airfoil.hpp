// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../solver/solution.hpp"

namespace implicit_flow {

/// Coefficients of the force on a body of chord 1, by the pressure on its surface.
struct AirfoilForces {
  double lift;
  double drag;
};

/// Lift and drag at Mach 0.8 and 1.25 degrees without viscosity, on ever finer grids, rounded: J. C. Vassberg and A.
/// Jameson, "In pursuit of grid convergence for two-dimensional Euler solutions", 2010, DOI 10.2514/1.46737.
inline constexpr AirfoilForces vassberg_jameson{0.356, 0.0227};

/// Forces on the side jmin of the only block of make_airfoil(); `attack` in radians. The pressure is that which the
/// wall's flux has: of the cells next to it.
AirfoilForces measure_airfoil_forces(const Solution& solution, double mach, double attack);

}  // namespace implicit_flow
