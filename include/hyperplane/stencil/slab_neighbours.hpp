// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/simd/pack_lanes.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The neighbours of a pack in the skewed slab layout (SlabMap says where they are), `entries` values per point.
/// `Access` returns the address of the first entry of a pack. Positions outside a slab hold no points and read as
/// zero. Host only.
template <class Scalar, int vector_length, int entries, class Access>
class SlabNeighbours {
 public:
  using PackType = Pack<Scalar, vector_length>;
  using Map = SlabMap<vector_length>;

  SlabNeighbours(const Map& map, int slab, const Access& access)
      : m_map(map), m_access(access), m_first_pack(map.first_pack(slab)), m_slab(slab) {}

  /// The pack at `step` itself: west (step - 1), east (step + 1), bottom (step - pitch) or top (step + pitch). Of the
  /// lanes that are not asked for, zeros.
  template <class Lanes = EveryLane>
  void load(std::int64_t step, PackType* values, const Lanes& lanes = {}) const {
    if (step < 0 || step >= m_map.steps()) {
      HYPERPLANE_HOST_UNROLL
      for (int e = 0; e < entries; ++e) values[e] = PackType(0);
      return;
    }
    const auto* const data = m_access(m_first_pack + step);
    HYPERPLANE_HOST_UNROLL
    for (int e = 0; e < entries; ++e) values[e] = lanes.template load<PackType>(data + e * vector_length);
  }

  /// South neighbours of the pack at `step`, given the pack before it: lane l takes lane l - 1, and lane 0 the last
  /// lane of the slab before, or zero if there is none to `enter`.
  void south(std::int64_t step, const PackType* pack_before, PackType* values, bool enter = true) const {
    std::int64_t const other = Map::south_step(step);
    if (enter && m_slab > 0 && other < m_map.steps()) {
      const auto* const data = m_access(m_first_pack - m_map.steps() + other) + vector_length - 1;
      HYPERPLANE_HOST_UNROLL
      for (int e = 0; e < entries; ++e) {
        values[e] = shift_from_lower_lane(pack_before[e], static_cast<Scalar>(data[e * vector_length]));
      }
    } else {
      HYPERPLANE_HOST_UNROLL
      for (int e = 0; e < entries; ++e) values[e] = shift_from_lower_lane(pack_before[e], Scalar(0));
    }
  }

  /// North neighbours of the pack at `step`, given the pack after it: lane l takes lane l + 1, and the last lane takes
  /// lane 0 of the slab after, or zero if there is none to `enter`.
  void north(std::int64_t step, const PackType* pack_after, PackType* values, bool enter = true) const {
    std::int64_t const other = Map::north_step(step);
    if (enter && m_slab + 1 < m_map.slabs() && other >= 0) {
      const auto* const data = m_access(m_first_pack + m_map.steps() + other);
      HYPERPLANE_HOST_UNROLL
      for (int e = 0; e < entries; ++e) {
        values[e] = shift_from_upper_lane(pack_after[e], static_cast<Scalar>(data[e * vector_length]));
      }
    } else {
      HYPERPLANE_HOST_UNROLL
      for (int e = 0; e < entries; ++e) values[e] = shift_from_upper_lane(pack_after[e], Scalar(0));
    }
  }

  /// Asks for what south(), or north(), of a step that is taken soon reads of the other slab.
  template <bool of_south>
  void prefetch_beside(std::int64_t step) const {
    if (of_south ? m_slab == 0 : m_slab + 1 == m_map.slabs()) return;
    std::int64_t const first = of_south ? m_first_pack - m_map.steps() : m_first_pack + m_map.steps();
    const auto* const data = m_access(first + (of_south ? Map::south_step(step) : Map::north_step(step)));
    for (int e = 0; e < entries; ++e) prefetch<1>(data + e * vector_length);
  }

 private:
  Map m_map;
  Access m_access;
  std::int64_t m_first_pack;
  int m_slab;
};

/// Neighbours in a BlockVector, as values of Scalar.
template <class VectorRef, class Scalar = typename VectorRef::scalar_type>
auto vector_neighbours(const VectorRef& vector, int slab) {
  auto const access = [packs = vector.packs()](std::int64_t pack) { return packs.pack_data(pack); };
  return SlabNeighbours<Scalar, VectorRef::vector_length, VectorRef::block_size, decltype(access)>(vector.map(), slab,
                                                                                                   access);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
