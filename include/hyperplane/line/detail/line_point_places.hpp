// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/line/line_layout_ref.hpp>

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// StridedPlaces or GatheredPlaces, one value at a time: for kernels that are rare enough to be compiled once for both.
struct LinePointPlaces {
  const std::int64_t* m_bases = nullptr;  ///< of StridedPlaces
  std::int64_t m_stride = 0;
  const int* m_slots = nullptr;  ///< of GatheredPlaces
  int m_shift = 0;               ///< of both: SIMD groups have 2^m_shift lanes

  template <int W>
  explicit LinePointPlaces(const StridedPlaces<W>& places)
      : m_bases(places.m_bases), m_stride(places.m_stride), m_shift(std::countr_zero(static_cast<unsigned>(W))) {}
  explicit LinePointPlaces(const GatheredPlaces& places) : m_slots(places.m_slots), m_shift(places.m_shift) {}

  /// Of a value: entry `e` of `entries` of a lane of a pack at a step at which it has a point.
  template <int vector_length>
  KOKKOS_FUNCTION std::int64_t index(const LineLayoutRef<vector_length>& layout, std::int64_t pack, int lane, int step,
                                     int entries, int e) const {
    int const width = 1 << m_shift;
    std::int64_t group = 0;
    int lane_in_group = lane % width;
    if (m_bases != nullptr) {
      group = m_bases[(pack * vector_length + lane) >> m_shift] + step * m_stride;
    } else {
      int const slot = m_slots[(layout.first_item(pack) + step) * vector_length + lane];
      group = slot >> m_shift;
      lane_in_group = slot % width;
    }
    return (group * entries + e) * width + lane_in_group;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
