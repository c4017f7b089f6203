// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The axis that a face is across, 0 to 2, and the two along it.
struct FaceAxes {
  int across;
  int first;
  int second;
  bool upper;  ///< the face is behind the last points
};

constexpr FaceAxes face_axes(Direction face) {
  switch (face) {
    case Direction::west: return {0, 1, 2, false};
    case Direction::east: return {0, 1, 2, true};
    case Direction::south: return {1, 0, 2, false};
    case Direction::north: return {1, 0, 2, true};
    case Direction::bottom: return {2, 0, 1, false};
    default: return {2, 0, 1, true};
  }
}

constexpr int& along(Point& p, int axis) { return axis == 0 ? p.i : axis == 1 ? p.j : p.k; }
constexpr int along(const Point& p, int axis) { return axis == 0 ? p.i : axis == 1 ? p.j : p.k; }

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
