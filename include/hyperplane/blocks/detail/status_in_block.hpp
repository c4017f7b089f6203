// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/detail/placed_grids.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <algorithm>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The status of a larger grid, of those that grid blocks are placed in, as that of a grid block, which is returned: of
/// that whose block is not finite, where it is known. What shows at a ghost point first, as factors that overflow, is
/// that of the point next to it; so is what shows beyond the larger grid, of which others have what lies there.
inline int status_in_block(const MultiBlockGrid& blocks, const PlacedGrids& placed, int grid, FactorStatus& status) {
  auto const in_block = [&](int block, const Point& p) {
    auto const& begin = placed.begins[as_size(block)];
    return Point{p.i - begin.i, p.j - begin.j, p.k - begin.k};
  };
  Point const at = status.block ? status.block->point : status.point;
  int found = 0;
  for (int b = 0; b < blocks.block_count(); ++b) {
    if (placed.grid_of[as_size(b)] != grid) continue;
    found = b;
    if (blocks.block(b).contains(in_block(b, at))) break;
  }
  auto const& block = blocks.block(found);
  Point const own = in_block(found, at), point = in_block(found, status.point);
  Point const nearest{std::clamp(own.i, 0, block.ni() - 1), std::clamp(own.j, 0, block.nj() - 1),
                      std::clamp(own.k, 0, block.nk() - 1)};
  if (status.block && own == nearest) {
    status.block->point = own;
    status.points_out = !block.contains(neighbour(own, status.block->direction));
  } else {
    status.block.reset();
  }
  status.point = block.contains(point) ? point : nearest;
  return found;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
