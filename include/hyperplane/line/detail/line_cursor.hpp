// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/line/line_layout_ref.hpp>
#include <hyperplane/simd/pack.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The lanes of one internal vector of a pack of lines, and in which steps they have points.
template <int internal_length, int vector_length>
struct LineLanes {
  std::int64_t m_pack;
  int m_first_lane;
  int m_length;  ///< steps of the pack
  int m_begins[std::size_t{internal_length}];
  int m_ends[std::size_t{internal_length}];
  int m_inner_begin = 0;  ///< from here to m_inner_end - 1 every lane is between two other points of its line
  int m_inner_end;

  KOKKOS_FUNCTION LineLanes(const LineLayoutRef<vector_length>& layout, std::int64_t pack, int v)
      : m_pack(pack), m_first_lane(v * internal_length), m_length(layout.length(pack)), m_inner_end(m_length - 1) {
    for (int l = 0; l < internal_length; ++l) {
      m_begins[l] = layout.begin(pack, m_first_lane + l);
      m_ends[l] = layout.end(pack, m_first_lane + l);
      if (m_begins[l] + 1 > m_inner_begin) m_inner_begin = m_begins[l] + 1;
      if (m_ends[l] - 1 < m_inner_end) m_inner_end = m_ends[l] - 1;
    }
  }

  KOKKOS_FUNCTION bool exists(int l, int step) const { return step >= m_begins[l] && step < m_ends[l]; }
  KOKKOS_FUNCTION bool is_inner(int step) const { return step >= m_inner_begin && step < m_inner_end; }
};

/// The first value of each lane at a step, the next ones m_stride apart; null where there is no point.
template <class Value, int internal_length>
struct LaneValues {
  Value* m_first[std::size_t{internal_length}];
  int m_stride;
};

/// Zeros in lanes without a point.
template <int count, class T, class Storage, int internal_length>
HYPERPLANE_APART_FUNCTION block::Vector<Pack<T, internal_length>, count> load_lanes(
    const LaneValues<const Storage, internal_length>& from) {
  block::Vector<Pack<T, internal_length>, count> values;
  for (auto& value : values.m_entries) value = T(0);
  for (int l = 0; l < internal_length; ++l) {
    if (from.m_first[l] == nullptr) continue;
    for (int e = 0; e < count; ++e) values[e].set(l, static_cast<T>(from.m_first[l][e * from.m_stride]));
  }
  return values;
}

/// Lanes without a point are not written.
template <int count, class T, int internal_length>
HYPERPLANE_APART_FUNCTION void store_lanes(const block::Vector<Pack<T, internal_length>, count>& values,
                                           const LaneValues<T, internal_length>& to) {
  for (int l = 0; l < internal_length; ++l) {
    if (to.m_first[l] == nullptr) continue;
    for (int e = 0; e < count; ++e) to.m_first[l][e * to.m_stride] = values[e][l];
  }
}

/// Loads and stores the values of the lanes of LineLanes; lanes without a point read zeros and are not written.
template <class Places, int internal_length, int vector_length>
class LineCursor;

template <int internal_length, int vector_length>
class LineCursor<GatheredPlaces, internal_length, vector_length> {
  using Lanes = LineLanes<internal_length, vector_length>;

 public:
  KOKKOS_FUNCTION LineCursor(const GatheredPlaces& places, const LineLayoutRef<vector_length>& layout,
                             const Lanes& lanes)
      : m_slots(places.m_slots + layout.first_item(lanes.m_pack) * vector_length + lanes.m_first_lane),
        m_shift(places.m_shift) {}

  template <int count, class T, class Storage>
  KOKKOS_FORCEINLINE_FUNCTION void load(const Storage* data, int entries, int first, int step,
                                        Pack<T, internal_length>* values) const {
    auto const loaded = load_lanes<count, T>(lane_values(data, entries, first, step));
    HYPERPLANE_HOST_UNROLL
    for (int e = 0; e < count; ++e) values[e] = loaded[e];
  }

  template <int count, class T>
  KOKKOS_FORCEINLINE_FUNCTION void store(T* data, int entries, int first, int step,
                                         const Pack<T, internal_length>* values) const {
    block::Vector<Pack<T, internal_length>, count> stored;
    HYPERPLANE_HOST_UNROLL
    for (int e = 0; e < count; ++e) stored[e] = values[e];
    store_lanes(stored, lane_values(data, entries, first, step));
  }

  /// Of values first, first + 1, ... of `entries` at a step.
  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION LaneValues<Value, internal_length> lane_values(Value* data, int entries, int first,
                                                                             int step) const {
    int const width = 1 << m_shift;
    LaneValues<Value, internal_length> lanes;
    lanes.m_stride = width;
    for (int l = 0; l < internal_length; ++l) {
      int const slot = m_slots[std::int64_t{step} * vector_length + l];
      auto const at = (std::int64_t{slot >> m_shift} * entries + first) * width + (slot & (width - 1));
      lanes.m_first[l] = slot < 0 ? nullptr : data + at;
    }
    return lanes;
  }

 private:
  const int* m_slots;
  int m_shift;
};

template <int W, int internal_length, int vector_length>
class LineCursor<AnyPlaces<W>, internal_length, vector_length> {
  using Lanes = LineLanes<internal_length, vector_length>;

 public:
  /// Whether the vectors of a full step can be read where they are: they follow one another like those of the lanes.
  static constexpr bool has_addresses = W == internal_length;

  KOKKOS_FUNCTION LineCursor(const AnyPlaces<W>& places, const LineLayoutRef<vector_length>& layout, const Lanes& lanes)
      : m_lanes(lanes),
        m_stride(places.m_strided.m_stride),
        m_lane(lanes.m_first_lane % W),
        m_is_gathered(places.m_gathered.m_slots != nullptr),
        m_gathered(places.m_gathered, layout, lanes) {
    if (m_is_gathered) return;
    auto const unit = lanes.m_pack * (vector_length / W) + lanes.m_first_lane / W;
    m_base = places.m_strided.m_bases[unit];
    m_full_begin = places.m_strided.m_full_begins[unit];
    m_full_end = places.m_strided.m_full_ends[unit];
  }

  /// Whether the vectors of a step are all there, from address() on.
  KOKKOS_FUNCTION bool is_full(int step) const { return step >= m_full_begin && step < m_full_end; }

  /// Of value `first` of `entries` at a step; what to prefetch at any step, even one after the last.
  template <class Storage>
  KOKKOS_FUNCTION const Storage* address(const Storage* data, int entries, int first, int step) const {
    return data + ((m_base + step * m_stride) * entries + first) * W + m_lane;
  }

  /// Values first, first + 1, ... of `entries` at a step.
  template <int count, class T, class Storage>
  KOKKOS_FORCEINLINE_FUNCTION void load(const Storage* data, int entries, int first, int step,
                                        Pack<T, internal_length>* values) const {
    if (is_full(step)) {
      const Storage* const from = address(data, entries, first, step);
      HYPERPLANE_UNROLL
      for (int e = 0; e < count; ++e) values[e] = Pack<T, internal_length>::load(from + e * W);
      return;
    }
    auto const loaded = load_lanes<count, T>(lane_values(data, entries, first, step));
    HYPERPLANE_HOST_UNROLL
    for (int e = 0; e < count; ++e) values[e] = loaded[e];
  }

  template <int count, class T>
  KOKKOS_FORCEINLINE_FUNCTION void store(T* data, int entries, int first, int step,
                                         const Pack<T, internal_length>* values) const {
    if (is_full(step)) {
      T* const to = data + ((m_base + step * m_stride) * entries + first) * W + m_lane;
      HYPERPLANE_UNROLL
      for (int e = 0; e < count; ++e) values[e].store(to + e * W);
      return;
    }
    block::Vector<Pack<T, internal_length>, count> stored;
    HYPERPLANE_HOST_UNROLL
    for (int e = 0; e < count; ++e) stored[e] = values[e];
    store_lanes(stored, lane_values(data, entries, first, step));
  }

 private:
  template <class Value>
  HYPERPLANE_APART_FUNCTION LaneValues<Value, internal_length> lane_values(Value* data, int entries, int first,
                                                                           int step) const {
    if (m_is_gathered) return m_gathered.lane_values(data, entries, first, step);
    Value* const values = data + ((m_base + step * m_stride) * entries + first) * W + m_lane;
    LaneValues<Value, internal_length> lanes;
    for (int l = 0; l < internal_length; ++l) lanes.m_first[l] = m_lanes.exists(l, step) ? values + l : nullptr;
    lanes.m_stride = W;
    return lanes;
  }

  const Lanes& m_lanes;
  std::int64_t m_base = 0;
  std::int64_t m_stride;
  int m_lane;
  int m_full_begin = 0;
  int m_full_end = 0;
  bool m_is_gathered;
  LineCursor<GatheredPlaces, internal_length, vector_length> m_gathered;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
