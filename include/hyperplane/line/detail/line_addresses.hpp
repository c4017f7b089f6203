// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/line/line_layout_ref.hpp>

#include <cstddef>
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

  HYPERPLANE_FUNCTION LineLanes(const LineLayoutRef<vector_length>& layout, std::int64_t pack, int v)
      : m_pack(pack), m_first_lane(v * internal_length), m_length(layout.length(pack)), m_inner_end(m_length - 1) {
    for (int l = 0; l < internal_length; ++l) {
      m_begins[l] = layout.begin(pack, m_first_lane + l);
      m_ends[l] = layout.end(pack, m_first_lane + l);
      if (m_begins[l] + 1 > m_inner_begin) m_inner_begin = m_begins[l] + 1;
      if (m_ends[l] - 1 < m_inner_end) m_inner_end = m_ends[l] - 1;
    }
  }

  HYPERPLANE_FUNCTION bool exists(int l, int step) const { return step >= m_begins[l] && step < m_ends[l]; }
  HYPERPLANE_FUNCTION bool is_inner(int step) const { return step >= m_inner_begin && step < m_inner_end; }
};

/// The first value of each lane at a step, the next ones m_stride apart; null where there is no point.
template <class Value, int internal_length>
struct LaneValues {
  Value* m_first[std::size_t{internal_length}];
  int m_stride;
};

/// Where the values of the lanes of LineLanes are.
template <class Places, int internal_length, int vector_length>
class LineAddresses {
  using Lanes = LineLanes<internal_length, vector_length>;
  static constexpr bool may_be_strided = Places::may_be_strided, may_be_gathered = Places::may_be_gathered;

 public:
  static constexpr int W = Places::W;

  HYPERPLANE_FUNCTION LineAddresses(const Places& places, const LineLayoutRef<vector_length>& layout,
                                    const Lanes& lanes)
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
  HYPERPLANE_FUNCTION bool is_full(int step) const {
    return may_be_strided && step >= m_full_begin && step < m_full_end;
  }

  /// Of value `first` of `entries` at a step, where places are strided; what to prefetch at any step, even one after
  /// the last.
  template <class Value>
  HYPERPLANE_FUNCTION Value* address(Value* data, int entries, int first, int step) const {
    return data + ((m_base + step * m_stride) * entries + first) * W + m_lane;
  }

  /// Where they are, lane by lane.
  template <class Value>
  HYPERPLANE_FORCEINLINE_FUNCTION LaneValues<Value, internal_length> lane_values(Value* data, int entries, int first,
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
  HYPERPLANE_FUNCTION bool is_gathered() const { return may_be_gathered && (!may_be_strided || m_slots != nullptr); }

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
