// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "case.hpp"

#include "file_boundaries.hpp"
#include "mesh/airfoil.hpp"
#include "mesh/cgns.hpp"
#include "mesh/side_faces.hpp"

#include <hyperplane/core/error.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <utility>

namespace implicit_flow {

namespace {

constexpr double degree = std::numbers::pi / 180;
/// High enough for the boundary layer not to push the free stream about.
constexpr double plate_reynolds = 1e5;

Mesh make_mesh(const CaseOptions& options, double mach) {
  switch (options.kind) {
    case CaseKind::wedge:
      return make_wedge(options.cells.value_or(hyperplane::Grid(150, 100, 4)), options.ramp_degrees * degree);
    case CaseKind::plate: {
      double const thickness = 5 / std::sqrt(options.reynolds.value_or(plate_reynolds)) * (1 + 0.2 * mach * mach);
      return make_plate(options.cells.value_or(hyperplane::Grid(80, 60, 2)), options.wall_cell * thickness);
    }
    case CaseKind::airfoil: return make_airfoil(options.cells.value_or(hyperplane::Grid(128, 128, 1)));
    case CaseKind::box: break;
  }
  return make_wavy_box(options.cells.value_or(hyperplane::Grid(24, 20, 16)), 0.04);
}

/// The grid blocks of a case, and what a file says about the sides of each, or of the one that was cut; empty where it
/// says nothing.
struct CaseGrid {
  MeshBlocks blocks;
  std::vector<FileSides> sides{};
  std::vector<std::string> names{};  ///< of the grid blocks, where a file gives them
};

constexpr std::array uncut{1, 1, 1};

void require_one_block(const CaseOptions& options, std::size_t count) {
  if (options.parts == uncut || count == 1) return;
  throw hyperplane::Error(options.grid_file.string() + ": " + std::to_string(count) + " blocks: --parts cuts one");
}

CaseGrid cgns_grid(const CaseOptions& options, double mach) {
  auto [blocks, zones, patches] = read_cgns(options.grid_file, options.grid_tolerance);
  auto sides = file_boundaries(patches, blocks.cells, mach > 1);
  require_one_block(options, blocks.meshes.size());
  if (options.parts == uncut) return {std::move(blocks), std::move(sides), std::move(zones)};
  // Parts meet where their vertices do.
  if (!(joined(blocks.meshes, options.grid_tolerance).cells == blocks.cells)) {
    throw hyperplane::Error(options.grid_file.string() +
                            ": --parts goes by vertices that are the same, and the interfaces of the file are others");
  }
  return {cut(blocks.meshes.front(), options.parts, options.grid_tolerance), std::move(sides)};
}

CaseGrid make_grid(const CaseOptions& options, double mach) {
  bool const is_cut = options.parts != uncut;
  if (options.grid_file.empty()) {
    // Vertices that are the same are so in every bit.
    double const tolerance = options.grid_tolerance.value_or(0);
    auto const mesh = make_mesh(options, mach);
    if (is_cut) return {cut(mesh, options.parts, tolerance)};
    return {options.kind == CaseKind::airfoil ? joined({mesh}, tolerance) : one_block(mesh)};
  }
  if (is_cgns(options.grid_file)) return cgns_grid(options, mach);
  auto meshes = read_plot3d(options.grid_file, options.grid_byte_order);
  require_one_block(options, meshes.size());
  if (!is_cut) return {joined(std::move(meshes), options.grid_tolerance)};
  return {cut(meshes.front(), options.parts, options.grid_tolerance)};
}

/// Cells of the bottom row in front of x = 0, where plate and ramp begin.
int cells_in_front(const Mesh& mesh) {
  int count = 0;
  while (count < mesh.cells().ni() && mesh.cell_center(count, 0, 0).x < 0) ++count;
  return count;
}

BoundaryConditions case_boundaries(CaseKind kind, const Mesh& mesh, double mach) {
  BoundaryConditions boundary{};
  if (kind == CaseKind::box) return boundary;
  boundary[Side::jmin].type = Boundary::slip_wall;
  boundary[Side::kmin].type = boundary[Side::kmax].type = Boundary::slip_wall;
  if (kind == CaseKind::airfoil) return boundary;
  bool const supersonic = mach > 1;
  boundary[Side::imin].type = supersonic ? Boundary::supersonic_inflow : Boundary::far_field;
  boundary[Side::imax].type = supersonic ? Boundary::outflow : Boundary::pressure_outflow;
  if (kind == CaseKind::plate) {
    boundary[Side::jmin] = {Boundary::no_slip_wall, Boundary::slip_wall, cells_in_front(mesh)};
  }
  return boundary;
}

/// The grid blocks that "2:jmin" is about, or "wing:jmin" where they have names, and "jmin".
std::pair<std::vector<std::size_t>, std::string> blocks_and_side(const std::string& text, const CaseGrid& grid) {
  std::vector<std::size_t> blocks(grid.blocks.meshes.size());
  std::iota(blocks.begin(), blocks.end(), std::size_t{0});
  auto const colon = text.rfind(':');
  if (colon == std::string::npos) return {blocks, text};
  auto const name = text.substr(0, colon), side = text.substr(colon + 1);
  if (auto const found = std::ranges::find(grid.names, name); found != grid.names.end()) {
    return {{static_cast<std::size_t>(found - grid.names.begin())}, side};
  }
  std::size_t number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + colon, number);
  if (error != std::errc{} || end != text.data() + colon || number >= blocks.size()) {
    std::string names;
    for (auto const& other : grid.names) names += (names.empty() ? ", or by name: " : ", ") + other;
    throw hyperplane::Error("--boundary " + text + ": '" + name + "' is no grid block: there are " +
                            std::to_string(blocks.size()) + ", counted from 0" + names);
  }
  return {{number}, side};
}

/// Whether all cells of a side have neighbours.
bool is_interface(const hyperplane::MultiBlockGrid& grid, int block, Side side) {
  auto const number = static_cast<std::size_t>(side);
  auto const& cells = grid.block(block);
  std::array<std::int64_t, 3> const extents{cells.ni(), cells.nj(), cells.nk()};
  std::int64_t boundary_cells = cells.size() / extents[number / 2];
  for (auto const& interface : grid.interfaces(block)) {
    if (interface.face == side_faces[number]) boundary_cells -= interface.points.size();
  }
  return boundary_cells == 0;
}

/// What --boundary gives, for each grid block and side.
using GivenBoundaries = std::vector<std::array<std::optional<Boundary>, sides>>;

GivenBoundaries given_boundaries(const std::vector<std::string>& texts, const CaseGrid& grid) {
  GivenBoundaries result(grid.blocks.meshes.size());
  for (auto const& text : texts) {
    auto const equals = text.rfind('=');
    if (equals == std::string::npos) {
      throw hyperplane::Error("--boundary " + text + ": expected side=condition, for example jmin=slip_wall");
    }
    auto const [blocks, side] = blocks_and_side(text.substr(0, equals), grid);
    auto const where = parse_side(side);
    if (text.substr(0, equals) != side && is_interface(grid.blocks.cells, static_cast<int>(blocks.front()), where)) {
      throw hyperplane::Error("--boundary " + text + ": all of " + side + " of grid block " +
                              std::to_string(blocks.front()) +
                              " is an interface, where it meets another one or itself (a wall without thickness looks "
                              "like that, too)");
    }
    for (auto const b : blocks) result[b][static_cast<std::size_t>(where)] = parse_boundary(text.substr(equals + 1));
  }
  return result;
}

/// Those of the case on every grid block, or of the mesh that was cut; over them those of the file, and over these what
/// is given.
std::vector<BoundaryConditions> block_boundaries(CaseKind kind, const CaseGrid& grid, double mach,
                                                 const GivenBoundaries& given) {
  auto const& blocks = grid.blocks;
  std::vector<BoundaryConditions> result;
  for (std::size_t b = 0; b < blocks.meshes.size(); ++b) {
    result.push_back(case_boundaries(kind, blocks.whole ? *blocks.whole : blocks.meshes[b], mach));
    for (std::size_t s = 0; s < sides; ++s) {
      auto& side = result[b].side[s];
      if (!grid.sides.empty()) {
        auto const& [condition, error] = grid.sides[blocks.whole ? 0 : b][s];
        if (!error.empty() && !given[b][s] && !is_interface(blocks.cells, static_cast<int>(b), static_cast<Side>(s))) {
          throw hyperplane::Error(error + " (--boundary " + std::to_string(b) + ":" + name(static_cast<Side>(s)) +
                                  "=... gives one)");
        }
        if (condition) side = *condition;
      }
      // What begins at a cell of the mesh that was cut begins there.
      if (blocks.whole) side.leading_cells -= blocks.boxes[b].begin.i;
      if (given[b][s]) side = {.type = *given[b][s]};
    }
  }
  return result;
}

}  // namespace

Case make_case(const CaseOptions& options) {
  bool const airfoil = options.kind == CaseKind::airfoil;
  double const mach = options.mach.value_or(airfoil ? 0.8 : 2);
  double const attack = options.attack_degrees.value_or(airfoil ? 1.25 : 0) * degree;
  if (!(mach > 0)) throw hyperplane::Error("the Mach number must be positive");
  if (options.kind == CaseKind::wedge && !(options.ramp_degrees > 0 && options.ramp_degrees < 40)) {
    throw hyperplane::Error("the ramp's angle must be between 0 and 40 degrees");
  }
  if (!(options.wall_cell > 0 && options.wall_cell <= 1)) {
    throw hyperplane::Error("the height of the first cell must be between 0 and the boundary layer's thickness");
  }
  Gas gas;
  auto const reynolds =
      options.kind == CaseKind::plate ? options.reynolds.value_or(plate_reynolds) : options.reynolds.value_or(0);
  if (reynolds < 0 || (options.reynolds && !(reynolds > 0))) {
    throw hyperplane::Error("the Reynolds number must be positive");
  }
  if (reynolds > 0) gas.viscosity = mach / reynolds;
  gas.law = options.law.value_or(options.kind == CaseKind::plate ? ViscosityLaw::linear : ViscosityLaw::sutherland);

  auto grid = make_grid(options, mach);
  auto boundary = block_boundaries(options.kind, grid, mach, given_boundaries(options.boundaries, grid));
  for (auto& of_block : boundary) of_block.free_stream = gas.free_stream(mach, attack);
  return {options.kind, std::move(grid.blocks), gas, std::move(boundary), mach, attack};
}

}  // namespace implicit_flow
