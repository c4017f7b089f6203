// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/concurrency.hpp>
#include <hyperplane/core/to_space.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Tiles of the rows of a BlockCsr for products with A^T on hosts.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The blocks of a BlockCsr by columns: column p has the entries begin[p], ..., begin[p + 1] - 1, with their numbers
/// and, rising, their rows.
struct CsrColumnEntries {
  std::vector<std::int64_t> begin;
  std::vector<std::int64_t> blocks;
  std::vector<int> rows;
};

/// A block in a column whose point is in another tile than its row.
struct CrossingBlock {
  std::int64_t number;
  int row;
  int point;
};

/// Rows that follow one another.
struct GivingTile {
  std::int64_t first;
  std::int64_t end;
  std::int64_t inner_first;  ///< from here on all columns are those of points of the tile
  std::int64_t inner_end;    ///< until here
  std::int64_t reach;        ///< no row r has a column in the tile behind r + reach
  // What points of the tile get from rows before the tile, and then from rows behind it, point after point.
  std::int64_t crossing_before;
  std::int64_t crossing_behind;
  std::int64_t crossing_end;
};

/// A tile for each thread of the instance that they are made for. They are used where few blocks cross: those are read
/// one by one, from anywhere; and on instances with at most as many threads, for more would have nothing to do.
template <HostExecutionSpace Exec>
class GivingTiles {
 public:
  GivingTiles(const Exec& exec, const CsrColumnEntries& of) {
    auto const rows = static_cast<std::int64_t>(of.begin.size()) - 1;
    std::int64_t const count = concurrency_of(exec);
    auto const most = of.blocks.size() / blocks_for_one_that_crosses;
    std::vector<CrossingBlock> crossing;
    std::vector<GivingTile> tiles;
    for (std::int64_t number = 0; number < count; ++number) {
      tiles.push_back(tile_of(of, number * rows / count, (number + 1) * rows / count, crossing));
      if (crossing.size() > most) return;
    }
    for (auto const& block : crossing) take_out(block, tiles);
    m_crossing = to_space(exec, "Hyperplane::TransposedBlockCsr::tiles", crossing);
    m_tiles = to_space(exec, "Hyperplane::TransposedBlockCsr::tiles", tiles);
  }

  /// Whether few enough blocks cross.
  bool exist() const { return count() > 0; }
  std::int64_t count() const { return static_cast<std::int64_t>(m_tiles.size()); }
  const GivingTile* tiles() const { return m_tiles.data(); }
  const CrossingBlock* crossing() const { return m_crossing.data(); }

 private:
  static constexpr std::size_t blocks_for_one_that_crosses = 8;

  static GivingTile tile_of(const CsrColumnEntries& of, std::int64_t first, std::int64_t end,
                            std::vector<CrossingBlock>& crossing) {
    auto const crossings = [&] { return static_cast<std::int64_t>(crossing.size()); };
    GivingTile tile{first, end, first, end, 0, crossings(), 0, 0};
    auto const for_entries = [&](const auto& visit) {
      for (auto point = first; point < end; ++point) {
        for (auto e = of.begin[as_size(point)]; e < of.begin[as_size(point) + 1]; ++e) {
          visit(CrossingBlock{of.blocks[as_size(e)], of.rows[as_size(e)], static_cast<int>(point)});
        }
      }
    };
    for_entries([&](const CrossingBlock& block) {
      if (block.row < first) crossing.push_back(block);
      if (block.row >= first && block.row < end)
        tile.reach = std::max<std::int64_t>(tile.reach, block.point - block.row);
    });
    tile.crossing_behind = crossings();
    for_entries([&](const CrossingBlock& block) {
      if (block.row >= end) crossing.push_back(block);
    });
    tile.crossing_end = crossings();
    return tile;
  }

  /// Of the inner rows of the tile that has its row: from the nearer end.
  static void take_out(const CrossingBlock& block, std::vector<GivingTile>& tiles) {
    auto& tile = *std::upper_bound(tiles.begin(), tiles.end(), block.row,
                                   [](int row, const GivingTile& other) { return row < other.end; });
    if (block.row - tile.first < tile.end - block.row) {
      tile.inner_first = std::max(tile.inner_first, std::int64_t{block.row} + 1);
    } else {
      tile.inner_end = std::min<std::int64_t>(tile.inner_end, block.row);
    }
  }

  Kokkos::View<CrossingBlock*, typename Exec::memory_space> m_crossing;
  Kokkos::View<GivingTile*, typename Exec::memory_space> m_tiles;  // none: too many blocks cross
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
