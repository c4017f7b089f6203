// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../solver/solution.hpp"

namespace implicit_flow {

/// Blasius: skin friction coefficient times the root of the local Reynolds number. Compressible as well, if the wall is
/// adiabatic and the viscosity proportional to the temperature: D. R. Chapman and M. W. Rubesin, "Temperature and
/// velocity profiles in the compressible laminar boundary layer", 1949, DOI 10.2514/8.11811.
inline constexpr double blasius_friction = 0.66412;

/// The same from the flow over make_plate's plate: mean between x = 0.5 and x = 0.9 in the middle plane.
double measure_plate_friction(const Solution& solution, double mach);

}  // namespace implicit_flow
