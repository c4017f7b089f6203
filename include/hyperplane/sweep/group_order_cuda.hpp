// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/sweep/slab_order_cuda.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A tile of one of several grids: `number` is its number among those of a sweep over the grid; of the backward sweep
/// they are counted on.
struct CudaGroupTile {
  int grid;
  int number;
  friend bool operator==(const CudaGroupTile&, const CudaGroupTile&) = default;
};

/// Finds an order in which clusters take the tiles of several grids, by playing it through: a cluster that is free
/// takes a tile that need not wait, of the grid that has most before it, and if there is none, that which waits least.
/// Tiles of a grid keep an order of their own that is topological, so whatever this guesses of times, the order of all
/// is, too. The unit of time is a step.
template <int vector_length>
class CudaGroupOrder {
 public:
  using Map = SlabMap<vector_length>;

  /// Tiles are of `layers` layers.
  CudaGroupOrder(const std::vector<Map>& maps, int layers, int clusters) : m_layers(layers), m_clusters(clusters) {
    for (auto const& map : maps) {
      int const tiles_k = (map.grid().nk() + layers - 1) / layers;
      m_grids.push_back({map.slabs(), map.grid().ni() + vector_length - 1 + layers + steps_of_hand_over,
                         cuda_slab_order(map, tiles_k, vector_length, layers)});
    }
  }

  /// The tiles of all grids, of one sweep or of both.
  std::vector<CudaGroupTile> list(bool both) const {
    std::vector<Progress> grids;
    Waiting waiting;
    Ready ready;
    std::priority_queue<Time, std::vector<Time>, std::greater<>> free;
    for (int c = 0; c < m_clusters; ++c) free.push(0);
    std::size_t count = 0;
    for (auto const& grid : m_grids) {
      waiting.push({0, static_cast<int>(grids.size())});
      grids.push_back({0, 0, std::vector<Time>((both ? 2 : 1) * grid.order.size())});
      count += grids.back().begin.size();
    }
    std::vector<CudaGroupTile> result;
    result.reserve(count);
    while (result.size() < count) {
      Time now = free.top();
      free.pop();
      auto const admit = [&] {
        for (; !waiting.empty() && waiting.top().first <= now; waiting.pop()) {
          int const g = waiting.top().second;
          ready.push({left(g, grids[as_size(g)].next, both), -g});
        }
      };
      admit();
      if (ready.empty()) {
        now = waiting.top().first;
        admit();
      }
      int const g = -ready.top().second;
      ready.pop();
      auto& progress = grids[as_size(g)];
      auto const& grid = m_grids[as_size(g)];
      result.push_back({g, number(grid, progress.next)});
      progress.begin[as_size(result.back().number)] = now;
      progress.end = std::max(progress.end, now + grid.steps);
      free.push(now + grid.steps);
      if (++progress.next < progress.begin.size()) waiting.push({ready_at(grid, progress), g});
    }
    return result;
  }

 private:
  using Time = long long;
  /// What it takes to begin a tile, and to hand a value to another multiprocessor.
  static constexpr int steps_of_hand_over = 4;

  struct SweptGrid {
    int slabs;
    int steps;  ///< of a tile
    std::vector<int> order;
  };
  struct Progress {
    std::size_t next;         ///< tile of its order, or, from its size on, of the second sweep
    Time end;                 ///< of all tiles so far
    std::vector<Time> begin;  ///< of each tile
  };
  using Waiting = std::priority_queue<std::pair<Time, int>, std::vector<std::pair<Time, int>>, std::greater<>>;
  using Ready = std::priority_queue<std::pair<Time, int>>;

  static int number(const SweptGrid& grid, std::size_t place) {
    std::size_t const tiles = grid.order.size();
    return place < tiles ? grid.order[place] : grid.order[place - tiles] + static_cast<int>(tiles);
  }

  /// When the grid's next tile need not wait.
  Time ready_at(const SweptGrid& grid, const Progress& progress) const {
    int const tiles = static_cast<int>(grid.order.size());
    int const of_sweep = number(grid, progress.next);
    int const tile = of_sweep % tiles;
    // The backward sweep follows all of the forward sweep.
    Time result = of_sweep >= tiles && progress.next == grid.order.size() ? progress.end : 0;
    if (of_sweep >= tiles) result = std::max(result, progress.begin[as_size(tiles + grid.order[0])]);
    if (tile % grid.slabs > 0) {
      result = std::max(result, progress.begin[as_size(of_sweep - 1)] + vector_length + steps_of_hand_over);
    }
    if (tile >= grid.slabs) {
      result = std::max(result, progress.begin[as_size(of_sweep - grid.slabs)] + m_layers + steps_of_hand_over);
    }
    return result;
  }

  /// What a grid has at least before it from a tile on.
  Time left(int g, std::size_t next, bool both) const {
    auto const& grid = m_grids[as_size(g)];
    std::size_t const tiles = grid.order.size();
    auto const from = [&](int tile) {
      int const tiles_k = static_cast<int>(tiles) / grid.slabs;
      return Time{grid.slabs - 1 - tile % grid.slabs} * vector_length +
             Time{tiles_k - 1 - tile / grid.slabs} * m_layers + grid.steps;
    };
    Time const rest = from(grid.order[next % tiles]);
    return both && next < tiles ? rest + from(0) : rest;
  }

  int m_layers;
  int m_clusters;
  std::vector<SweptGrid> m_grids;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
