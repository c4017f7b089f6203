// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cgns.hpp"

#include "cgns_contents.hpp"
#include "side_faces.hpp"

#include <hyperplane/blocks/axis_transform.hpp>
#include <hyperplane/blocks/cgns_interface.hpp>
#include <hyperplane/core/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

namespace implicit_flow {

namespace {

using hyperplane::CgnsInterface;
using hyperplane::Point;

std::string text_of(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

Point first_vertex(const std::array<std::int64_t, 6>& range) {
  return {static_cast<int>(range[0] - 1), static_cast<int>(range[1] - 1), static_cast<int>(range[2] - 1)};
}

/// What connections are checked against.
struct Zones {
  std::string file;
  const CgnsContents& contents;
  double tolerance;

  std::string name(int zone) const { return zone_name(contents.zones[static_cast<std::size_t>(zone)], zone); }
  /// ": 0 is 'left', 1 is 'right'", where there are not too many.
  std::string list() const {
    if (contents.zones.size() > 20) return ", by their names";
    std::string result;
    for (std::size_t z = 0; z < contents.zones.size(); ++z) {
      result += (z == 0 ? ": " : ", ") + std::to_string(z) + " is '" + contents.zones[z] + "'";
    }
    return result;
  }
  std::string place(const CgnsContents::Connection& c) const {
    return file + ": " + name(c.zone) + ", GridConnectivity1to1 '" + c.name + "': ";
  }
  const Vec3& at(int zone, const Point& v) const {
    return contents.meshes[static_cast<std::size_t>(zone)].at(v.i, v.j, v.k);
  }

  int donor(const CgnsContents::Connection& c) const {
    auto const found = std::ranges::find(contents.zones, c.donor);
    if (found == contents.zones.end()) {
      throw hyperplane::Error(place(c) + "there is no zone '" + c.donor + "', the donor");
    }
    return static_cast<int>(found - contents.zones.begin());
  }
};

/// Throws where vertices of an interface whose ranges conform are not at the same place, or not as far apart as the
/// period.
void check_vertices(const Zones& zones, const CgnsContents::Connection& c, int donor) {
  hyperplane::AxisTransform const transform{c.transform};
  Point const first = first_vertex(c.range), donor_first = first_vertex(c.donor_range);
  Vec3 shift{};
  if (c.translation) {
    // libcgns has the translation in single precision.
    shift = zones.at(donor, donor_first) - zones.at(c.zone, first);
    if (double const apart = norm(shift - *c.translation); apart > zones.tolerance + 1e-6 * norm(*c.translation)) {
      throw hyperplane::Error(zones.place(c) + vertex_name(first) + " and " + vertex_name(donor_first) + " of " +
                              zones.name(donor) + " are " + text_of(apart) + " from being Translation apart");
    }
  }
  std::array<std::int64_t, 3> count{}, step{};
  for (std::size_t d = 0; d < 3; ++d) {
    auto const length = c.range[d + 3] - c.range[d];
    count[d] = std::abs(length) + 1;
    step[d] = length < 0 ? -1 : 1;
  }
  for (std::int64_t n = 0; n < count[0] * count[1] * count[2]; ++n) {
    Point const along{static_cast<int>(step[0] * (n % count[0])), static_cast<int>(step[1] * (n / count[0] % count[1])),
                      static_cast<int>(step[2] * (n / (count[0] * count[1])))};
    Point const turned = transform(along);
    Point const v{first.i + along.i, first.j + along.j, first.k + along.k};
    Point const w{donor_first.i + turned.i, donor_first.j + turned.j, donor_first.k + turned.k};
    double const apart = norm(zones.at(donor, w) - zones.at(c.zone, v) - shift);
    if (apart <= zones.tolerance) continue;
    throw hyperplane::Error(zones.place(c) + vertex_name(v) + " and " + vertex_name(w) + " of " + zones.name(donor) +
                            " are " + text_of(apart) + " apart" + (c.translation ? ", Translation taken off" : "") +
                            ": where zones meet they are the same, to " + text_of(zones.tolerance) +
                            " (--grid-tolerance)");
  }
}

hyperplane::Interface interface_of(const Zones& zones, const std::vector<hyperplane::Grid>& cells,
                                   const CgnsContents::Connection& c) {
  CgnsInterface const given{c.zone, c.range, zones.donor(c), c.donor_range, c.transform};
  auto const result = [&] {
    try {
      return hyperplane::interface_from_cgns(cells, given);
    } catch (const hyperplane::Error& error) {
      throw hyperplane::Error(zones.place(c) + error.what());
    }
  }();
  check_vertices(zones, c, given.donor);
  return result;
}

/// The side and the cells of a condition.
Patch patch_of(const std::string& file, const CgnsContents& contents, const CgnsContents::Condition& condition) {
  auto const zone = static_cast<std::size_t>(condition.zone);
  auto const& vertices = contents.meshes[zone].vertices;
  std::array const count{vertices.ni(), vertices.nj(), vertices.nk()};
  Patch result{
      .block = condition.zone,
      .type = condition.type,
      .place = file + ": " + zone_name(contents.zones[zone], condition.zone) + ", BC_t '" + condition.name + "'"};
  std::string range;
  std::array<int, 3> begin{}, end{};
  int across = 0;
  bool good = true;
  for (std::size_t d = 0; d < 3; ++d) {
    auto const low = std::min(condition.range[d], condition.range[d + 3]);
    auto const high = std::max(condition.range[d], condition.range[d + 3]);
    range += (d == 0 ? "" : " x ") + std::to_string(low) + ".." + std::to_string(high);
    good = good && low >= 1 && high <= count[d] && (low < high || low == 1 || low == count[d]);
    begin[d] = static_cast<int>(low) - 1;
    end[d] = static_cast<int>(high) - 1;
    if (low != high) continue;
    ++across;
    result.face = side_faces[2 * d + (low == 1 ? 0 : 1)];
    begin[d] = std::max(begin[d] - 1, 0);
    end[d] = begin[d] + 1;
  }
  if (!good || across != 1) {
    throw hyperplane::Error(result.place + ": PointRange " + range + " is no part of a face of a zone of " +
                            to_string(vertices) + " vertices");
  }
  result.cells = {{begin[0], begin[1], begin[2]}, {end[0], end[1], end[2]}};
  return result;
}

}  // namespace

bool is_cgns(const std::filesystem::path& file) {
  if (file.extension() == ".cgns") return true;
  constexpr std::string_view hdf5("\x89HDF\r\n\x1a\n", 8), adf("\xC0\xA8\xA3\xA9"
                                                               "ADF ",
                                                               8);
  std::array<char, 8> bytes{};
  std::ifstream in(file, std::ios::binary);
  in.read(bytes.data(), bytes.size());
  std::string_view const begin(bytes.data(), static_cast<std::size_t>(in.gcount()));
  return begin == hdf5 || begin == adf;
}

CgnsGrid read_cgns(const std::filesystem::path& file, std::optional<double> tolerance) {
  auto contents = read_cgns_contents(file);
  std::vector<Patch> patches;
  for (auto const& condition : contents.conditions) patches.push_back(patch_of(file.string(), contents, condition));
  std::vector<hyperplane::Grid> cells;
  for (auto const& mesh : contents.meshes) cells.push_back(mesh.cells());
  Zones const zones{file.string(), contents, tolerance ? *tolerance : default_tolerance(contents.meshes)};
  std::vector<hyperplane::Interface> interfaces;
  for (auto const& connection : contents.connections) interfaces.push_back(interface_of(zones, cells, connection));
  try {
    hyperplane::MultiBlockGrid grid(std::move(cells), interfaces);
    return {{std::move(contents.meshes), std::move(grid)}, std::move(contents.zones), std::move(patches)};
  } catch (const hyperplane::Error& error) {
    throw hyperplane::Error(file.string() + ": " + error.what() + "; grid blocks are zones" + zones.list());
  }
}

}  // namespace implicit_flow
