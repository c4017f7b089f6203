// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/bfloat16.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/outside_lanes.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>
#include <hyperplane/stencil/detail/narrow_slots_to_units.hpp>
#include <hyperplane/stencil/for_packs.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What NarrowToUnits makes of all points of a SIMD group, together, to the same bits. What points out of the grid is
/// zero here, and so comes last among the entries of an unknown and changes nothing. Groups with values that are not
/// finite, or may overflow, are left to NarrowToUnits.
template <class Storage, int n, class Short, int W, class Outside>
struct NarrowPacksToUnits {
  using PackType = Pack<double, W>;
  using Mask = typename PackType::Mask;
  using Rows = block::Vector<PackType, n>;
  static constexpr int packs = packs_in_range<n>;

  NarrowToUnits<Storage, n, Short, W, false, Outside> m_slots;

  /// Of a range of packs.
  void operator()(std::int64_t range, std::int64_t& first) const {
    auto const& map = m_slots.m_a.map();
    std::int64_t const begin = range * packs, end = std::min(begin + packs, map.pack_count());
    auto place = PackPlace::of(map, begin);
    for (std::int64_t pack = begin; pack < end; ++pack, place.advance(map)) {
      if (narrow(pack, place)) continue;
      for (int lane = 0; lane < W; ++lane) m_slots(pack * W + lane, first);
    }
  }

 private:
  /// From here on the unit of a row is bounded, so that entries may overflow.
  static constexpr double large = 0x1p135;

  /// Which lanes have neighbours, outside of the grid, too.
  struct Inside {
    Mask m_points;                      ///< of the pack itself
    Mask m_inside[stencil7_size] = {};  ///< by directions

    Inside(const SlabMap<W>& map, const PackPlace& place, const Outside& outside)
        : m_points(!padding_lanes<PackType>(map, place)) {
      for (int d = 0; d < stencil7_size; ++d) {
        auto const direction = static_cast<Direction>(d);
        OutsideLanes<W> const lanes(map, place, direction);
        m_inside[d] = m_points;
        if (!lanes.any()) continue;
        m_inside[d] = m_points & !lanes_between<PackType>(lanes.m_begin, lanes.m_end);
        if constexpr (Outside::exists) {
          outside.for_lanes(place, direction, [&](int lane, int) {
            m_inside[d] = m_inside[d] | lanes_between<PackType>(lane, lane + 1);
          });
        }
      }
    }
  };

  /// Whether it could.
  bool narrow(std::int64_t pack, const PackPlace& place) const {
    Inside const inside(m_slots.m_a.map(), place, m_slots.m_outside);
    Rows largest, excess;
    for (int r = 0; r < n; ++r) largest[r] = excess[r] = PackType(0);
    for (int d = 0; d < stencil7_size; ++d) {
      for (int c = 0; c < n; ++c) {
        for (int r = 0; r < n; ++r) {
          auto const given = value(pack, d, r, c, inside);
          excess[r] += given * PackType(0);
          largest[r] = select(largest[r] < abs(given), abs(given), largest[r]);
        }
      }
    }
    for (int r = 0; r < n; ++r) {
      if (any(excess[r] != PackType(0)) || any(!(largest[r] < PackType(large)))) return false;
    }
    Rows factors;
    for (int r = 0; r < n; ++r) {
      auto const unit = unit_of(largest[r]);
      factors[r] = power_reciprocal(unit);
      for (int lane = 0; lane < W; ++lane) {
        if (inside.m_points[lane]) m_slots.m_copy.set_unit(pack, r, lane, BFloat16(unit[lane]));
      }
    }
    for (int c = 0; c < n; ++c) round(pack, c, factors, inside);
    return true;
  }

  static constexpr int entry(int r, int c) { return c * n + r; }
  PackType value(std::int64_t pack, int d, int r, int c, const Inside& inside) const {
    auto const* const block = m_slots.m_a.pack_block(pack, static_cast<Direction>(d));
    return select(inside.m_inside[d], PackType::load(block + entry(r, c) * W), PackType(0));
  }

  /// row_unit()
  static PackType unit_of(const PackType& largest) {
    PackType const least(row_unit(0.0)), unit = power_below(largest) * PackType(0x1p-14);
    return select(unit < least, least, unit);
  }

  /// The seven entries of a row and an unknown, and their directions.
  struct Entries {
    PackType m_values[stencil7_size];
    PackType m_directions[stencil7_size];
  };

  /// NarrowToUnits::round() of unknown c, of all rows: entries of one wait for one another, rows do not.
  void round(std::int64_t pack, int c, const Rows& factors, const Inside& inside) const {
    Entries entries[std::size_t{n}];
    for (int r = 0; r < n; ++r) sort(pack, r, c, inside, entries[r]);
    Rows lost;
    for (int r = 0; r < n; ++r) lost[r] = PackType(0);
    for (int k = 0; k < stencil7_size; ++k) {
      for (int r = 0; r < n; ++r) {
        auto& value = entries[r].m_values[k];
        auto const wanted = select(value == PackType(0), PackType(0), value * factors[r] + lost[r]);
        value = wanted.template rounded<Short>();
        lost[r] = wanted - value;
      }
    }
    for (int r = 0; r < n; ++r) keep(pack, r, c, entries[r]);
  }

  /// Largest first, by exchanges of neighbours, which leave equal ones in their order.
  void sort(std::int64_t pack, int r, int c, const Inside& inside, Entries& sorted) const {
    Entries entries;
    HYPERPLANE_HOST_UNROLL
    for (int d = 0; d < stencil7_size; ++d) {
      entries.m_values[d] = value(pack, d, r, c, inside);
      entries.m_directions[d] = PackType(d);
    }
    HYPERPLANE_HOST_UNROLL
    for (int end = stencil7_size - 1; end > 0; --end) {
      HYPERPLANE_HOST_UNROLL
      for (int k = 0; k < end; ++k) {
        auto const is_smaller = abs(entries.m_values[k]) < abs(entries.m_values[k + 1]);
        exchange(is_smaller, entries.m_values[k], entries.m_values[k + 1]);
        exchange(is_smaller, entries.m_directions[k], entries.m_directions[k + 1]);
      }
    }
    sorted = entries;
  }

  void keep(std::int64_t pack, int r, int c, const Entries& entries) const {
    HYPERPLANE_HOST_UNROLL
    for (int d = 0; d < stencil7_size; ++d) {
      PackType kept = entries.m_values[0];
      HYPERPLANE_HOST_UNROLL
      for (int k = 1; k < stencil7_size; ++k) {
        kept = select(entries.m_directions[k] == PackType(d), entries.m_values[k], kept);
      }
      kept.store(m_slots.m_copy.pack_block(pack, static_cast<Direction>(d)) + entry(r, c) * W);
    }
  }
  static void exchange(const Mask& where, PackType& a, PackType& b) {
    auto const former = a;
    a = select(where, b, a);
    b = select(where, former, b);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
