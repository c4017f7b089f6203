// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mesh/cgns.hpp"
#include "physics/boundary.hpp"

#include <hyperplane/blocks/multi_block_grid.hpp>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace implicit_flow {

/// What a grid file says about one side of a grid block: nothing, a condition, or something that the program does not
/// have, which matters only where the command line does not give one.
struct FileSide {
  std::optional<SideCondition> condition{};
  std::string error{};
};
using FileSides = std::array<FileSide, sides>;

/// The boundary condition of a type of CGNS; what is only an inflow or outflow depends on the stream's speed, as in the
/// cases. None for types that the program does not have.
std::optional<Boundary> boundary_of_cgns(const std::string& type, bool supersonic);

/// The sides of all grid blocks. What patches say about cells that have neighbours does not count. The others of a side
/// have one condition, or one for the first cells along i and another for the rest; or the file says nothing about any.
std::vector<FileSides> file_boundaries(std::span<const Patch> patches, const hyperplane::MultiBlockGrid& grid,
                                       bool supersonic);

}  // namespace implicit_flow
