// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// What there is to say of an entry of a matrix, after its row and column, that couples points p and q which are no
/// neighbours: "couples point (0, 0, 0) with (2, 0, 0), which is not in ...", with the neighbours that p has. For
/// readers of matrices with rows and columns in natural order.
inline std::string outside_stencil(const Grid& grid, int block_size, const Point& p, const Point& q) {
  std::string neighbours;
  for (auto const direction : stencil7_directions) {
    if (direction == Direction::center || !grid.contains(neighbour(p, direction))) continue;
    neighbours += (neighbours.empty() ? "" : ", ") + std::string(name(direction)) + " " +
                  detail::to_text(neighbour(p, direction));
  }
  return "couples point " + detail::to_text(p) + " with " + detail::to_text(q) +
         ", which is not in the seven-point stencil of a " + to_string(grid) + " grid with block size " +
         std::to_string(block_size) + "; neighbours of the point are: " + (neighbours.empty() ? "none" : neighbours);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
