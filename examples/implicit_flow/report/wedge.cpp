// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wedge.hpp"

#include <hyperplane/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace implicit_flow {

namespace {

struct Line {
  double slope;
  double intercept;
  double at(double x) const { return intercept + slope * x; }
};

double median(std::vector<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Theil-Sen fit.
Line fit_line(const std::vector<Vec3>& points) {
  std::vector<double> slopes;
  for (std::size_t a = 0; a < points.size(); ++a) {
    for (std::size_t b = a + 1; b < points.size(); ++b) {
      slopes.push_back((points[b].y - points[a].y) / (points[b].x - points[a].x));
    }
  }
  double const slope = median(slopes);
  std::vector<double> intercepts;
  for (auto const& p : points) intercepts.push_back(p.y - slope * p.x);
  return {slope, median(intercepts)};
}

/// Where the pressure falls through `level` on the way up column i.
std::optional<Vec3> find_level(const Solution& solution, int i, int k, double level) {
  auto const cells = solution.mesh.cells();
  for (int j = 0; j + 1 < cells.nj(); ++j) {
    double const below = solution.at(i, j, k)[4];
    double const above = solution.at(i, j + 1, k)[4];
    if (below < level || above >= level) continue;
    Vec3 const from = solution.mesh.cell_center(i, j, k);
    Vec3 const to = solution.mesh.cell_center(i, j + 1, k);
    return from + (below - level) / (below - above) * (to - from);
  }
  return std::nullopt;
}

double cell_area(const Mesh& mesh, int i, int j, int k) {
  return 0.5 * norm(cross(mesh.at(i + 1, j + 1, k) - mesh.at(i, j, k), mesh.at(i, j + 1, k) - mesh.at(i + 1, j, k)));
}

}  // namespace

ObliqueShock measure_wedge_shock(const Solution& solution) {
  auto const cells = solution.mesh.cells();
  int const k = cells.nk() / 2;
  double const p1 = 1 / solution.gas.gamma;

  std::vector<Vec3> shock;
  for (int i = 0; i < cells.ni(); ++i) {
    double const x = solution.mesh.cell_center(i, 0, k).x;
    if (x < 0.3 || x > 0.85) continue;
    if (auto const place = find_level(solution, i, k, 0.5 * (p1 + solution.at(i, 0, k)[4]))) shock.push_back(*place);
  }
  hyperplane::require(shock.size() >= 3, "no shock found in the pressure field: fewer than three columns show one");
  Line const line = fit_line(shock);

  double area = 0;
  double pressure = 0;
  double mach = 0;
  for (int i = 0; i < cells.ni(); ++i) {
    for (int j = 0; j < cells.nj(); ++j) {
      Vec3 const center = solution.mesh.cell_center(i, j, k);
      double const wall = 0.5 * (solution.mesh.at(i, 0, k).y + solution.mesh.at(i + 1, 0, k).y);
      double const height = (center.y - wall) / (line.at(center.x) - wall);
      if (center.x < 0.5 || center.x > 0.9 || height < 0.2 || height > 0.6) continue;
      double const weight = cell_area(solution.mesh, i, j, k);
      area += weight;
      pressure += weight * solution.at(i, j, k)[4];
      mach += weight * solution.gas.mach(solution.at(i, j, k));
    }
  }
  hyperplane::require(area > 0, "the grid is too coarse: no cell lies between the wall and the shock");
  return {std::atan(line.slope), pressure / area / p1, mach / area};
}

}  // namespace implicit_flow
