// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plate.hpp"

#include "blasius.hpp"

#include <hyperplane/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace implicit_flow {

namespace {

/// y of the middle of a cell's lower face.
double bottom_of(const Mesh& mesh, int i, int j, int k) { return 0.5 * (mesh.at(i, j, k).y + mesh.at(i + 1, j, k).y); }

}  // namespace

double measure_plate_friction(const Solution& solution, double mach) {
  auto const cells = solution.mesh.cells();
  int const k = cells.nk() / 2;
  double sum = 0;
  int count = 0;
  for (int i = 0; i < cells.ni(); ++i) {
    Vec3 const center = solution.mesh.cell_center(i, 0, k);
    if (center.x < 0.5 || center.x > 0.9) continue;
    auto const& w = solution.at(i, 0, k);
    double const height = center.y - bottom_of(solution.mesh, i, 0, k);
    double const stress = solution.gas.viscosity_at(solution.gas.sound_speed_squared(w)) * w[1] / height;
    double const reynolds = mach * center.x / solution.gas.viscosity;
    sum += 2 * stress / (mach * mach) * std::sqrt(reynolds);
    ++count;
  }
  hyperplane::require(count > 0, "the grid is too coarse: no cell of the plate lies between x = 0.5 and x = 0.9");
  return sum / count;
}

double largest_wall_aspect(const Mesh& mesh) {
  double largest = 0;
  for (int i = 0; i < mesh.cells().ni(); ++i) {
    double const height = bottom_of(mesh, i, 1, 0) - bottom_of(mesh, i, 0, 0);
    largest = std::max(largest, (mesh.at(i + 1, 0, 0).x - mesh.at(i, 0, 0).x) / height);
  }
  return largest;
}

std::vector<ProfilePoint> measure_plate_profile(const Solution& solution, double mach) {
  auto const& mesh = solution.mesh;
  auto const cells = mesh.cells();
  int const k = cells.nk() / 2;
  auto const distance = [&](int i) { return std::abs(mesh.cell_center(i, 0, k).x - 0.7); };
  int column = 0;
  for (int i = 1; i < cells.ni(); ++i) {
    if (distance(i) < distance(column)) column = i;
  }
  double const x = mesh.cell_center(column, 0, k).x;
  hyperplane::require(x > 0, "no cell lies on the plate");
  double const scale = std::sqrt(mach / (solution.gas.viscosity * x));
  std::vector<ProfilePoint> profile;
  double mass = 0;
  for (int j = 0; j < cells.nj(); ++j) {
    auto const& w = solution.at(column, j, k);
    double const half = 0.5 * w[0] * (bottom_of(mesh, column, j + 1, k) - bottom_of(mesh, column, j, k));
    profile.push_back({scale * (mass + half), w[1] / mach});
    mass += 2 * half;
  }
  return profile;
}

double velocity_at(const std::vector<ProfilePoint>& profile, double eta) {
  ProfilePoint below{0, 0};
  for (auto const& above : profile) {
    if (above.eta >= eta) {
      return below.velocity + (eta - below.eta) / (above.eta - below.eta) * (above.velocity - below.velocity);
    }
    below = above;
  }
  return below.velocity;
}

double largest_profile_error(const std::vector<ProfilePoint>& profile) {
  Blasius const theory;
  double largest = 0;
  for (auto const& point : profile) {
    // What is above the layer is the weak interaction of the plate with the stream, which the theory leaves out.
    if (point.eta > 8) break;
    largest = std::max(largest, std::abs(point.velocity - theory.velocity(point.eta)));
  }
  return largest;
}

void write_profile(const std::filesystem::path& file, const std::vector<ProfilePoint>& profile) {
  Blasius const theory;
  std::ofstream out(file);
  out.precision(10);
  out << "eta,computed,theory\n";
  for (auto const& point : profile) {
    out << point.eta << ',' << point.velocity << ',' << theory.velocity(point.eta) << '\n';
  }
  out.close();
  if (!out) throw hyperplane::Error(file.string() + ": cannot be written");
}

}  // namespace implicit_flow
