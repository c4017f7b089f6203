// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/box.hpp>
#include <hyperplane/blocks/axis_transform.hpp>
#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/mpi/distributed_grid.hpp>

#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Ranks whose grid blocks lie one above the other.
class StackedParts {
 public:
  /// The ranks from the lowest grid block to the highest, where each rank has one, and these are the parts of a box
  /// that is cut along k, without a period there; empty elsewhere.
  static std::vector<int> ranks(const DistributedGrid& grid) {
    auto const& whole = grid.whole();
    int const count = whole.block_count();
    if (count != grid.communicator().size()) return {};
    std::vector<int> above(as_size(count), none), below(as_size(count), none);
    for (auto const& interface : whole.interfaces()) {
      if (interface.face != Direction::top && interface.face != Direction::bottom) return {};
      if (!joins_whole_faces(grid, interface)) return {};
      bool const up = interface.face == Direction::top;
      above[as_size(up ? interface.block : interface.donor)] = up ? interface.donor : interface.block;
      below[as_size(up ? interface.donor : interface.block)] = up ? interface.block : interface.donor;
    }
    std::vector<int> result;
    std::vector<bool> seen(as_size(count), false);
    int lowest = none;
    for (int b = 0; b < count; ++b) {
      if (below[as_size(b)] == none) lowest = b;
    }
    for (int b = lowest; b != none && result.size() < as_size(count); b = above[as_size(b)]) {
      auto const owner = as_size(grid.owner(b));
      if (seen[owner]) return {};
      seen[owner] = true;
      result.push_back(grid.owner(b));
    }
    return result.size() == as_size(count) ? result : std::vector<int>{};
  }

 private:
  static constexpr int none = -1;

  /// Whether an interface is all of a bottom or top face and of the other grid block's, with axes as they are.
  static bool joins_whole_faces(const DistributedGrid& grid, const Interface& interface) {
    Grid const own = grid.whole().block(interface.block), other = grid.whole().block(interface.donor);
    bool const up = interface.face == Direction::top;
    int const layer = up ? own.nk() - 1 : 0;
    return interface.transform == AxisTransform{} && own.ni() == other.ni() && own.nj() == other.nj() &&
           interface.points == Box{{0, 0, layer}, {own.ni(), own.nj(), layer + 1}} &&
           interface.donor_begin == Point{0, 0, up ? 0 : other.nk() - 1};
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
