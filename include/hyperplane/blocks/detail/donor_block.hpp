// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/block_packs.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/abi.hpp>

#include <cstdint>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A grid block that has donors: who has it, its number there, and its first SIMD group as the points that have the
/// donors count.
template <class Blocks>
struct DonorBlock {
  const Blocks* blocks;
  int number;
  std::int64_t first_pack;
};

/// All grid blocks of one who has them all.
template <int vector_length, class Blocks>
std::vector<DonorBlock<Blocks>> blocks_with_donors(const Blocks& blocks, const MultiBlockGrid& grid) {
  std::vector<DonorBlock<Blocks>> result;
  BlockPacks<vector_length> const packs(grid);
  for (int b = 0; b < grid.block_count(); ++b) result.push_back({&blocks, b, packs.first(b)});
  return result;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
