// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/half.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/quarter.hpp>
#include <hyperplane/simd/pack.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Blocks of 8 bits from those of Half that a sweep reads of a point or of a row, with scales that they have in common:
/// T is Pack<float, vector_length> for points of a SIMD group at a time, or float.
template <class T, int n, int vector_length>
struct CompressBlocks {
  static constexpr bool takes_packs = !std::is_floating_point_v<T>;

  /// The least column scale. Columns that are smaller than that beside others of all rows keep fewer bits.
  static constexpr float least_column = 0x1p-12F;

  /// So many blocks, which follow one another.
  KOKKOS_FUNCTION static void run(std::int64_t blocks, const Half* from, Quarter* to, Half* row_scales,
                                  Half* column_scales) {
    constexpr int size = n * n * vector_length;
    block::Matrix<T, n> largest;
    for (int e = 0; e < n * n; ++e) largest.m_entries[e] = T(0);
    for (std::int64_t d = 0; d < blocks; ++d) add_magnitudes(from + d * size, largest);
    choose_scales(largest, row_scales, column_scales);
    for (std::int64_t d = 0; d < blocks; ++d) round(from + d * size, largest, to + d * size);
  }

  /// Makes them at least those of a block.
  KOKKOS_FUNCTION static void add_magnitudes(const Half* from, block::Matrix<T, n>& largest) {
    using Kokkos::abs;
    for (int e = 0; e < n * n; ++e) {
      largest.m_entries[e] = greater(largest.m_entries[e], abs(load(from + e * vector_length)));
    }
  }
  /// By the largest magnitudes of entries of any block, which become what entries are multiplied by. Column scales are
  /// chosen for rows whose largest entry is 1: the largest entry of each column over its scale is at least 1/2 and less
  /// than 1. So no row scale is larger than what is largest in its row.
  KOKKOS_FUNCTION static void choose_scales(block::Matrix<T, n>& largest, Half* row_scales, Half* column_scales) {
    block::Vector<T, n> columns;
    for (int c = 0; c < n; ++c) columns[c] = T(least_column / 2);
    for (int r = 0; r < n; ++r) {
      T of_row(0);
      for (int c = 0; c < n; ++c) of_row = greater(of_row, largest(r, c));
      T const reciprocal = reciprocal_or_zero(of_row);
      for (int c = 0; c < n; ++c) columns[c] = greater(columns[c], largest(r, c) * reciprocal);
    }
    for (int c = 0; c < n; ++c) {
      T const scale = power_below(columns[c]) * T(2);
      store(scale, column_scales + c * vector_length);
      columns[c] = power_reciprocal(scale);
    }
    for (int r = 0; r < n; ++r) {
      T of_row(0);
      for (int c = 0; c < n; ++c) of_row = greater(of_row, largest(r, c) * columns[c]);
      Half* const scale = row_scales + r * vector_length;
      store(of_row, scale);
      // What is nearly zero as a Half may have been rounded down.
      T const factor = T(largest_quarter) * reciprocal_or_zero(greater(of_row, load(scale)));
      for (int c = 0; c < n; ++c) largest(r, c) = columns[c] * factor;
    }
  }
  KOKKOS_FUNCTION static void round(const Half* from, const block::Matrix<T, n>& factors, Quarter* to) {
    for (int e = 0; e < n * n; ++e) {
      store(load(from + e * vector_length) * factors.m_entries[e], to + e * vector_length);
    }
  }

  KOKKOS_FUNCTION static T greater(const T& a, const T& b) { return select(a > b, a, b); }
  KOKKOS_FUNCTION static T reciprocal_or_zero(const T& a) { return select(a > T(0), T(1) / a, T(0)); }
  template <class Storage>
  KOKKOS_FUNCTION static T load(const Storage* value) {
    if constexpr (takes_packs) {
      return T::load(value);
    } else {
      return static_cast<T>(*value);
    }
  }
  template <class Storage>
  KOKKOS_FUNCTION static void store(const T& value, Storage* to) {
    if constexpr (takes_packs) {
      value.store(to);
    } else {
      *to = Storage(value);
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
