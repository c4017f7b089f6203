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
/// for each direction, of which the second one is there for middle points alone, and a backward sweep three.
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
    note(0, order.k(), pack.k);
    note(1, order.j(), j);
    note(2, order.i(), i);
  }

  template <Sweep sweep>
  __device__ Direction direction(int d) const {
    int const along = sweep == Sweep::forward ? d / 2 : d;
    bool const to_the_last_end = (m_second_half >> along & 1) != (sweep == Sweep::backward || d % 2 == 1);
    return static_cast<Direction>(to_the_last_end ? stencil7_size - 1 - along : along);
  }
  template <Sweep sweep>
  __device__ bool takes(const FoldedMap<W>& map, int d) const {
    bool const is_middle = m_middle >> (sweep == Sweep::forward ? d / 2 : d) & 1;
    bool const comes = sweep == Sweep::forward ? d % 2 == 0 || is_middle : !is_middle;
    return m_exists && comes && map.grid().contains(neighbour(m_point, direction<sweep>(d)));
  }
  template <Sweep sweep>
  __device__ bool keeps(const FoldedMap<W>& map, int d) const {
    return takes<sweep>(map, d);
  }

  __device__ std::int64_t slot(const FoldedMap<W>& map, Direction direction, int entries) const {
    return m_pack * entries * W + m_lane + map.distance(direction, m_lane, entries);
  }
  __device__ std::int64_t stored_slot(const FoldedMap<W>& map, Direction direction) const {
    if (!m_exists) return 0;
    Point const kept = map.m_order.stored(neighbour(m_point, direction));
    return map.pack(kept.i, kept.j, kept.k) * W + map.lane(kept.j);
  }
  __device__ std::int64_t number(const FoldedMap<W>& map) const { return map.grid().index(map.m_order.place(m_point)); }

 private:
  __device__ void note(int along, const DirectionOrder& order, int x) {
    if (order.is_in_second_half(x)) m_second_half |= 1 << along;
    if (x == order.middle()) m_middle |= 1 << along;
  }

  // Bits of the directions k, j and i.
  int m_second_half = 0;
  int m_middle = 0;
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
