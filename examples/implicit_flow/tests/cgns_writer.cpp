// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cgns_writer.hpp"

#include <hyperplane/core/error.hpp>

#include <cgnslib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace implicit_flow::cgns_writer {

namespace {

using hyperplane::Direction;
using hyperplane::Point;

void require(int status) {
  if (status != CG_OK) throw hyperplane::Error(cg_get_error());
}

/// The value of an enumeration of CGNS by its name.
template <class Enum>
Enum by_name(std::span<const char* const> names, const std::string& name) {
  return static_cast<Enum>(std::ranges::find(names, name) - names.begin());
}

std::vector<cgsize_t> sizes(const std::vector<int>& values) { return {values.begin(), values.end()}; }

/// From the first vertex to the last one.
std::vector<int> range_of(const Point& a, const Point& b) {
  return {a.i + 1, a.j + 1, a.k + 1, b.i + 1, b.j + 1, b.k + 1};
}

template <class Value>
void write_coordinates(int out, int zone, const Mesh& mesh, const File& file) {
  auto const count = mesh.position.size() / (file.dimensions == 2 ? static_cast<std::size_t>(mesh.vertices.nk()) : 1);
  std::array<double Vec3::*, 3> const components{&Vec3::x, &Vec3::y, &Vec3::z};
  for (int c = 0; c < file.dimensions; ++c) {
    auto const name = c == 2 ? file.last_coordinate : std::string("Coordinate") + "XYZ"[c];
    std::vector<Value> values;
    for (std::size_t p = 0; p < count; ++p) {
      values.push_back(static_cast<Value>(mesh.position[p].*components[static_cast<std::size_t>(c)]));
    }
    int number = 0;
    require(cg_coord_write(out, 1, zone, sizeof(Value) == 4 ? CGNS_ENUMV(RealSingle) : CGNS_ENUMV(RealDouble),
                           name.c_str(), values.data(), &number));
  }
}

void write_zone(int out, const std::string& name, const Mesh& mesh, const File& file) {
  std::array const vertices{mesh.vertices.ni(), mesh.vertices.nj(), mesh.vertices.nk()};
  auto const dimensions = static_cast<std::size_t>(file.dimensions);
  std::array<cgsize_t, 9> size{};
  for (std::size_t d = 0; d < dimensions; ++d) {
    size[d] = vertices[d];
    size[dimensions + d] = vertices[d] - 1;
  }
  if (file.is_unstructured) size = {static_cast<cgsize_t>(mesh.vertices.size()), 1, 0};
  int zone = 0;
  require(cg_zone_write(out, 1, name.c_str(), size.data(),
                        file.is_unstructured ? CGNS_ENUMV(Unstructured) : CGNS_ENUMV(Structured), &zone));
  file.is_single ? write_coordinates<float>(out, zone, mesh, file) : write_coordinates<double>(out, zone, mesh, file);
}

void write_connection(int out, const Connection& c) {
  int number = 0;
  if (c.is_general) {
    auto const points = sizes(c.range);
    cgsize_t count = 1;
    for (std::size_t d = 0; d < 3; ++d) count *= points[d + 3] - points[d] + 1;
    std::vector<cgsize_t> const donors(static_cast<std::size_t>(3 * count), 1);
    require(cg_conn_write(out, 1, c.zone + 1, c.name.c_str(), CGNS_ENUMV(Vertex), CGNS_ENUMV(Abutting1to1),
                          CGNS_ENUMV(PointRange), 2, points.data(), c.donor.c_str(), CGNS_ENUMV(Structured),
                          CGNS_ENUMV(PointListDonor), CGNS_ENUMV(Integer), count, donors.data(), &number));
    return;
  }
  require(cg_1to1_write(out, 1, c.zone + 1, c.name.c_str(), c.donor.c_str(), sizes(c.range).data(),
                        sizes(c.donor_range).data(), c.transform.data(), &number));
  if (!c.translation) return;
  std::array<float, 3> const center{};
  require(cg_1to1_periodic_write(out, 1, c.zone + 1, number, center.data(), c.rotation.data(), c.translation->data()));
}

void write_condition(int out, const Condition& c) {
  int number = 0;
  auto const points = sizes(c.range);
  require(cg_boco_write(out, 1, c.zone + 1, c.name.c_str(), by_name<CGNS_ENUMT(BCType_t)>(BCTypeName, c.type),
                        c.is_list ? CGNS_ENUMV(PointList) : CGNS_ENUMV(PointRange), 2, points.data(), &number));
  if (c.location != "Vertex") {
    require(cg_boco_gridlocation_write(out, 1, c.zone + 1, number,
                                       by_name<CGNS_ENUMT(GridLocation_t)>(GridLocationName, c.location)));
  }
  if (c.family.empty()) return;
  require(cg_goto(out, 1, "Zone_t", c.zone + 1, "ZoneBC_t", 1, "BC_t", number, "end"));
  require(cg_famname_write(c.family.c_str()));
}

}  // namespace

std::vector<Connection> connections_of(const hyperplane::MultiBlockGrid& grid) {
  std::vector<Connection> result;
  for (auto const& interface : grid.interfaces()) {
    // Vertices of the layer's outer face; of the first cell, and of the last one.
    auto const [first, last] = interface.points;
    Point low = first, high = last;
    switch (interface.face) {
      case Direction::west: high.i = low.i; break;
      case Direction::south: high.j = low.j; break;
      case Direction::bottom: high.k = low.k; break;
      case Direction::east: low.i = high.i; break;
      case Direction::north: low.j = high.j; break;
      default: low.k = high.k; break;
    }
    // Twice the centers of faces and cells are whole numbers: a vertex is half a step of each axis away from a center.
    auto const donor_vertex = [&](const Point& v) {
      Point const steps =
          interface.transform(Point{2 * (v.i - first.i) - 1, 2 * (v.j - first.j) - 1, 2 * (v.k - first.k) - 1});
      auto const& begin = interface.donor_begin;
      return Point{begin.i + (steps.i + 1) / 2, begin.j + (steps.j + 1) / 2, begin.k + (steps.k + 1) / 2};
    };
    Point const outward = offset(interface.face);
    auto const inside = [&](const Point& v) { return Point{v.i - outward.i, v.j - outward.j, v.k - outward.k}; };
    auto const& axes = interface.transform.axes;
    result.push_back({interface.block,
                      "to " + std::to_string(result.size()),
                      "zone " + std::to_string(interface.donor),
                      range_of(low, high),
                      range_of(donor_vertex(inside(low)), donor_vertex(inside(high))),
                      {axes.begin(), axes.end()}});
  }
  return result;
}

void write(const std::filesystem::path& path, const File& file) {
  std::filesystem::remove(path);
  require(cg_set_file_type(file.is_adf ? CG_FILE_ADF2 : CG_FILE_HDF5));
  int out = 0, base = 0;
  require(cg_open(path.string().c_str(), CG_MODE_WRITE, &out));
  require(cg_base_write(out, "base", file.is_unstructured ? 3 : file.dimensions, file.dimensions, &base));
  for (auto const& family : file.families) {
    int number = 0, condition = 0;
    require(cg_family_write(out, 1, family.name.c_str(), &number));
    require(
        cg_fambc_write(out, 1, number, "FamBC", by_name<CGNS_ENUMT(BCType_t)>(BCTypeName, family.type), &condition));
  }
  for (std::size_t z = 0; z < file.zones.size(); ++z) write_zone(out, file.zones[z], file.meshes[z], file);
  for (auto const& connection : file.connections) write_connection(out, connection);
  for (int c = 0; c < file.connectivities; ++c) {
    int number = 0;
    require(cg_zconn_write(out, 1, 1, ("other " + std::to_string(c)).c_str(), &number));
  }
  for (auto const& condition : file.conditions) write_condition(out, condition);
  require(cg_close(out));
}

}  // namespace implicit_flow::cgns_writer
