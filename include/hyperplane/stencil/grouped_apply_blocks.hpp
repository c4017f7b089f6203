// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A SIMD group with points that have neighbours outside of their grid: the grid, of several, the number of the group
/// there, and whether its product comes late.
struct GroupedPack {
  int grid;
  std::int64_t pack;
  bool late;
};

/// A CUDA block of a product of several grids: the grid, the number of the block there, and whether points of it may
/// have neighbours outside.
struct GroupedApplyBlock {
  int grid;
  int number;
  int meets_outside;
};

/// All CUDA blocks of several grids, each of which has up to `packs` SIMD groups of a slab: first the early ones, then
/// the late ones. Of `maps`, SlabMaps; `outside` are groups that have neighbours outside.
struct GroupedApplyBlocks {
  std::vector<GroupedApplyBlock> m_blocks;
  int m_early = 0;  ///< how many there are

  template <class Maps>
  GroupedApplyBlocks(const Maps& maps, int packs, const std::vector<GroupedPack>& outside) {
    auto const ranges = [packs](const auto& map) { return (map.steps() + packs - 1) / packs; };
    std::vector<std::vector<Kind>> kinds;
    for (auto const& map : maps) kinds.emplace_back(as_size(map.slabs() * ranges(map)), Kind::inside);
    for (auto const& [grid, pack, late] : outside) {
      auto const& map = maps[as_size(grid)];
      auto& kind = kinds[as_size(grid)][as_size(pack / map.steps() * ranges(map) + pack % map.steps() / packs)];
      kind = late || kind == Kind::late ? Kind::late : Kind::early;
    }
    for (bool const late : {false, true}) {
      for (std::size_t g = 0; g < kinds.size(); ++g) {
        for (std::size_t b = 0; b < kinds[g].size(); ++b) {
          Kind const kind = kinds[g][b];
          if ((kind == Kind::late) != late) continue;
          m_blocks.push_back({static_cast<int>(g), static_cast<int>(b), kind == Kind::inside ? 0 : 1});
        }
      }
      if (!late) m_early = static_cast<int>(m_blocks.size());
    }
  }

 private:
  enum class Kind : char { inside, early, late };
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
