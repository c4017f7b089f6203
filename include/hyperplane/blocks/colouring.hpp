// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/blocks/stages.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Colours as 0, 1, ... without gaps, in their order.
inline std::vector<int> ranked_colours(const std::vector<int>& colours) {
  std::vector<int> different = colours;
  std::ranges::sort(different);
  different.erase(std::ranges::unique(different).begin(), different.end());
  std::vector<int> result;
  result.reserve(colours.size());
  for (int const colour : colours) {
    result.push_back(static_cast<int>(std::ranges::lower_bound(different, colour) - different.begin()));
  }
  return result;
}

/// The colours of the grid blocks of this process, as given and as 0, 1, ... without gaps; both empty without colours.
struct Colouring {
  std::vector<int> colours;
  std::vector<int> ranks;
  int count = 1;              ///< how many there are, in other processes, too
  std::optional<Stages> cut;  ///< where grid blocks are cut into pieces

  explicit Colouring(std::vector<int> given)
      : colours(std::move(given)),
        ranks(ranked_colours(colours)),
        count(ranks.empty() ? 1 : *std::ranges::max_element(ranks) + 1) {}

  /// Where all processes have `of_all` colours, 0, 1, ... without gaps. Throws Error where there is another one.
  Colouring(const std::vector<int>& given, int of_all) : colours(given), ranks(given), count(of_all) {
    require(std::ranges::all_of(given, [&](int c) { return c < of_all; }),
            "MultiBlock: colours are not those of all processes");
  }

  /// In which the grid blocks are taken; without colours all are in one.
  Stages stages(const MultiBlockGrid& grid) const {
    if (cut) return *cut;
    return Stages(grid, ranks.empty() ? std::vector<int>(as_size(grid.block_count()), 0) : ranks, count);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
