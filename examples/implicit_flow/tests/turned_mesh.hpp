// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mesh/mesh.hpp"

#include <hyperplane/blocks/axis_transform.hpp>
#include <hyperplane/grid/grid.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

/// Meshes whose axes lie in other ways.
namespace implicit_flow::turned_meshes {

using hyperplane::AxisTransform;
using hyperplane::Point;

/// The transforms that keep a mesh right-handed.
inline std::vector<AxisTransform> rotations() {
  std::vector<AxisTransform> result;
  for (int a = -3; a <= 3; ++a) {
    for (int b = -3; b <= 3; ++b) {
      for (int c = -3; c <= 3; ++c) {
        AxisTransform const transform{{a, b, c}};
        if (!transform.valid()) continue;
        auto const vector = [&](const Point& p) {
          Point const q = transform(p);
          return Vec3{1.0 * q.i, 1.0 * q.j, 1.0 * q.k};
        };
        if (dot(cross(vector({1, 0, 0}), vector({0, 1, 0})), vector({0, 0, 1})) > 0) result.push_back(transform);
      }
    }
  }
  return result;
}

/// Where point p of a grid is after its axes have been turned; of vertices or of cells.
inline Point turned(const Point& p, const hyperplane::Grid& grid, const AxisTransform& transform) {
  Point const q = transform(p), last = transform(Point{grid.ni() - 1, grid.nj() - 1, grid.nk() - 1});
  return {q.i - std::min(last.i, 0), q.j - std::min(last.j, 0), q.k - std::min(last.k, 0)};
}

inline Mesh turned(const Mesh& mesh, const AxisTransform& transform) {
  auto const& grid = mesh.vertices;
  Point const extents = transform(Point{grid.ni(), grid.nj(), grid.nk()});
  Mesh result({std::abs(extents.i), std::abs(extents.j), std::abs(extents.k)});
  for (std::int64_t number = 0; number < grid.size(); ++number) {
    auto const q = turned(grid.point(number), grid, transform);
    result.at(q.i, q.j, q.k) = mesh.position[static_cast<std::size_t>(number)];
  }
  return result;
}

}  // namespace implicit_flow::turned_meshes
