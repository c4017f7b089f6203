// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mesh/mesh.hpp"

#include <hyperplane/blocks/multi_block_grid.hpp>

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace implicit_flow::cgns_writer {

/// What a CGNS file is to have. Ranges are the arrays of the file, of vertices from 1 on; in two dimensions i, j, i, j.
struct Connection {
  int zone = 0;  ///< counted from 0
  std::string name;
  std::string donor;
  std::vector<int> range;
  std::vector<int> donor_range;
  std::vector<int> transform;
  std::optional<std::array<float, 3>> translation{};
  std::array<float, 3> rotation{};
  bool is_general = false;  ///< a GridConnectivity_t instead
};
struct Condition {
  int zone = 0;
  std::string name;
  std::string type;  ///< of BCType_t
  std::vector<int> range;
  std::string location = "Vertex";
  std::string family{};  ///< of FamilySpecified
  bool is_list = false;  ///< a PointList, not a PointRange
};
struct Family {
  std::string name;
  std::string type;
};
struct File {
  std::vector<std::string> zones;
  std::vector<Mesh> meshes;
  std::vector<Connection> connections{};
  std::vector<Condition> conditions{};
  std::vector<Family> families{};
  int dimensions = 3;
  bool is_single = false;  ///< coordinates in single precision
  bool is_adf = false;     ///< no HDF5
  bool is_unstructured = false;
  int connectivities = 0;  ///< ZoneGridConnectivity_t of the first zone, beside that of the connections
  std::string last_coordinate = "CoordinateZ";
};

/// Interfaces as a file has them, each from both sides; zones are "zone 0" and so on.
std::vector<Connection> connections_of(const hyperplane::MultiBlockGrid& grid);

void write(const std::filesystem::path& path, const File& file);

}  // namespace implicit_flow::cgns_writer
