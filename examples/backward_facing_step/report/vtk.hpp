// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../solver/solution.hpp"

#include <filesystem>
#include <vector>

namespace backward_facing_step {

/// The stream function at the corners of cells, (ni + 1) x (nj + 1), i fastest: the flow rate between the lower wall
/// and the corner. Lines of equal values are streamlines; inside the step it is 0.
std::vector<double> stream_function(const Solution& solution);

/// Writes the flow as a VTK XML image (.vti, raw appended data): velocity and pressure in the middle of cells, 0 in the
/// step, and the stream function at their corners. Throws hyperplane::Error if the file cannot be written.
void write_vti(const std::filesystem::path& file, const Solution& solution);

}  // namespace backward_facing_step
