// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/box.hpp>
#include <hyperplane/blocks/axis_transform.hpp>
#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Parts of a box that lie one above the other, and who has them: ranks, or parts of one process.
class StackedParts {
 public:
  /// The owners from the lowest grid block to the highest, where these are the parts of a box that is cut along k,
  /// without a period there, and each of `count` owners has some that follow one another; empty elsewhere.
  static std::vector<int> owners_upwards(const MultiBlockGrid& grid, const std::vector<int>& owners, int count) {
    std::vector<int> result;
    std::vector<bool> seen(as_size(count), false);
    for (int const block : blocks_upwards(grid)) {
      int const owner = owners[as_size(block)];
      if (!result.empty() && result.back() == owner) continue;
      if (seen[as_size(owner)]) return {};
      seen[as_size(owner)] = true;
      result.push_back(owner);
    }
    return static_cast<int>(result.size()) == count ? result : std::vector<int>{};
  }

  /// The box that the grid blocks of such an owner fill.
  static Grid box(const MultiBlockGrid& grid) {
    int layers = 0;
    for (auto const& block : grid.blocks()) layers += block.nk();
    return Grid(grid.block(0).ni(), grid.block(0).nj(), layers);
  }

  /// The status of a part, which notices at a point of the layer above it that a block of its own is not finite, as
  /// that of the point whose block it is.
  static FactorStatus status_inside(const Grid& part, FactorStatus status) {
    if (status.block && !part.contains(status.point)) {
      status.point = status.block->point;
      status.points_out = true;
    }
    return status;
  }

 private:
  static constexpr int none = -1;

  /// The grid blocks from the lowest to the highest, where they are the parts of a box that is cut along k; else empty.
  static std::vector<int> blocks_upwards(const MultiBlockGrid& grid) {
    auto const count = as_size(grid.block_count());
    std::vector<int> above(count, none), below(count, none);
    for (auto const& interface : grid.interfaces()) {
      if (interface.face != Direction::top && interface.face != Direction::bottom) return {};
      if (!joins_whole_faces(grid, interface)) return {};
      bool const up = interface.face == Direction::top;
      above[as_size(up ? interface.block : interface.donor)] = up ? interface.donor : interface.block;
      below[as_size(up ? interface.donor : interface.block)] = up ? interface.block : interface.donor;
    }
    int lowest = none;
    for (int b = 0; b < grid.block_count(); ++b) {
      if (below[as_size(b)] == none) lowest = b;
    }
    std::vector<int> result;
    for (int b = lowest; b != none; b = above[as_size(b)]) result.push_back(b);
    return result.size() == count ? result : std::vector<int>{};
  }

  /// Whether an interface is all of a bottom or top face and of the other grid block's, with axes as they are.
  static bool joins_whole_faces(const MultiBlockGrid& grid, const Interface& interface) {
    Grid const own = grid.block(interface.block), other = grid.block(interface.donor);
    bool const up = interface.face == Direction::top;
    int const layer = up ? own.nk() - 1 : 0;
    return interface.transform == AxisTransform{} && own.ni() == other.ni() && own.nj() == other.nj() &&
           interface.points == Box{{0, 0, layer}, {own.ni(), own.nj(), layer + 1}} &&
           interface.donor_begin == Point{0, 0, up ? 0 : other.nk() - 1};
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
