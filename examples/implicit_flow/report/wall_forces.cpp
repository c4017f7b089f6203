// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wall_forces.hpp"

#include <cmath>

namespace implicit_flow {

WallForces measure_wall_forces(const Solution& solution, double mach, double attack) {
  auto const cells = solution.mesh.cells();
  WallForces sum{0, 0};
  for (int k = 0; k < cells.nk(); ++k) {
    for (int i = 0; i < cells.ni(); ++i) {
      double const pressure = solution.at(i, 0, k)[4] - 1 / solution.gas.gamma;
      auto const [lift, drag] = forces_of_pressure(solution.mesh, i, k, mach, attack);
      sum.lift += pressure * lift;
      sum.drag += pressure * drag;
    }
  }
  return sum;
}

WallForces forces_of_pressure(const Mesh& mesh, int i, int k, double mach, double attack) {
  // Out of the cell, into the body.
  Vec3 const area =
      0.5 * cross(mesh.at(i + 1, 0, k + 1) - mesh.at(i, 0, k), mesh.at(i, 0, k + 1) - mesh.at(i + 1, 0, k));
  double const depth = mesh.at(0, 0, mesh.cells().nk()).z - mesh.at(0, 0, 0).z;
  double const scale = 1 / (0.5 * mach * mach * depth);
  return {scale * (area.y * std::cos(attack) - area.x * std::sin(attack)),
          scale * (area.x * std::cos(attack) + area.y * std::sin(attack))};
}

}  // namespace implicit_flow
