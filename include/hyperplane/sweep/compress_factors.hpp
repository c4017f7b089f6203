// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/half.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/quarter.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/sweep/quarter_factors.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

/// Factors of 8 bits from those that a factorization has written as Half.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Of the points of a SIMD group at a time, T = Pack<float, vector_length>, or of one, T = float.
template <class T, int n, int vector_length>
struct CompressFactors {
  using From = TriangularFactors<Half, n, vector_length>;
  using To = TriangularFactors<Quarter, n, vector_length>;
  static constexpr bool takes_packs = !std::is_floating_point_v<T>;
  /// Indices of the points of a SIMD group.
  static constexpr int indices = takes_packs ? 1 : vector_length;
  static constexpr double bytes =
      (7.0 * n * n * sizeof(Half) + (To::lower_entries + To::upper_entries) * sizeof(Quarter)) *
      (takes_packs ? vector_length : 1);

  From m_from;
  To m_to;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    std::int64_t const pack = index / indices;
    int const lane = static_cast<int>(index % indices);
    compress(m_from.lower(pack, LowerBlock::bottom) + lane, m_to.lower(pack, LowerBlock::bottom) + lane,
             m_to.template row_scales<true>(pack) + lane, m_to.template column_scales<true>(pack) + lane);
    compress(m_from.upper(pack, UpperBlock::top) + lane, m_to.upper(pack, UpperBlock::top) + lane,
             m_to.template row_scales<false>(pack) + lane, m_to.template column_scales<false>(pack) + lane);
    const Half* const from = m_from.inverse(pack) + lane;
    Half* const to = m_to.inverse(pack) + lane;
    for (int e = 0; e < n * n; ++e) store(load(from + e * vector_length), to + e * vector_length);
  }

 private:
  /// The least column scale. Columns that are smaller than that beside others of all rows keep fewer bits.
  static constexpr float least_column = 0x1p-12F;

  /// The three blocks of a sweep, which follow one another. Column scales are chosen for rows whose largest entry is 1:
  /// the largest entry of each column over its scale is at least 1/2 and less than 1. So no row scale is larger than
  /// what is largest in its row.
  KOKKOS_FUNCTION static void compress(const Half* from, Quarter* to, Half* row_scales, Half* column_scales) {
    block::Matrix<T, n> largest;
    block::Vector<T, n> columns;
    for (int e = 0; e < n * n; ++e) {
      largest.m_entries[e] =
          greater(greater(magnitude(from, e), magnitude(from, e + n * n)), magnitude(from, e + 2 * n * n));
    }
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
    for (int d = 0; d < 3; ++d) {
      for (int e = 0; e < n * n; ++e) {
        int const at = (d * n * n + e) * vector_length;
        store(load(from + at) * largest.m_entries[e], to + at);
      }
    }
  }

  KOKKOS_FUNCTION static T magnitude(const Half* from, int entry) {
    using Kokkos::abs;
    return abs(load(from + entry * vector_length));
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

template <int n, int vector_length, ExecutionSpace Exec>
void compress_factors(const Exec& exec, const TriangularFactors<Half, n, vector_length>& from,
                      const TriangularFactors<Quarter, n, vector_length>& to) {
  using T = std::conditional_t<HostExecutionSpace<Exec>, Pack<float, vector_length>, float>;
  using Kernel = CompressFactors<T, n, vector_length>;
  constexpr const char* label = "Hyperplane::BlockIlu0::compress";
  std::int64_t const indices = to.m_map.pack_count() * Kernel::indices;
  count_bytes(label, Kernel::bytes * static_cast<double>(indices));
  launch(label, LongIndexRange<Exec>(exec, 0, indices), Kernel::bytes, Kernel{from, to});
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
