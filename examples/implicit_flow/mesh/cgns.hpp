// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "blocks.hpp"

#include <hyperplane/array/box.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace implicit_flow {

/// Where a grid file has a boundary condition: cells of the layer next to a face of a grid block.
struct Patch {
  int block = 0;
  hyperplane::Direction face = hyperplane::Direction::west;
  hyperplane::Box cells{};
  std::string type;   ///< BCType_t of CGNS: "BCWallInviscid"
  std::string place;  ///< the file, the zone and the name, for errors
};

/// The grid of a CGNS file: its zones are the grid blocks.
struct CgnsGrid {
  MeshBlocks blocks;
  std::vector<std::string> zones;  ///< their names
  std::vector<Patch> patches;
};

/// Whether a file begins as CGNS files do, or has the extension of one.
bool is_cgns(const std::filesystem::path& file);

/// Reads the structured zones of the first base, in the order of libcgns, which is that of their names, with the
/// interfaces that the file says (GridConnectivity1to1_t, also periodic ones by a translation) and its boundary
/// conditions (BC_t). A grid in two dimensions becomes one cell thick. Vertices at interfaces may be the tolerance
/// apart; none: that of joined().
///
/// Throws hyperplane::Error with the file, the zone and the place for what cannot be read, for zones that are not
/// structured, and for interfaces that do not conform, whose donor does not exist or whose vertices are not the same;
/// and where the program was built without libcgns.
CgnsGrid read_cgns(const std::filesystem::path& file, std::optional<double> tolerance = {});

}  // namespace implicit_flow
