// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plate.hpp"

#include <hyperplane/core/error.hpp>

#include <cmath>

namespace implicit_flow {

double measure_plate_friction(const Solution& solution, double mach) {
  auto const cells = solution.mesh.cells();
  int const k = cells.nk() / 2;
  double sum = 0;
  int count = 0;
  for (int i = 0; i < cells.ni(); ++i) {
    Vec3 const center = solution.mesh.cell_center(i, 0, k);
    if (center.x < 0.5 || center.x > 0.9) continue;
    auto const& w = solution.at(i, 0, k);
    double const height = center.y - 0.5 * (solution.mesh.at(i, 0, k).y + solution.mesh.at(i + 1, 0, k).y);
    double const stress = solution.gas.viscosity_at(solution.gas.sound_speed_squared(w)) * w[1] / height;
    double const reynolds = mach * center.x / solution.gas.viscosity;
    sum += 2 * stress / (mach * mach) * std::sqrt(reynolds);
    ++count;
  }
  hyperplane::require(count > 0, "the grid is too coarse: no cell of the plate lies between x = 0.5 and x = 0.9");
  return sum / count;
}

}  // namespace implicit_flow
