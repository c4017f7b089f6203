// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/outside_lanes.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <cstddef>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A grid alone, or several of them: points on their faces have no neighbours outside.
struct NoOutside {
  static constexpr bool exists = false;
  NoOutside in(int, std::int64_t, std::int64_t) const { return {}; }
};

/// The place of a point on the face of a grid in a direction, of all points of that face.
HYPERPLANE_FUNCTION inline std::int64_t face_place(const Grid& grid, Direction face, const Point& p) {
  switch (face) {
    case Direction::west:
    case Direction::east: return p.j + std::int64_t{grid.nj()} * p.k;
    case Direction::south:
    case Direction::north: return p.i + std::int64_t{grid.ni()} * p.k;
    default: return p.i + std::int64_t{grid.ni()} * p.j;
  }
}
HYPERPLANE_FUNCTION inline std::int64_t face_size(const Grid& grid, Direction face) {
  return face_place(grid, face, {grid.ni() - 1, grid.nj() - 1, grid.nk() - 1}) + 1;
}

/// Neighbours that points on faces of a grid have outside of it, for kernels whose sums then have them where neighbours
/// inside are, as recursions over slabs on hosts. Each of them has a number, by which Values finds what is known of it.
template <class Values, int vector_length>
class SlabOutside {
 public:
  static constexpr bool exists = true;

  /// At first there are none.
  SlabOutside(const SlabMap<vector_length>& map, const Values& values) : m_map(map), m_values(values) {}
  /// The numbers of the neighbours in a direction by face_place(), -1 where there is none.
  void set(Direction direction, const int* numbers) { m_numbers[static_cast<int>(direction)] = numbers; }

  /// Those that SIMD groups begin <= step < end of a slab may have: faces that are far away take no time then.
  SlabOutside in(int slab, std::int64_t begin, std::int64_t end) const {
    SlabOutside result = *this;
    if (slab > 0) result.set(Direction::south, nullptr);
    if (slab + 1 < m_map.slabs()) result.set(Direction::north, nullptr);
    if (begin >= m_map.pitch() + vector_length - 1) result.set(Direction::bottom, nullptr);
    if (end <= (m_map.grid().nk() - 1) * m_map.pitch()) result.set(Direction::top, nullptr);
    return result;
  }

  HYPERPLANE_FUNCTION const Values& values() const { return m_values; }
  /// Whether there are such neighbours in a direction.
  HYPERPLANE_FUNCTION bool has(Direction direction) const { return m_numbers[static_cast<int>(direction)] != nullptr; }
  /// The number of the neighbour of a point on that face, or -1.
  HYPERPLANE_FUNCTION int number(Direction direction, const Point& p) const {
    if (!has(direction)) return -1;
    return m_numbers[static_cast<int>(direction)][face_place(m_map.grid(), direction, p)];
  }

  /// Whether some of the lanes of a SIMD group may have such a neighbour.
  bool meets(const PackPlace& place, Direction direction) const {
    return has(direction) && OutsideLanes<vector_length>(m_map, place, direction).any();
  }

  /// visit(lane, number) for the lanes that have one.
  template <class Visit>
  void for_lanes(const PackPlace& place, Direction direction, const Visit& visit) const {
    if (!has(direction)) return;
    OutsideLanes<vector_length> const lanes(m_map, place, direction);
    for (int lane = lanes.m_begin; lane < lanes.m_end; ++lane) {
      int const found = number_of_lane(place, lane, direction);
      if (found >= 0) visit(lane, found);
    }
  }

  /// What is known of these neighbours into their lanes, entry by entry. Most groups have none: what is rare is apart,
  /// and has the address of a copy, so that packs stay in registers.
  template <int entries, class PackType>
  void enter(const PackPlace& place, Direction direction, PackType* packs) const {
    if (!meets(place, direction)) [[likely]]
      return;
    PackType entered[std::size_t{entries}];
    for (int e = 0; e < entries; ++e) entered[e] = packs[e];
    enter_lanes<entries>(place, direction, entered);
    for (int e = 0; e < entries; ++e) packs[e] = entered[e];
  }

 private:
  template <int entries, class PackType>
  HYPERPLANE_APART_HOST_FUNCTION void enter_lanes(const PackPlace& place, Direction direction, PackType* packs) const {
    for_lanes(place, direction, [&](int lane, int number) {
      using Value = typename PackType::value_type;
      for (int e = 0; e < entries; ++e) packs[e].set(lane, static_cast<Value>(m_values(number, e)));
    });
  }

  int number_of_lane(const PackPlace& place, int lane, Direction direction) const {
    std::int64_t const position = place.step - lane;
    if (position < 0) return -1;
    std::int64_t const layer = position / m_map.pitch();
    Point const p{static_cast<int>(position - layer * m_map.pitch()), place.slab * vector_length + lane,
                  static_cast<int>(layer)};
    return m_map.grid().contains(p) ? number(direction, p) : -1;
  }

  SlabMap<vector_length> m_map;
  Values m_values;
  const int* m_numbers[std::size_t{stencil7_size}] = {};
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
