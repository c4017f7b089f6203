// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstdint>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/stencil/grouped_apply_blocks.hpp>
#include <map>
#include <utility>
#include <vector>

// Which CUDA blocks a product of several grids has, in which order, and which of them ask for neighbours outside.
namespace hyperplane::test::grouped_apply_blocks {
namespace {

using detail::GroupedApplyBlock;
using detail::GroupedApplyBlocks;
using detail::GroupedPack;
using Maps = std::vector<SlabMap<8>>;

TEST(GroupedApplyBlocks, without_neighbours_outside_each_is_there_once_and_early) {
  // Slabs of 5 * 8 + 7 = 47 and 1 * 8 + 7 = 15 groups, in blocks of 8.
  GroupedApplyBlocks const blocks(Maps{SlabMap<8>(Grid(7, 9, 5)), SlabMap<8>(Grid(1, 1, 1))}, 8, {});
  ASSERT_EQ(blocks.m_blocks.size(), 2U * 6U + 2U);
  EXPECT_EQ(blocks.m_early, 14);
  for (int b = 0; b < 14; ++b) {
    EXPECT_EQ(blocks.m_blocks[b].grid, b < 12 ? 0 : 1);
    EXPECT_EQ(blocks.m_blocks[b].number, b < 12 ? b : b - 12);
    EXPECT_EQ(blocks.m_blocks[b].meets_outside, 0);
  }
}

TEST(GroupedApplyBlocks, those_that_come_late_are_behind_the_others) {
  Maps const maps{SlabMap<8>(Grid(7, 9, 5)), SlabMap<8>(Grid(3, 8, 2)), SlabMap<8>(Grid(12, 17, 3))};
  constexpr int packs = 4;
  std::vector<GroupedPack> outside;
  for (std::int64_t pack = 0; pack < maps[0].pack_count(); pack += 5) outside.push_back({0, pack, pack % 2 == 1});
  for (std::int64_t pack = 1; pack < maps[2].pack_count(); pack += 11) outside.push_back({2, pack, false});
  GroupedApplyBlocks const blocks(maps, packs, outside);
  // What a block has to be: late if one of its groups is, whichever comes first.
  std::map<std::pair<int, int>, std::pair<bool, bool>> expected;
  for (int g = 0; g < 3; ++g) {
    int const ranges = static_cast<int>((maps[g].steps() + packs - 1) / packs);
    for (int b = 0; b < maps[g].slabs() * ranges; ++b) expected[{g, b}] = {false, false};
    for (auto const& [grid, pack, late] : outside) {
      if (grid != g) continue;
      auto const slab = pack / maps[g].steps(), step = pack % maps[g].steps();
      auto& [meets, comes_late] = expected[{g, static_cast<int>(slab * ranges + step / packs)}];
      meets = true;
      comes_late = comes_late || late;
    }
  }
  ASSERT_EQ(blocks.m_blocks.size(), expected.size());
  for (int b = 0; b < static_cast<int>(expected.size()); ++b) {
    auto const& [grid, number, meets_outside] = blocks.m_blocks[b];
    auto const found = expected.find({grid, number});
    ASSERT_NE(found, expected.end()) << "twice: " << grid << ", " << number;
    EXPECT_EQ(meets_outside != 0, found->second.first) << grid << ", " << number;
    EXPECT_EQ(b >= blocks.m_early, found->second.second) << grid << ", " << number;
    expected.erase(found);
  }
}

}  // namespace
}  // namespace hyperplane::test::grouped_apply_blocks
