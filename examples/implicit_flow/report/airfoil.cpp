// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "airfoil.hpp"

#include <cmath>

namespace implicit_flow {

AirfoilForces measure_airfoil_forces(const Solution& solution, double mach, double attack) {
  auto const& mesh = solution.mesh;
  auto const cells = mesh.cells();
  Vec3 force;
  for (int k = 0; k < cells.nk(); ++k) {
    for (int i = 0; i < cells.ni(); ++i) {
      // Out of the cell, into the body.
      Vec3 const area =
          0.5 * cross(mesh.at(i + 1, 0, k + 1) - mesh.at(i, 0, k), mesh.at(i, 0, k + 1) - mesh.at(i + 1, 0, k));
      force = force + (solution.at(i, 0, k)[4] - 1 / solution.gas.gamma) * area;
    }
  }
  double const depth = mesh.at(0, 0, cells.nk()).z - mesh.at(0, 0, 0).z;
  double const scale = 1 / (0.5 * mach * mach * depth);
  return {scale * (force.y * std::cos(attack) - force.x * std::sin(attack)),
          scale * (force.x * std::cos(attack) + force.y * std::sin(attack))};
}

}  // namespace implicit_flow
