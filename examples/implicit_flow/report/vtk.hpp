// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../solver/solution.hpp"

#include <filesystem>

namespace implicit_flow {

/// Writes the flow as a VTK XML structured grid (.vts, raw appended data): cell arrays density, velocity, pressure and
/// mach, dimensionless as in Gas. Throws hyperplane::Error if the file cannot be written.
void write_vts(const std::filesystem::path& file, const Solution& solution);

}  // namespace implicit_flow
