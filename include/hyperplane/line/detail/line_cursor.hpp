// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/dispatch.hpp>
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
KOKKOS_FORCEINLINE_FUNCTION void load_lanes(const LaneValues<const Storage, internal_length>& from,
                                            Pack<T, internal_length>* values) {
  for (int e = 0; e < count; ++e) values[e] = T(0);
  for (int l = 0; l < internal_length; ++l) {
    if (from.m_first[l] == nullptr) continue;
    for (int e = 0; e < count; ++e) values[e].set(l, static_cast<T>(from.m_first[l][e * from.m_stride]));
  }
}

/// Lanes without a point are not written.
template <int count, class T, int internal_length>
KOKKOS_FORCEINLINE_FUNCTION void store_lanes(const Pack<T, internal_length>* values,
                                             const LaneValues<T, internal_length>& to) {
  for (int l = 0; l < internal_length; ++l) {
    if (to.m_first[l] == nullptr) continue;
    for (int e = 0; e < count; ++e) to.m_first[l][e * to.m_stride] = values[e][l];
  }
}

/// Of fewer values a call takes longer than what it does. In device code vectors stay in registers without one, and the
/// loads of whole steps around them are under way together.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
inline constexpr int least_values_apart = max_block_size + 1;
#else
inline constexpr int least_values_apart = 3;
#endif

/// The same, compiled once for all kernels. What is loaded is returned, so that a kernel may keep its values in
/// registers.
template <int count, class T, class Storage, int internal_length>
HYPERPLANE_APART_FUNCTION block::Vector<Pack<T, internal_length>, count> load_lanes_apart(
    const LaneValues<const Storage, internal_length>& from) {
  block::Vector<Pack<T, internal_length>, count> values;
  load_lanes<count>(from, values.m_entries);
  return values;
}
template <int count, class T, class Storage, int internal_length>
KOKKOS_FORCEINLINE_FUNCTION void call_load_lanes(const LaneValues<const Storage, internal_length>& from,
                                                 Pack<T, internal_length>* values) {
  auto const loaded = load_lanes_apart<count, T>(from);
  HYPERPLANE_HOST_UNROLL
  for (int e = 0; e < count; ++e) values[e] = loaded[e];
}

template <int count, class T, int internal_length>
HYPERPLANE_APART_FUNCTION void store_lanes_apart(const block::Vector<Pack<T, internal_length>, count>& values,
                                                 const LaneValues<T, internal_length>& to) {
  store_lanes<count>(values.m_entries, to);
}
template <int count, class T, int internal_length>
KOKKOS_FORCEINLINE_FUNCTION void call_store_lanes(const Pack<T, internal_length>* values,
                                                  const LaneValues<T, internal_length>& to) {
  block::Vector<Pack<T, internal_length>, count> stored;
  HYPERPLANE_HOST_UNROLL
  for (int e = 0; e < count; ++e) stored[e] = values[e];
  store_lanes_apart<count>(stored, to);
}

/// Loads and stores the values of the lanes of LineLanes; lanes without a point read zeros and are not written.
template <class Places, int internal_length, int vector_length>
class LineCursor {
  using Lanes = LineLanes<internal_length, vector_length>;
  static constexpr int W = Places::W;
  static constexpr bool may_be_strided = Places::may_be_strided, may_be_gathered = Places::may_be_gathered;

 public:
  KOKKOS_FUNCTION LineCursor(const Places& places, const LineLayoutRef<vector_length>& layout, const Lanes& lanes)
      : m_lanes(lanes) {
    if constexpr (may_be_gathered) {
      auto const& gathered = places.gathered();
      m_shift = gathered.m_shift;
      m_slots = gathered.m_slots;
      if (m_slots != nullptr) m_slots += layout.first_item(lanes.m_pack) * vector_length + lanes.m_first_lane;
    }
    if constexpr (may_be_strided) {
      if (is_gathered()) return;
      auto const& strided = places.strided();
      auto const unit = lanes.m_pack * (vector_length / W) + lanes.m_first_lane / W;
      m_stride = strided.m_stride;
      m_lane = lanes.m_first_lane % W;
      m_base = strided.m_bases[unit];
      m_full_begin = strided.m_full_begins[unit];
      m_full_end = strided.m_full_ends[unit];
    }
  }

  /// Whether the vectors of a step are all there, from address() on.
  KOKKOS_FUNCTION bool is_full(int step) const { return may_be_strided && step >= m_full_begin && step < m_full_end; }

  /// Of value `first` of `entries` at a step, where places are strided; what to prefetch at any step, even one after
  /// the last.
  template <class Value>
  KOKKOS_FUNCTION Value* address(Value* data, int entries, int first, int step) const {
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
    auto const lanes = lane_values(data, entries, first, step);
    if constexpr (count < least_values_apart) {
      load_lanes<count>(lanes, values);
    } else {
      call_load_lanes<count>(lanes, values);
    }
  }

  template <int count, class T>
  KOKKOS_FORCEINLINE_FUNCTION void store(T* data, int entries, int first, int step,
                                         const Pack<T, internal_length>* values) const {
    if (is_full(step)) {
      T* const to = address(data, entries, first, step);
      HYPERPLANE_UNROLL
      for (int e = 0; e < count; ++e) values[e].store(to + e * W);
      return;
    }
    auto const lanes = lane_values(data, entries, first, step);
    if constexpr (count < least_values_apart) {
      store_lanes<count>(values, lanes);
    } else {
      call_store_lanes<count>(values, lanes);
    }
  }

  /// Where they are, lane by lane.
  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION LaneValues<Value, internal_length> lane_values(Value* data, int entries, int first,
                                                                             int step) const {
    LaneValues<Value, internal_length> lanes;
    if (is_gathered()) {
      int const width = 1 << m_shift;
      lanes.m_stride = width;
      for (int l = 0; l < internal_length; ++l) {
        int const slot = m_slots[std::int64_t{step} * vector_length + l];
        auto const at = (std::int64_t{slot >> m_shift} * entries + first) * width + (slot & (width - 1));
        lanes.m_first[l] = slot < 0 ? nullptr : data + at;
      }
    } else {
      Value* const values = address(data, entries, first, step);
      lanes.m_stride = W;
      for (int l = 0; l < internal_length; ++l) lanes.m_first[l] = m_lanes.exists(l, step) ? values + l : nullptr;
    }
    return lanes;
  }

 private:
  KOKKOS_FUNCTION bool is_gathered() const { return may_be_gathered && (!may_be_strided || m_slots != nullptr); }

  const Lanes& m_lanes;
  // Of strided places.
  std::int64_t m_base = 0;
  std::int64_t m_stride = 0;
  int m_lane = 0;
  int m_full_begin = 0;
  int m_full_end = 0;
  // Of gathered places.
  const int* m_slots = nullptr;
  int m_shift = 0;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
