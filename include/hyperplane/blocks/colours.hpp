// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// A colour for each grid block, so that grid blocks with an interface have different ones: the lowest that is free, in
/// the order of the grid blocks. Two colours for the blocks of a cut grid that is not periodic.
inline std::vector<int> find_colours(const MultiBlockGrid& grid) {
  std::vector<int> colours(detail::as_size(grid.block_count()), -1);
  for (int b = 0; b < grid.block_count(); ++b) {
    std::vector<bool> taken(colours.size() + 1);
    for (auto const& interface : grid.interfaces(b)) {
      if (interface.donor == b) continue;
      if (int const colour = colours[detail::as_size(interface.donor)]; colour >= 0)
        taken[detail::as_size(colour)] = true;
    }
    colours[detail::as_size(b)] = static_cast<int>(std::ranges::find(taken, false) - taken.begin());
  }
  return colours;
}

/// Throws Error, which names `function`, unless there is a colour of at least 0 for each grid block, and grid blocks
/// with an interface have different ones.
inline void check_colours(const std::string& function, const MultiBlockGrid& grid, const std::vector<int>& colours) {
  if (static_cast<int>(colours.size()) != grid.block_count()) {
    fail(function + ": " + std::to_string(colours.size()) + " colours for " + to_string(grid));
  }
  for (std::size_t b = 0; b < colours.size(); ++b) {
    if (colours[b] < 0)
      fail(function + ": grid block " + std::to_string(b) + " has colour " + std::to_string(colours[b]));
  }
  for (auto const& interface : grid.interfaces()) {
    int const colour = colours[detail::as_size(interface.block)];
    if (interface.block == interface.donor || colour != colours[detail::as_size(interface.donor)]) continue;
    fail(function + ": grid blocks " + std::to_string(interface.block) + " and " + std::to_string(interface.donor) +
         " have an interface and the same colour, " + std::to_string(colour));
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
