// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>

#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// An owner for each grid block, so that owners, as ranks or devices, have grid blocks that follow one another and
/// about as many points each: a grid block is of the owner in whose share of all points its middle is, of the lower
/// one where it is between two. The same wherever it is called. Owners may be left without grid blocks, those are
/// whole. Throws Error where there is no owner.
inline std::vector<int> assign_blocks(const MultiBlockGrid& grid, int count) {
  if (count < 1) fail("assign_blocks: " + std::to_string(count) + " owners, expected at least 1");
  std::vector<int> owners;
  for (int b = 0; b < grid.block_count(); ++b) {
    auto const twice_middle = 2 * grid.first_point(b) + grid.block(b).size();
    owners.push_back(static_cast<int>((twice_middle * count - 1) / (2 * grid.size())));
  }
  return owners;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
