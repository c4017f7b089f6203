// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/masks.hpp"
#include "support/multi_block_reference.hpp"

/// Masks of several grid blocks, and what they do to a matrix, by the definition.
namespace hyperplane::test::multi_block_masks {

inline constexpr double nonsense = std::numeric_limits<double>::quiet_NaN();

/// Masks of all points by name: all kinds of places in each grid block, and a layer on one side of the interfaces.
inline std::vector<std::pair<std::string, Mask>> masks_of_blocks(const MultiBlockGrid& grid) {
  std::vector<std::pair<std::string, Mask>> result = {{"one side of interfaces", Mask(grid.size(), 1)}};
  for (auto const& interface : grid.interfaces()) {
    if (interface.block > interface.donor) continue;
    auto const& [begin, end] = interface.points;
    for (int k = begin.k; k < end.k; ++k) {
      for (int j = begin.j; j < end.j; ++j) {
        for (int i = begin.i; i < end.i; ++i) {
          result[0].second[grid.first_point(interface.block) + grid.block(interface.block).index(i, j, k)] = 0;
        }
      }
    }
  }
  for (int b = 0; b < grid.block_count(); ++b) {
    auto const parts = masks_of(grid.block(b));
    for (std::size_t m = 0; m < parts.size(); ++m) {
      if (b == 0) result.emplace_back(parts[m].first, Mask{});
      auto& mask = result[m + 1].second;
      mask.insert(mask.end(), parts[m].second.begin(), parts[m].second.end());
    }
  }
  return result;
}

/// `edit(stencil, mask)` of each grid block, and `block(coupling)` for each coupling from or to a masked point.
template <class Edit, class EditBlock>
MultiBlockReference edited(MultiBlockReference a, const Mask& mask, const Edit& edit, const EditBlock& edit_coupling) {
  auto const& grid = a.grid;
  for (int b = 0; b < grid.block_count(); ++b) {
    auto const first = mask.begin() + grid.first_point(b);
    a.blocks[b] = edit(a.blocks[b], Mask(first, first + grid.block(b).size()), std::array<bool, 3>{});
  }
  for (auto const& interface : grid.interfaces()) {
    auto const& [begin, end] = interface.points;
    for (int k = begin.k; k < end.k; ++k) {
      for (int j = begin.j; j < end.j; ++j) {
        for (int i = begin.i; i < end.i; ++i) {
          auto const p = grid.block(interface.block).index(i, j, k);
          auto const q = grid.block(interface.donor).index(interface.donor_point({i, j, k}));
          if (mask[grid.first_point(interface.donor) + q] == 0) {
            edit_coupling(a.blocks[interface.block].block(p, interface.face));
          }
        }
      }
    }
  }
  return a;
}
inline MultiBlockReference without_masked_points(const MultiBlockReference& a, const Mask& mask) {
  return edited(a, mask, without_masked, [n = a.n](DenseMatrix& block) { block = DenseMatrix(n); });
}
inline MultiBlockReference with_nonsense_at_masked_points(const MultiBlockReference& a, const Mask& mask) {
  return edited(a, mask, with_nonsense, [](DenseMatrix& block) {
    for (auto& entry : block.entries) entry = nonsense;
  });
}

}  // namespace hyperplane::test::multi_block_masks
