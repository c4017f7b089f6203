// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/box.hpp>
#include <hyperplane/blocks/detail/check_interfaces.hpp>
#include <hyperplane/blocks/detail/face_axes.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

using Position = std::array<double, 3>;

inline Position moved(const Position& a, const Position& by) { return {a[0] + by[0], a[1] + by[1], a[2] + by[2]}; }

inline double distance(const Position& a, const Position& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

inline constexpr std::array<Direction, 6> outer_faces = {Direction::west,  Direction::east,   Direction::south,
                                                         Direction::north, Direction::bottom, Direction::top};

/// A face of a cell on a face of its grid block.
struct CellFace {
  int block = 0;
  Direction face = Direction::west;
  Point cell{};
  /// Vertex u + 2 v, where u and v say which end of the cell it is along the first and the second axis of the face.
  std::array<Position, 4> corners{};
};

/// Those of all grid blocks.
struct CellFaces {
  std::vector<Grid> grids;
  std::vector<CellFace> all;
  /// Where each of the six faces of each grid block begins, in the order of outer_faces.
  std::vector<std::size_t> first;

  std::size_t number(int block, Direction face, const Point& cell) const {
    auto const axes = face_axes(face);
    Box const layer = face_layer(grids[as_size(block)], face);
    auto const width = along(layer.end, axes.first);
    return first[6 * as_size(block) + as_size(2 * axes.across + axes.upper)] +
           as_size(along(cell, axes.first) + std::int64_t{width} * along(cell, axes.second));
  }
};

/// position(number of the grid block, vertex) is a Position. Throws Error where one is not finite.
template <class PositionOf>
CellFaces collect_cell_faces(std::span<const Grid> blocks, const PositionOf& position) {
  CellFaces result{{blocks.begin(), blocks.end()}, {}, {}};
  for (int b = 0; b < static_cast<int>(blocks.size()); ++b) {
    for (auto const face : outer_faces) {
      result.first.push_back(result.all.size());
      auto const axes = face_axes(face);
      Box const layer = face_layer(blocks[as_size(b)], face);
      for (int second = 0; second < along(layer.end, axes.second); ++second) {
        for (int first = 0; first < along(layer.end, axes.first); ++first) {
          CellFace cell_face{b, face, layer.begin};
          along(cell_face.cell, axes.first) = first;
          along(cell_face.cell, axes.second) = second;
          for (int corner = 0; corner < 4; ++corner) {
            Point vertex = cell_face.cell;
            along(vertex, axes.across) += axes.upper;
            along(vertex, axes.first) += corner % 2;
            along(vertex, axes.second) += corner / 2;
            Position const place = position(b, vertex);
            if (!std::isfinite(place[0]) || !std::isfinite(place[1]) || !std::isfinite(place[2])) {
              fail("find_interfaces: the position of vertex " + to_text(vertex) + " of grid block " +
                   std::to_string(b) + " is not finite");
            }
            cell_face.corners[as_size(corner)] = place;
          }
          result.all.push_back(cell_face);
        }
      }
    }
  }
  return result;
}

/// Corner `corner` of a cell face lies on corner turned(corner, orientation) of another: axes swapped, then either
/// turned round.
constexpr int turned(int corner, int orientation) {
  int const u = corner % 2, v = corner / 2;
  bool const swapped = (orientation & 4) != 0;
  return ((swapped ? v : u) ^ (orientation & 1)) + 2 * ((swapped ? u : v) ^ (orientation >> 1 & 1));
}

/// Whether the corners of a, moved by `translation`, are at most `tolerance` from those of b.
inline bool coincide(const CellFace& a, const CellFace& b, const Position& translation, int orientation,
                     double tolerance) {
  for (int corner = 0; corner < 4; ++corner) {
    auto const& other = b.corners[as_size(turned(corner, orientation))];
    if (!(distance(moved(a.corners[as_size(corner)], translation), other) <= tolerance)) return false;
  }
  return true;
}

/// Whether a cell face is a line or a point, or folded onto itself: it looks the same in two orientations.
inline bool is_degenerate(const CellFace& face, double tolerance) {
  for (int orientation = 1; orientation < 8; ++orientation) {
    if (coincide(face, face, {}, orientation, 2 * tolerance)) return true;
  }
  return false;
}

/// An edge that is a point but for rounding is shorter than the next one on its grid line by more than this. Cells that
/// become thinner towards a wall do so by far less.
inline constexpr double point_ratio = 100;

/// Edges that are as short as the tolerance, one after the other on a grid line, have to be an axis or a point: they
/// span as little, and what is next to them on the line is not about as short. Throws Error where it is otherwise,
/// because then the tolerance is larger than cells, and their faces would meet nothing.
inline void check_short_edges(const CellFaces& faces, double tolerance) {
  for (auto const& face : faces.all) {
    auto const axes = face_axes(face.face);
    for (int const axis : {axes.first, axes.second}) {
      auto const other_end = as_size(axis == axes.first ? 1 : 2);
      int const end = along(face_layer(faces.grids[as_size(face.block)], face.face).end, axis);
      // What follows a short edge has been looked at from there.
      auto const at = [&](int index) -> const CellFace& {
        Point cell = face.cell;
        along(cell, axis) = index;
        return faces.all[faces.number(face.block, face.face, cell)];
      };
      auto const length = [&](int index) { return distance(at(index).corners[0], at(index).corners[other_end]); };
      auto const is_short = [&](int index) { return length(index) <= 2 * tolerance; };
      auto const refuse_edges = [&](int last, const std::string& more) {
        fail("find_interfaces: tolerance " + shortest(tolerance) + " is too large for the " + name(face.face) +
             " face of grid block " + std::to_string(face.block) + ": edges of cells " + to_text(face.cell) + " to " +
             to_text(at(last).cell) + " along " + "ijk"[axis] + " are at most twice as long" + more);
      };
      int const begin = along(face.cell, axis);
      if (!is_short(begin) || (begin > 0 && is_short(begin - 1))) continue;
      int behind = begin;
      for (; behind < end && is_short(behind); ++behind) {
        if (distance(face.corners[0], at(behind).corners[other_end]) > 2 * tolerance) refuse_edges(behind, "");
      }
      auto const require_far_longer = [&](int index, int next) {
        if (length(next) > point_ratio * length(index)) return;
        refuse_edges(behind - 1, ", and that of " + to_text(at(next).cell) + " is not much longer");
      };
      if (begin > 0) require_far_longer(begin, begin - 1);
      if (behind < end) require_far_longer(behind - 1, behind);
    }
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
