// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

namespace implicit_flow {

/// The laminar boundary layer of a flat plate: f''' + f f'' / 2 = 0, f(0) = f'(0) = 0, f'(infinity) = 1, where
/// u / U = f'(eta) and eta = y sqrt(U / (nu x)). H. Blasius, "Grenzschichten in Fluessigkeiten mit kleiner Reibung",
/// 1908. Compressible as well, if the wall is adiabatic, the viscosity proportional to the temperature and
/// eta = sqrt(U / (nu x)) times the integral of the density over y (density and viscosity of the free stream as units):
/// D. R. Chapman and M. W. Rubesin, "Temperature and velocity profiles in the compressible laminar boundary layer",
/// 1949, DOI 10.2514/8.11811.
class Blasius {
 public:
  Blasius();

  /// Skin friction coefficient times the root of the local Reynolds number, 2 f''(0).
  static constexpr double friction = 0.66411467;

  /// u / U at eta.
  double velocity(double eta) const;

 private:
  static constexpr double step = 0.01;
  std::vector<double> m_velocity;  // at multiples of step
};

}  // namespace implicit_flow
