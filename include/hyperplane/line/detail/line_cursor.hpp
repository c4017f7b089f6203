// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/dispatch.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/line/detail/line_addresses.hpp>
#include <hyperplane/simd/pack.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

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
class LineCursor : public LineAddresses<Places, internal_length, vector_length> {
  using Addresses = LineAddresses<Places, internal_length, vector_length>;
  using Addresses::W;

 public:
  using Addresses::address;
  using Addresses::Addresses;
  using Addresses::is_full;
  using Addresses::lane_values;

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
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
