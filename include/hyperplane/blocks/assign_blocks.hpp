// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// An owner for each grid block, so that owners, as ranks or devices, have grid blocks that follow one another and
/// about as many points each: a grid block is of the owner in whose share of all points its middle is. The same
/// wherever it is called. Owners may be left without grid blocks, those are whole. Throws Error where there is no
/// owner.
inline std::vector<int> assign_blocks(const MultiBlockGrid& grid, int count) {
  if (count < 1) fail("assign_blocks: " + std::to_string(count) + " owners, expected at least 1");
  std::vector<int> owners;
  for (int b = 0; b < grid.block_count(); ++b) {
    double const middle = static_cast<double>(grid.first_point(b)) + 0.5 * static_cast<double>(grid.block(b).size());
    owners.push_back(std::min(static_cast<int>(middle / static_cast<double>(grid.size()) * count), count - 1));
  }
  return owners;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
