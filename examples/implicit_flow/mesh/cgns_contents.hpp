// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mesh.hpp"

#include <hyperplane/grid/grid.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace implicit_flow {

/// What a CGNS file says, before anything of it is compared with anything else. Ranges are of vertices, counted from 1:
/// the first one and the last one. Of a file with two dimensions, k is from 1 to 2.
struct CgnsContents {
  /// A GridConnectivity1to1_t.
  struct Connection {
    int zone;  ///< counted from 0
    std::string name;
    std::string donor;
    std::array<std::int64_t, 6> range;
    std::array<std::int64_t, 6> donor_range;
    std::array<int, 3> transform;
    std::optional<Vec3> translation{};  ///< to the donor, where it is periodic
  };
  /// A BC_t.
  struct Condition {
    int zone;
    std::string name;
    std::string type;  ///< "BCWallInviscid", of its family where the family says it
    std::array<std::int64_t, 6> range;
  };

  std::vector<std::string> zones;
  std::vector<Mesh> meshes;  ///< of each zone
  std::vector<Connection> connections;
  std::vector<Condition> conditions;
};

/// "zone 'wing' (grid block 2)"
inline std::string zone_name(const std::string& name, int number) {
  return "zone '" + name + "' (grid block " + std::to_string(number) + ")";
}

/// "vertex (1, 4, 2)", as in the file: counted from 1.
inline std::string vertex_name(const hyperplane::Point& v) {
  return "vertex (" + std::to_string(v.i + 1) + ", " + std::to_string(v.j + 1) + ", " + std::to_string(v.k + 1) + ")";
}

/// Throws hyperplane::Error with the file and the place, where the file is none, is cut short, has zones that are not
/// structured or something else that the program does not have; where the program was built without libcgns, for every
/// file.
CgnsContents read_cgns_contents(const std::filesystem::path& file);

}  // namespace implicit_flow
