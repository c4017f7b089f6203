// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../solver/solution.hpp"

#include <filesystem>
#include <vector>

namespace implicit_flow {

/// Skin friction coefficient times the root of the local Reynolds number over make_plate's plate: mean between x = 0.5
/// and x = 0.9 in the middle plane. Blasius::friction in theory.
double measure_plate_friction(const Solution& solution, double mach);

/// Length over height of the cells next to the wall, the largest of them.
double largest_wall_aspect(const Mesh& mesh);

/// A cell of a column through the boundary layer: Blasius' coordinate, and the velocity along the plate over that of
/// the free stream.
struct ProfilePoint {
  double eta;
  double velocity;
};

/// The column of cells that is nearest to x = 0.7 in the middle plane, from the wall upwards.
std::vector<ProfilePoint> measure_plate_profile(const Solution& solution, double mach);

/// The profile's velocity at eta, interpolated linearly between cells and the wall.
double velocity_at(const std::vector<ProfilePoint>& profile, double eta);

/// The largest difference of the profile from Blasius' velocity, anywhere in the layer.
double largest_profile_error(const std::vector<ProfilePoint>& profile);

/// Comma-separated values: eta, computed, theory. Throws hyperplane::Error if the file cannot be written.
void write_profile(const std::filesystem::path& file, const std::vector<ProfilePoint>& profile);

}  // namespace implicit_flow
