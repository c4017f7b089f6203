// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/folded_order.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

/// Which packs hold the points of a hyperplane, and where a point and its neighbours are: for the CUDA kernels of
/// sweeps and factorizations that go plane by plane.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A SlabMap of a grid whose points are taken in a folded order.
template <int W>
struct FoldedMap : SlabMap<W> {
  FoldedOrder m_order;

  constexpr explicit FoldedMap(const FoldedOrder& order) : SlabMap<W>(order.grid()), m_order(order) {}
};

/// A pack of a hyperplane: with the plane's number these two give it, and the points in it. In a folded order its lanes
/// have points of one half of i, which need not be in one group of the layout; slabs of the second half are counted on
/// behind those of the first.
struct PlanePack {
  int slab;
  int k;
};

/// Stands for packs beyond the last of a plane: none of its points is in a grid that fits in memory.
HYPERPLANE_FUNCTION constexpr PlanePack no_pack() { return {0, 1 << 30}; }

/// The packs that hold points of each plane, plane after plane: those of plane p are [first(p), first(p + 1)). For
/// the host, which hands kernels a copy of packs().
class PlanePacks {
 public:
  template <int W>
  explicit PlanePacks(const SlabMap<W>& map) {
    auto const& grid = map.grid();
    int const planes = grid.ni() + grid.nj() + grid.nk() - 2;
    m_first.reserve(planes + 1);
    m_first.push_back(0);
    for (int p = 0; p < planes; ++p) {
      for (int slab = 0; slab < map.slabs(); ++slab) {
        int const rows = std::min(W, grid.nj() - slab * W);
        int const begin = std::max(0, p - slab * W - (grid.ni() + rows - 2));
        int const end = std::min(grid.nk() - 1, p - slab * W);
        for (int k = begin; k <= end; ++k) m_packs.push_back({slab, k});
      }
      m_first.push_back(static_cast<std::int64_t>(m_packs.size()));
    }
  }

  template <int W>
  explicit PlanePacks(const FoldedMap<W>& map) {
    auto const& order = map.m_order;
    auto const& grid = map.grid();
    int const halves = order.i().has_second_half() ? 2 : 1;
    m_first.push_back(0);
    for (int p = 0; p < order.plane_count(); ++p) {
      for (int slab = 0; slab < halves * map.slabs(); ++slab) {
        int const begin = slab % map.slabs() * W, last = std::min(begin + W, grid.nj()) - 1;
        int const first_level = order.j().level(begin), last_level = order.j().level(last);
        bool const has_middle = begin <= order.j().middle() && order.j().middle() <= last;
        int const highest = has_middle ? order.j().middle() : std::max(first_level, last_level);
        int const levels = slab < map.slabs() ? order.i().levels() : grid.ni() - order.i().levels();
        for (int k = 0; k < grid.nk(); ++k) {
          int const rest = p - order.k().level(k);
          if (rest - std::min(first_level, last_level) >= 0 && rest - highest < levels) m_packs.push_back({slab, k});
        }
      }
      m_first.push_back(static_cast<std::int64_t>(m_packs.size()));
    }
  }

  int planes() const { return static_cast<int>(m_first.size()) - 1; }
  std::int64_t first(int plane) const { return m_first[plane]; }
  int size(int plane) const { return static_cast<int>(m_first[plane + 1] - m_first[plane]); }
  int largest() const {
    int result = 0;
    for (int p = 0; p < planes(); ++p) result = std::max(result, size(p));
    return result;
  }
  const std::vector<PlanePack>& packs() const { return m_packs; }
  const std::vector<std::int64_t>& firsts() const { return m_first; }

 private:
  std::vector<std::int64_t> m_first;
  std::vector<PlanePack> m_packs;
};

#if defined(__CUDACC__)

/// Where an entry of the factors of a point is: `slot` is its pack and lane, as those of a scalar.
template <int n, int W, class Stored>
class FactorSlot {
 public:
  template <class Map>
  __device__ FactorSlot(const Map& map, Stored* lower, Stored* upper, std::int64_t slot, int entry) {
    std::int64_t const pack = slot / W;
    m_lower = lower + (pack * lower_blocks * n * n + entry) * W + slot % W;
    m_upper = upper + ((map.pack_count() - 1 - pack) * upper_blocks * n * n + entry) * W + slot % W;
  }

  /// Of the block for a neighbour along k, j or i, 0 to 2, towards the first point or the last one.
  __device__ Stored* coupling(int along, bool is_lower) const {
    return (is_lower ? m_lower : m_upper) + along * n * n * W;
  }
  __device__ Stored* inverse() const { return m_lower + static_cast<int>(LowerBlock::inverse) * n * n * W; }

 private:
  Stored* m_lower;
  Stored* m_upper;
};

/// A lane of a pack: the point in it, if there is one, and the slots of the neighbours. Candidates d < neighbours are
/// those that a sweep may take, in the order of the sums, and takes(map, d) says whether there is one; the factors of a
/// point are in stored_slot(). FoldedPlace has the same of folded orders.
template <int W>
struct Place {
  template <Sweep>
  static constexpr int neighbours = 3;

  std::int64_t m_pack;
  Point m_point;
  int m_lane;
  bool m_exists;

  __device__ Place(const SlabMap<W>& map, int plane, const PlanePack& pack, int lane) : m_lane(lane) {
    int const step = plane - pack.k - pack.slab * W;
    m_pack = map.first_pack(pack.slab, pack.k) + step;
    m_point = {step - lane, pack.slab * W + lane, pack.k};
    m_exists = m_point.i >= 0 && m_point.i < map.grid().ni() && m_point.j < map.grid().nj();
  }

  /// Of candidate d: 0 to 2 for k, j and i, and whether it is the neighbour towards their first point.
  template <Sweep>
  __device__ static constexpr int along(int d) {
    return d;
  }
  template <Sweep sweep>
  __device__ static constexpr bool is_lower(int) {
    return sweep == Sweep::forward;
  }
  template <Sweep sweep>
  __device__ static constexpr Direction direction(int d) {
    return sweep_direction<sweep>(d);
  }
  template <Sweep sweep>
  __device__ bool takes(const SlabMap<W>& map, int d) const {
    return has(map.grid(), direction<sweep>(d));
  }
  /// Whether a factorization keeps the block for a candidate. Those that point out of the grid are ignored.
  template <Sweep>
  __device__ bool keeps(const SlabMap<W>&, int) const {
    return m_exists;
  }
  /// First value of the point's slot in storage with `entries` values a slot, and of that of a candidate.
  __device__ std::int64_t slot(int entries) const { return at(0, 0, entries); }
  template <Sweep sweep>
  __device__ std::int64_t neighbour_slot(const SlabMap<W>& map, int d, int entries) const {
    return slot(map, direction<sweep>(d), entries);
  }
  __device__ std::int64_t stored_slot() const { return slot(1); }
  template <Sweep sweep>
  __device__ std::int64_t stored_neighbour_slot(const SlabMap<W>& map, int d) const {
    return neighbour_slot<sweep>(map, d, 1);
  }
  /// Number of the point in the order.
  __device__ std::int64_t number(const SlabMap<W>& map) const { return map.grid().index(m_point); }

  /// Whether the point exists and has a neighbour there.
  __device__ bool has(const Grid& grid, Direction direction) const {
    return m_exists && grid.contains(neighbour(m_point, direction));
  }

  /// First value of the neighbour's slot in storage with `entries` values a slot.
  __device__ std::int64_t slot(const SlabMap<W>& map, Direction direction, int entries) const {
    // SlabMap::neighbour(), written out: a call of it with a function makes other machine code of the kernels.
    switch (direction) {
      case Direction::center: return at(0, 0, entries);
      case Direction::west: return at(-1, 0, entries);
      case Direction::east: return at(1, 0, entries);
      case Direction::bottom: return at(-map.pitch(), 0, entries);
      case Direction::top: return at(map.pitch(), 0, entries);
      case Direction::south: return m_lane > 0 ? at(-1, -1, entries) : at(W - 1 - map.steps(), W - 1, entries);
      case Direction::north: return m_lane < W - 1 ? at(1, 1, entries) : at(map.steps() - (W - 1), 1 - W, entries);
    }
    return 0;
  }

 private:
  __device__ std::int64_t at(std::int64_t packs, int lanes, int entries) const {
    return (m_pack + packs) * entries * W + m_lane + lanes;
  }
};

#endif

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
