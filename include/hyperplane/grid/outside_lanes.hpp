// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A pack of the layout: its slab, its step, and what is left of the step when it is divided by the pitch, which is
/// the position along i of lane 0.
struct PackPlace {
  int slab;
  std::int64_t step;
  std::int64_t remainder;

  template <int vector_length>
  HYPERPLANE_FUNCTION static PackPlace of(const SlabMap<vector_length>& map, std::int64_t pack) {
    std::int64_t const step = pack % map.steps();
    return {static_cast<int>(pack / map.steps()), step, step % map.pitch()};
  }

  /// That of the next pack.
  template <int vector_length>
  HYPERPLANE_FORCEINLINE_FUNCTION void advance(const SlabMap<vector_length>& map) {
    ++step;
    if (++remainder == map.pitch()) remainder = 0;
    if (step < map.steps()) return;
    ++slab;
    step = 0;
    remainder = 0;
  }

  /// To the next pack of the slab, or the one before: `stride` is 1 or -1.
  template <int vector_length>
  HYPERPLANE_FORCEINLINE_FUNCTION void move(const SlabMap<vector_length>& map, int stride) {
    step += stride;
    remainder += stride;
    if (remainder == map.pitch()) remainder = 0;
    if (remainder < 0) remainder = map.pitch() - 1;
  }
};

/// The lanes of a pack whose neighbours in a direction are outside the grid: lanes m_begin to m_end - 1, of which some
/// may have no point. Most packs have none. What a matrix has there is to be ignored, and a product with zero would be
/// no number where it is infinite or none.
template <int vector_length>
struct OutsideLanes {
  int m_begin = 0;
  int m_end = 0;

  HYPERPLANE_FORCEINLINE_FUNCTION OutsideLanes(const SlabMap<vector_length>& map, const PackPlace& place,
                                               Direction direction) {
    auto const [slab, step, remainder] = place;
    auto const& grid = map.grid();
    switch (direction) {
      case Direction::center: break;
      case Direction::west: take(remainder); break;
      case Direction::east: take(remainder - (grid.ni() - 1) + (remainder < grid.ni() - 1 ? map.pitch() : 0)); break;
      case Direction::south:
        if (slab == 0) take(0);
        break;
      case Direction::north:
        if (slab + 1 == map.slabs()) take((grid.nj() - 1) % vector_length);
        break;
      case Direction::bottom:
        // Position step - lane is in the first layer.
        m_begin = clamped(step - map.pitch() + 1);
        m_end = vector_length;
        break;
      case Direction::top: m_end = clamped(step - (grid.nk() - 1) * map.pitch() + 1); break;
    }
  }

  HYPERPLANE_FUNCTION bool any() const { return m_begin < m_end; }
  HYPERPLANE_FUNCTION bool all() const { return m_begin == 0 && m_end == vector_length; }
  HYPERPLANE_FUNCTION bool contains(int lane) const { return lane >= m_begin && lane < m_end; }

 private:
  HYPERPLANE_FUNCTION void take(std::int64_t lane) {
    if (lane >= vector_length) return;
    m_begin = static_cast<int>(lane);
    m_end = m_begin + 1;
  }
  HYPERPLANE_FUNCTION static int clamped(std::int64_t lane) {
    return static_cast<int>(lane < 0 ? 0 : lane > vector_length ? vector_length : lane);
  }
};

/// Lanes from `begin` to `end` - 1, which may be any numbers.
template <class PackType>
HYPERPLANE_FORCEINLINE_FUNCTION typename PackType::Mask lanes_between(std::int64_t begin, std::int64_t end) {
  constexpr int count = PackType::lanes;
  using T = typename PackType::value_type;
  PackType lane;
  for (int l = 0; l < count; ++l) lane.set(l, static_cast<T>(l));
  auto const bound = [](std::int64_t value) {
    return PackType(static_cast<T>(value < -1 ? -1 : value > count ? count : value));
  };
  return (lane > bound(begin - 1)) & (lane < bound(end));
}

/// Zero in those lanes of the packs of a block.
template <int vector_length, class Block>
HYPERPLANE_FORCEINLINE_FUNCTION void clear(const OutsideLanes<vector_length>& outside, Block& block) {
  using PackType = typename Block::value_type;
  auto const mask = lanes_between<PackType>(outside.m_begin, outside.m_end);
  for (auto& entry : block.m_entries) entry = select(mask, PackType(0), entry);
}

/// Whether all lanes of a pack hold a point.
template <int vector_length>
HYPERPLANE_FORCEINLINE_FUNCTION bool is_full(const SlabMap<vector_length>& map, const PackPlace& place) {
  auto const& grid = map.grid();
  return place.remainder >= vector_length - 1 && place.remainder < grid.ni() && place.step < grid.nk() * map.pitch() &&
         (place.slab + 1) * vector_length <= grid.nj();
}

/// The lanes that hold none. Lane l is at i = remainder - l, or in the layer before at i = remainder - l + pitch.
template <class PackType>
HYPERPLANE_FORCEINLINE_FUNCTION typename PackType::Mask padding_lanes(const SlabMap<PackType::lanes>& map,
                                                                      const PackPlace& place) {
  auto const& grid = map.grid();
  auto const [slab, step, remainder] = place;
  constexpr int count = PackType::lanes;
  auto const past_row = remainder - grid.ni(), past_layers = step - grid.nk() * map.pitch();
  auto const rows = grid.nj() - std::int64_t{slab} * count;
  return lanes_between<PackType>(0, (past_row > past_layers ? past_row : past_layers) + 1) |
         lanes_between<PackType>(step + 1 < rows ? step + 1 : rows, count) |
         lanes_between<PackType>(remainder + 1, past_row + map.pitch() + 1);
}

/// Lanes without a point have zero blocks; a unit diagonal makes them regular.
template <int n, class Mask, class Block>
HYPERPLANE_FORCEINLINE_FUNCTION void make_regular(const Mask& padding, Block& block) {
  using PackType = typename Block::value_type;
  for (int r = 0; r < n; ++r) block(r, r) = select(padding, PackType(1), block(r, r));
}

/// Records a code for the points in the lanes of a mask.
template <int vector_length, class Mask, class Record>
HYPERPLANE_FUNCTION void record_lanes(const SlabMap<vector_length>& map, std::int64_t pack, const Mask& mask, int code,
                                      const Record& record) {
  Point point;
  for (int lane = 0; lane < vector_length; ++lane) {
    if (mask[lane] && map.find_point(pack, lane, point)) record.record(map.grid().index(point), code);
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
