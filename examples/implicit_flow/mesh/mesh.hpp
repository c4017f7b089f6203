// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../physics/gas.hpp"

#include <hyperplane/grid/grid.hpp>

#include <vector>

namespace implicit_flow {

/// Vertices of a structured, curvilinear block on the host, in the order of hyperplane::Grid (i fastest).
struct Mesh {
  hyperplane::Grid vertices;
  std::vector<Vec3> position;

  explicit Mesh(const hyperplane::Grid& grid) : vertices(grid), position(static_cast<std::size_t>(grid.size())) {}

  Vec3& at(int i, int j, int k) { return position[static_cast<std::size_t>(vertices.index(i, j, k))]; }
  const Vec3& at(int i, int j, int k) const { return position[static_cast<std::size_t>(vertices.index(i, j, k))]; }

  /// One cell fewer than vertices in each direction.
  hyperplane::Grid cells() const { return {vertices.ni() - 1, vertices.nj() - 1, vertices.nk() - 1}; }

  /// Mean of the eight vertices of a cell.
  Vec3 cell_center(int i, int j, int k) const;
};

/// Inflow section and then a ramp: x from -0.25 to 1, the ramp starts at x = 0 and rises by `angle` (radians), the top
/// is straight at y = 1. Grid lines i = const are vertical and evenly spaced; each one is divided evenly.
/// A power of refinement keeps the corner on a grid line: the first fifth of the cells is in front of it.
Mesh make_wedge(const hyperplane::Grid& cells, double angle);

/// Flat plate in the plane y = 0 from x = 0 to x = 1, behind an inflow section of a fifth of the cells; height 0.5.
/// Cells shrink geometrically towards the wall; the first one is `first_height` high.
Mesh make_plate(const hyperplane::Grid& cells, double first_height);

/// Unit cube with smoothly waved inner grid lines and waved sides, all six faces curved: for free-stream preservation.
Mesh make_wavy_box(const hyperplane::Grid& cells, double amplitude);

/// Cells of make_wedge and make_plate in front of the corner or the leading edge.
int leading_cells(const hyperplane::Grid& cells);

}  // namespace implicit_flow
