// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cgns_contents.hpp"

#include "cgns_file.hpp"

#include <cgnslib.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <new>

namespace implicit_flow {

namespace {

/// The first base of the file.
constexpr int base = 1;
/// Longer than any name that libcgns gives: paths of families have up to twenty names of 32 characters.
using Name = std::array<char, 1024>;

/// Reads one zone after the other.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : m_file(file) {}

  CgnsContents run() {
    int bases = 0, zones = 0, space = 0;
    m_file.require(cg_nbases(m_file, &bases), "");
    if (bases < 1) m_file.refuse("", "there is no base, CGNSBase_t");
    Name name{};
    m_file.require(cg_base_read(m_file, base, name.data(), &m_dimensions, &space), "the first base");
    if (m_dimensions < 2 || m_dimensions > 3) {
      m_file.refuse(std::string("base '") + name.data() + "'",
                    "cells have " + std::to_string(m_dimensions) + " dimensions, there must be 2 or 3");
    }
    if (space < m_dimensions || space > 3) {
      m_file.refuse(std::string("base '") + name.data() + "'",
                    "cells of " + std::to_string(m_dimensions) + " dimensions are in a space of " +
                        std::to_string(space) + ", there must be " + (m_dimensions == 3 ? "3" : "2 or 3"));
    }
    m_base = name.data();
    m_file.require(cg_nzones(m_file, base, &zones), "base '" + m_base + "'");
    if (zones < 1) m_file.refuse("base '" + m_base + "'", "there is no zone");
    for (m_zone = 1; m_zone <= zones; ++m_zone) read_zone();
    return std::move(m_result);
  }

 private:
  void read_zone() {
    Name name{};
    std::array<cgsize_t, 9> size{};
    auto type = CGNS_ENUMV(ZoneTypeNull);
    m_place = "zone " + std::to_string(m_zone);
    m_file.require(cg_zone_read(m_file, base, m_zone, name.data(), size.data()), m_place);
    m_place = zone_name(name.data(), m_zone - 1);
    m_file.require(cg_zone_type(m_file, base, m_zone, &type), m_place);
    if (type != CGNS_ENUMV(Structured)) m_file.refuse(m_place, "not structured");
    m_result.zones.emplace_back(name.data());
    read_coordinates(size);
    read_connections();
    read_conditions();
  }

  void read_coordinates(const std::array<cgsize_t, 9>& size) {
    std::array<int, 3> count{1, 1, 1};
    std::string text;
    for (std::size_t d = 0; d < dimensions(); ++d) {
      text += (d == 0 ? "" : " x ") + std::to_string(size[d]);
      count[d] = static_cast<int>(std::clamp<cgsize_t>(size[d], 0, largest_extent + 1));
    }
    for (std::size_t d = 0; d < dimensions(); ++d) {
      if (count[d] >= 2 && count[d] <= largest_extent) continue;
      m_file.refuse(m_place, text + " vertices: there must be from 2 to " + std::to_string(largest_extent) +
                                 " along each direction");
    }
    int found = 0;
    m_file.require(cg_ncoords(m_file, base, m_zone, &found), m_place);
    std::vector<std::string> names;
    for (int c = 1; c <= found; ++c) {
      Name name{};
      auto type = CGNS_ENUMV(RealDouble);
      m_file.require(cg_coord_info(m_file, base, m_zone, c, &type, name.data()), m_place);
      names.emplace_back(name.data());
    }
    try {
      m_result.meshes.push_back(read_mesh(count, names));
    } catch (const std::bad_alloc&) {
      m_file.refuse(m_place, text + " vertices do not fit into memory");
    }
  }

  Mesh read_mesh(const std::array<int, 3>& count, const std::vector<std::string>& names) {
    Mesh mesh(hyperplane::Grid(count[0], count[1], dimensions() == 2 ? 2 : count[2]));
    std::size_t const plane = static_cast<std::size_t>(count[0]) * static_cast<std::size_t>(count[1]);
    std::vector<double> values(plane * static_cast<std::size_t>(count[2]));
    for (std::size_t c = 0; c < 3; ++c) {
      auto const name = std::string("Coordinate") + "XYZ"[c];
      if (std::ranges::find(names, name) == names.end()) {
        if (c == 2 && dimensions() == 2) continue;
        m_file.refuse(m_place, "there is no " + name);
      }
      read_coordinate(name, count, values);
      for (std::size_t p = 0; p < values.size(); ++p) {
        (c == 0 ? mesh.position[p].x : c == 1 ? mesh.position[p].y : mesh.position[p].z) = values[p];
      }
    }
    for (std::size_t p = 0; dimensions() == 2 && p < plane; ++p)
      mesh.position[plane + p] = mesh.position[p] + Vec3{0, 0, 1};
    return mesh;
  }

  void read_coordinate(const std::string& name, const std::array<int, 3>& count, std::vector<double>& values) {
    std::array<cgsize_t, 3> const first{1, 1, 1}, last{count[0], count[1], count[2]};
    m_file.require(cg_coord_read(m_file, base, m_zone, name.c_str(), CGNS_ENUMV(RealDouble), first.data(), last.data(),
                                 values.data()),
                   m_place + ", " + name);
    for (std::size_t p = 0; p < values.size(); ++p) {
      if (std::isfinite(values[p])) continue;
      auto const v = hyperplane::Grid(count[0], count[1], count[2]).point(static_cast<std::int64_t>(p));
      m_file.refuse(m_place, name + " of " + vertex_name(v) + " is not a finite number");
    }
  }

  /// In two dimensions, what a file has as i, j, i, j.
  std::array<std::int64_t, 6> range_of(const std::array<cgsize_t, 6>& r) const {
    if (dimensions() == 2) return {r[0], r[1], 1, r[2], r[3], 2};
    return {r[0], r[1], r[2], r[3], r[4], r[5]};
  }

  void read_connections() {
    int lists = 0, others = 0, count = 0;
    m_file.require(cg_nzconns(m_file, base, m_zone, &lists), m_place);
    if (lists > 1) m_file.refuse(m_place, std::to_string(lists) + " ZoneGridConnectivity_t, there must be one");
    m_file.require(cg_nconns(m_file, base, m_zone, &others), m_place);
    if (others > 0) {
      Name name{}, donor{};
      auto location = CGNS_ENUMV(Vertex);
      auto type = CGNS_ENUMV(Overset);
      auto set = CGNS_ENUMV(PointRange), donor_set = set;
      auto donor_type = CGNS_ENUMV(Structured);
      auto data = CGNS_ENUMV(RealDouble);
      cgsize_t points = 0, donor_points = 0;
      m_file.require(cg_conn_info(m_file, base, m_zone, 1, name.data(), &location, &type, &set, &points, donor.data(),
                                  &donor_type, &donor_set, &data, &donor_points),
                     m_place);
      m_file.refuse(m_place, std::string("GridConnectivity '") + name.data() + "' (" +
                                 cg_GridConnectivityTypeName(type) +
                                 "): zones have to meet one to one, as GridConnectivity1to1");
    }
    m_file.require(cg_n1to1(m_file, base, m_zone, &count), m_place);
    for (int c = 1; c <= count; ++c) read_connection(c);
  }

  void read_connection(int number) {
    Name name{}, donor{};
    std::array<cgsize_t, 6> range{}, donor_range{};
    std::array<int, 3> transform{1, 2, 3};
    m_file.require(cg_1to1_read(m_file, base, m_zone, number, name.data(), donor.data(), range.data(),
                                donor_range.data(), transform.data()),
                   m_place + ", GridConnectivity1to1 " + std::to_string(number));
    if (dimensions() == 2) transform[2] = 3;
    std::string donor_name = donor.data();
    // As "base/zone".
    if (donor_name.starts_with(m_base + "/")) donor_name.erase(0, m_base.size() + 1);
    m_result.connections.push_back(
        {m_zone - 1, name.data(), donor_name, range_of(range), range_of(donor_range), transform});
    std::array<float, 3> center{}, angle{}, translation{};
    int const status =
        cg_1to1_periodic_read(m_file, base, m_zone, number, center.data(), angle.data(), translation.data());
    if (status == CG_NODE_NOT_FOUND) return;
    auto const place = m_place + ", GridConnectivity1to1 '" + name.data() + "'";
    m_file.require(status, place);
    if (angle != std::array<float, 3>{}) {
      m_file.refuse(place, "it is periodic with a rotation; here a period is a translation");
    }
    m_result.connections.back().translation = Vec3{translation[0], translation[1], translation[2]};
  }

  void read_conditions() {
    int count = 0;
    m_file.require(cg_nbocos(m_file, base, m_zone, &count), m_place);
    for (int c = 1; c <= count; ++c) read_condition(c);
  }

  void read_condition(int number) {
    Name name{};
    auto type = CGNS_ENUMV(BCTypeNull);
    auto set = CGNS_ENUMV(PointSetTypeNull);
    auto data = CGNS_ENUMV(RealDouble);
    auto location = CGNS_ENUMV(Vertex);
    cgsize_t points = 0, normals = 0;
    std::array<int, 3> normal_index{};
    int sets = 0;
    m_file.require(cg_boco_info(m_file, base, m_zone, number, name.data(), &type, &set, &points, normal_index.data(),
                                &normals, &data, &sets),
                   m_place + ", BC_t " + std::to_string(number));
    auto const place = m_place + ", BC_t '" + name.data() + "'";
    if (set != CGNS_ENUMV(PointRange) || points != 2) {
      m_file.refuse(place,
                    std::string("its points are a ") + cg_PointSetTypeName(set) + ", there must be a PointRange");
    }
    std::array<cgsize_t, 6> range{};
    std::vector<char> list(static_cast<std::size_t>(std::max<cgsize_t>(normals, 1)) * sizeof(double));
    m_file.require(cg_boco_read(m_file, base, m_zone, number, range.data(), list.data()), place);
    m_file.require(cg_boco_gridlocation_read(m_file, base, m_zone, number, &location), place);
    m_result.conditions.push_back({m_zone - 1, name.data(), cg_BCTypeName(type), {}});
    auto& condition = m_result.conditions.back();
    if (type == CGNS_ENUMV(FamilySpecified)) condition.type = type_of_family(number, place);
    condition.range = location == CGNS_ENUMV(Vertex) ? range_of(range) : range_of(vertices_of(location, range, place));
  }

  /// Ranges of faces of cells, as ranges of their vertices.
  std::array<cgsize_t, 6> vertices_of(CGNS_ENUMT(GridLocation_t) location, std::array<cgsize_t, 6> range,
                                      const std::string& place) const {
    std::size_t across = dimensions();
    if (location == CGNS_ENUMV(IFaceCenter)) across = 0;
    if (location == CGNS_ENUMV(JFaceCenter)) across = 1;
    if (location == CGNS_ENUMV(KFaceCenter)) across = 2;
    if (location == CGNS_ENUMV(FaceCenter) || (location == CGNS_ENUMV(EdgeCenter) && dimensions() == 2)) {
      int flat = 0;
      for (std::size_t d = 0; d < dimensions(); ++d) {
        if (range[d] != range[d + dimensions()]) continue;
        ++flat;
        across = d;
      }
      if (flat != 1)
        m_file.refuse(place, "which way its faces lie is not clear: it wants GridLocation IFaceCenter or such");
    }
    if (across >= dimensions()) {
      m_file.refuse(place, std::string("GridLocation ") + cg_GridLocationName(location) + " is not of faces");
    }
    for (std::size_t d = 0; d < dimensions(); ++d) {
      if (d == across) continue;
      auto& first = range[d];
      auto& last = range[d + dimensions()];
      ++(first > last ? first : last);
    }
    return range;
  }

  /// The type that the family of a BC_t gives; where it gives none, why, which is no type that the program has.
  std::string type_of_family(int number, const std::string& place) {
    Name family{};
    int families = 0;
    m_file.require(cg_goto(m_file, base, "Zone_t", m_zone, "ZoneBC_t", 1, "BC_t", number, "end"), place);
    int const status = cg_famname_read(family.data());
    if (status == CG_NODE_NOT_FOUND) return "FamilySpecified without a FamilyName";
    m_file.require(status, place);
    m_file.require(cg_nfamilies(m_file, base, &families), place);
    for (int f = 1; f <= families; ++f) {
      Name name{}, condition{};
      int conditions = 0, geometries = 0;
      m_file.require(cg_family_read(m_file, base, f, name.data(), &conditions, &geometries), place);
      if (std::string(name.data()) != family.data()) continue;
      if (conditions < 1) return std::string("family '") + family.data() + "', which has no FamilyBC_t";
      auto type = CGNS_ENUMV(BCTypeNull);
      m_file.require(cg_fambc_read(m_file, base, f, 1, condition.data(), &type), place);
      return cg_BCTypeName(type);
    }
    return std::string("family '") + family.data() + "', which the file does not have";
  }

  std::size_t dimensions() const { return static_cast<std::size_t>(m_dimensions); }

  /// Keeps numbers of vertices within 64 bits, whatever a file claims.
  static constexpr int largest_extent = 100'000;

  CgnsFile m_file;
  int m_dimensions = 0;
  std::string m_base;
  int m_zone = 0;       ///< counted from 1
  std::string m_place;  ///< the zone
  CgnsContents m_result;
};

}  // namespace

CgnsContents read_cgns_contents(const std::filesystem::path& file) { return Reader(file).run(); }

}  // namespace implicit_flow
