// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/folded_order.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/sweep/plane_packs_cuda.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstdint>

#if defined(__CUDACC__)

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Place, in a folded order.
///
/// Along each direction a point has a neighbour towards the end of its half, which comes before it, and one towards the
/// middle, which comes after it; of the middle point both come before it. So a forward sweep has six candidates, two
/// along each direction, of which the second one is there for middle points alone, and a backward sweep three.
template <int W>
class FoldedPlace {
 public:
  template <Sweep sweep>
  static constexpr int neighbours = sweep == Sweep::forward ? 6 : 3;

  std::int64_t m_pack = 0;
  Point m_point{0, 0, 0};
  int m_lane;
  bool m_exists;

  __device__ FoldedPlace(const FoldedMap<W>& map, int plane, const PlanePack& pack, int lane) : m_lane(lane) {
    auto const& order = map.m_order;
    bool const second_half = pack.slab >= map.slabs();
    int const j = (second_half ? pack.slab - map.slabs() : pack.slab) * W + lane;
    int const level = plane - order.j().level(j) - order.k().level(pack.k);
    int i = 0;
    m_exists = j < map.grid().nj() && level >= 0 && level < order.i().levels() && order.i().find(level, second_half, i);
    if (!m_exists) return;
    m_point = {i, j, pack.k};
    m_pack = map.pack(i, j, pack.k);
    m_kept = map.pack(order.stored(m_point).i, j, pack.k) * W + lane;
    note(0, order.k(), pack.k);
    note(1, order.j(), j);
    note(2, order.i(), i);
  }

  template <Sweep sweep>
  __device__ static constexpr int along(int d) {
    return sweep == Sweep::forward ? d / 2 : d;
  }
  template <Sweep sweep>
  __device__ bool is_lower(int d) const {
    bool const to_the_end = sweep == Sweep::forward && d % 2 == 0;
    return (m_second_half >> along<sweep>(d) & 1) != static_cast<int>(to_the_end);
  }
  template <Sweep sweep>
  __device__ Direction direction(int d) const {
    return static_cast<Direction>(is_lower<sweep>(d) ? along<sweep>(d) : stencil7_size - 1 - along<sweep>(d));
  }
  template <Sweep sweep>
  __device__ bool takes(const FoldedMap<W>&, int d) const {
    int const which = sweep == Sweep::backward ? m_has_after : d % 2 == 0 ? m_has_before : m_has_both_before;
    return which >> along<sweep>(d) & 1;
  }
  template <Sweep sweep>
  __device__ bool keeps(const FoldedMap<W>& map, int d) const {
    return takes<sweep>(map, d);
  }

  __device__ std::int64_t slot(int entries) const { return m_pack * entries * W + m_lane; }
  template <Sweep sweep>
  __device__ std::int64_t neighbour_slot(const FoldedMap<W>& map, int d, int entries) const {
    bool const lower = is_lower<sweep>(d);
    std::int64_t const group = entries * W;
    std::int64_t distance = group;
    if (along<sweep>(d) == 0) distance *= map.pitch();
    if (along<sweep>(d) == 1) {
      bool const is_beside = lower ? m_lane > 0 : m_lane < W - 1;
      distance = is_beside ? group + 1 : (map.steps() - (W - 1)) * group - (W - 1);
    }
    return slot(entries) + (lower ? -distance : distance);
  }
  __device__ std::int64_t stored_slot() const { return m_kept; }
  template <Sweep sweep>
  __device__ std::int64_t stored_neighbour_slot(const FoldedMap<W>& map, int d) const {
    Point const kept = map.m_order.stored(neighbour(m_point, direction<sweep>(d)));
    return map.pack(kept.i, kept.j, kept.k) * W + map.lane(kept.j);
  }
  __device__ std::int64_t number(const FoldedMap<W>& map) const { return map.grid().index(map.m_order.place(m_point)); }

 private:
  __device__ void note(int along, const DirectionOrder& order, int x) {
    int const bit = 1 << along;
    bool const is_middle = x == order.middle();
    if (order.is_in_second_half(x)) m_second_half |= bit;
    if (order.level(x) > 0) m_has_before |= bit;
    if (!is_middle) m_has_after |= bit;
    if (is_middle && order.has_second_half()) m_has_both_before |= bit;
  }

  std::int64_t m_kept = 0;
  // Bits of the directions k, j and i.
  int m_second_half = 0;
  int m_has_before = 0;
  int m_has_after = 0;
  int m_has_both_before = 0;
};

template <class Map>
struct PlaceOf;
template <int W>
struct PlaceOf<SlabMap<W>> {
  using Type = Place<W>;
};
template <int W>
struct PlaceOf<FoldedMap<W>> {
  using Type = FoldedPlace<W>;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail

#endif
