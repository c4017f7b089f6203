// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "file_boundaries.hpp"

#include "mesh/side_faces.hpp"

#include <hyperplane/array/box.hpp>
#include <hyperplane/grid/grid.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace implicit_flow {

namespace {

using hyperplane::Box;
using hyperplane::Point;

/// The cells next to a side, and for each the number of what holds there.
class SideCells {
 public:
  static constexpr int nothing = -1, neighbour = -2;

  SideCells(const hyperplane::Grid& cells, std::size_t side) : m_layer(Box::of(cells)) {
    auto& [begin, end] = m_layer;
    int& first = side / 2 == 0 ? begin.i : side / 2 == 1 ? begin.j : begin.k;
    int& last = side / 2 == 0 ? end.i : side / 2 == 1 ? end.j : end.k;
    if (side % 2 == 0) {
      last = 1;
    } else {
      first = last - 1;
    }
    m_numbers.resize(static_cast<std::size_t>(m_layer.size()), nothing);
  }

  /// Calls f(cell, number) for the cells of a part of the layer.
  template <class F>
  void for_each(const Box& part, const F& f) {
    auto const& begin = m_layer.begin;
    hyperplane::Grid const layer(m_layer.end.i - begin.i, m_layer.end.j - begin.j, m_layer.end.k - begin.k);
    for (int k = part.begin.k; k < part.end.k; ++k) {
      for (int j = part.begin.j; j < part.end.j; ++j) {
        for (int i = part.begin.i; i < part.end.i; ++i) {
          f(Point{i, j, k}, m_numbers[static_cast<std::size_t>(layer.index(i - begin.i, j - begin.j, k - begin.k))]);
        }
      }
    }
  }
  template <class F>
  void for_each(const F& f) {
    for_each(m_layer, f);
  }

 private:
  Box m_layer;
  std::vector<int> m_numbers;
};

/// "cell (3, 0, 1)"
std::string cell_name(const Point& p) {
  return "cell (" + std::to_string(p.i) + ", " + std::to_string(p.j) + ", " + std::to_string(p.k) + ")";
}

/// One condition for a side, where its cells that have no neighbour allow that; the numbers are those of conditions.
FileSide one_condition(SideCells& side) {
  FileSide result;
  std::optional<std::pair<Point, int>> first, last;
  SideCondition found;
  side.for_each([&](const Point& p, int number) {
    if (number == SideCells::neighbour) return;
    if (!first || p.i < first->first.i) first = {p, number};
    if (!last || p.i > last->first.i) last = {p, number};
  });
  if (!first) return result;
  bool is_given = false;
  std::optional<Point> bare;
  // Up to there all cells have the condition of the first one.
  int leading = last->first.i + 1;
  side.for_each([&](const Point& p, int number) {
    if (number == SideCells::neighbour) return;
    is_given = is_given || number != SideCells::nothing;
    if (number == SideCells::nothing && !bare) bare = p;
    if (number != first->second && p.i < leading) leading = p.i;
  });
  if (!is_given) return result;
  if (bare) {
    result.error = "says nothing about " + cell_name(*bare) + ", and has a condition elsewhere on this side";
    return result;
  }
  found.type = static_cast<Boundary>(last->second);
  found.leading = static_cast<Boundary>(first->second);
  found.leading_cells = found.type == found.leading ? 0 : leading;
  std::optional<Point> other;
  side.for_each([&](const Point& p, int number) {
    if (number != SideCells::neighbour && number != static_cast<int>(found.at(p.i)) && !other) other = p;
  });
  if (other) {
    result.error = std::string("has ") + name(found.type) + " and other conditions on this side, as at " +
                   cell_name(*other) + "; here a side has one, or one for the first cells along i and one for the rest";
    return result;
  }
  result.condition = found;
  return result;
}

FileSide side_of(std::span<const Patch> patches, const hyperplane::MultiBlockGrid& grid, int block, std::size_t number,
                 bool supersonic) {
  SideCells side(grid.block(block), number);
  FileSide result;
  for (auto const& interface : grid.interfaces(block)) {
    if (interface.face != side_faces[number]) continue;
    side.for_each(interface.points, [](const Point&, int& cell) { cell = SideCells::neighbour; });
  }
  std::string place;
  for (auto const& patch : patches) {
    if (patch.block != block || patch.face != side_faces[number]) continue;
    auto const type = boundary_of_cgns(patch.type, supersonic);
    auto const full_place = patch.place + ", " + name(static_cast<Side>(number));
    side.for_each(patch.cells, [&](const Point& p, int& cell) {
      if (cell == SideCells::neighbour || !result.error.empty()) return;
      if (!type) {
        result.error = full_place + ": there is no condition here for " + patch.type;
      } else if (cell != SideCells::nothing && cell != static_cast<int>(*type)) {
        result.error = full_place + ": " + cell_name(p) + " has another condition, too";
      } else {
        cell = static_cast<int>(*type);
      }
    });
    if (place.empty()) place = full_place;
  }
  if (!result.error.empty()) return result;
  result = one_condition(side);
  if (!result.error.empty()) result.error = place + ": the file " + result.error;
  return result;
}

}  // namespace

std::optional<Boundary> boundary_of_cgns(const std::string& type, bool supersonic) {
  using enum Boundary;
  std::vector<std::pair<std::string, Boundary>> const types{
      {"BCWallInviscid", slip_wall},
      {"BCSymmetryPlane", slip_wall},
      // Nothing flows through faces without area.
      {"BCSymmetryPolar", slip_wall},
      {"BCDegenerateLine", slip_wall},
      {"BCDegeneratePoint", slip_wall},
      {"BCWall", no_slip_wall},
      {"BCWallViscous", no_slip_wall},
      {"BCFarfield", far_field},
      {"BCInflow", supersonic ? supersonic_inflow : far_field},
      {"BCInflowSubsonic", far_field},
      {"BCInflowSupersonic", supersonic_inflow},
      {"BCOutflow", supersonic ? outflow : pressure_outflow},
      {"BCOutflowSubsonic", pressure_outflow},
      {"BCOutflowSupersonic", outflow},
      {"BCExtrapolate", outflow},
  };
  for (auto const& [name, boundary] : types) {
    if (name == type) return boundary;
  }
  return std::nullopt;
}

std::vector<FileSides> file_boundaries(std::span<const Patch> patches, const hyperplane::MultiBlockGrid& grid,
                                       bool supersonic) {
  std::vector<FileSides> result(static_cast<std::size_t>(grid.block_count()));
  for (int b = 0; b < grid.block_count(); ++b) {
    for (std::size_t s = 0; s < sides; ++s) {
      result[static_cast<std::size_t>(b)][s] = side_of(patches, grid, b, s, supersonic);
    }
  }
  return result;
}

}  // namespace implicit_flow
