// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/line/detail/line_factors.hpp>
#include <hyperplane/line/detail/line_places.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>
#include <hyperplane/sweep/factor_scales.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What a part's unknowns are per unit of the separators beside it, n x n per point, in the units of the part's factors
/// as their d^-1 U.
template <class Storage, int n, int vector_length>
struct LineSpikes {
  using Ref = InterleavedRef<Storage, vector_length, n * n>;
  Ref m_left;
  Ref m_right;    ///< unused where there is one
  bool m_single;  ///< both are the same separator: m_left has the sum
  FactorScales<Storage, n, vector_length> m_scales{};

  /// C times values, or C^-1 times them, from the first of `count` on.
  template <bool by_inverse, int count, class T>
  KOKKOS_FORCEINLINE_FUNCTION void scale([[maybe_unused]] block::Vector<T, count>& values,
                                         [[maybe_unused]] int first = 0) const {
    if constexpr (has_scales<Storage>) {
      HYPERPLANE_HOST_UNROLL
      for (int c = 0; c < count; ++c) {
        double const unit = by_inverse ? m_scales.unknown_inverse(first + c) : m_scales.unknown(first + c);
        values[c] = block::scaled(values[c], unit);
      }
    }
  }
};

/// Where the separators are: tables with an entry for each slot of the separators' layout.
struct LineSeparators {
  const int* m_before;  ///< slot of the point before, in the parts' layout; -1 where there is none
  const int* m_after;
  const int* m_same;  ///< bit 0: the separator on the other side of the part before is this one; bit 1: the part after
  const int* m_ordinal;  ///< in the separators' lines
};

/// Entry e of `entries` of a slot.
template <class Value>
KOKKOS_FORCEINLINE_FUNCTION Value& slot_entry(Value* data, int entries, int e, int slot, int shift) {
  int const width = 1 << shift;
  return data[(std::int64_t{slot >> shift} * entries + e) * width + (slot & (width - 1))];
}

/// The unknowns of an item and lane of the separators' layout, which are a group apart, to their place in x.
template <int n, int vector_length, class Scalar>
KOKKOS_FUNCTION void copy_separator(const LineUnknowns<Scalar, GatheredPlaces>& x, std::int64_t index,
                                    const Scalar* reduced) {
  int const slot = x.m_places.m_slots[index];
  if (slot < 0) return;
  auto const from = reduced + index / vector_length * (n * vector_length) + index % vector_length;
  HYPERPLANE_HOST_UNROLL
  for (int c = 0; c < n; ++c) {
    slot_entry(x.m_data, x.m_entries, x.m_first + c, slot, x.m_places.m_shift) = from[c * vector_length];
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
