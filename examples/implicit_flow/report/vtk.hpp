// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../solver/solution.hpp"

#include <filesystem>
#include <span>

namespace implicit_flow {

/// Writes the flow as a VTK XML structured grid (.vts, raw appended data): cell arrays density, velocity, pressure and
/// mach, dimensionless as in Gas. Throws hyperplane::Error if the file cannot be written.
void write_vts(const std::filesystem::path& file, const Solution& solution);

/// Writes one flow to flow.vts in the folder; several to flow_0.vts and so on, with flow.vtm that lists them. Files of
/// these names from before go. Throws hyperplane::Error if a file cannot be written.
void write_vtk(const std::filesystem::path& folder, std::span<const Solution> solutions);

}  // namespace implicit_flow
