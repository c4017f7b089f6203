// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

/// Which packs hold the points of a hyperplane, and where a point and its neighbours are: for the CUDA kernels of
/// sweeps and factorizations that go plane by plane.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A pack of a hyperplane: with the plane's number these two give it, and the points in it.
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

/// A lane of a pack: the point in it, if there is one, and the slots of the neighbours.
template <int W>
struct Place {
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
