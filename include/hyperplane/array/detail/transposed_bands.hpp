// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/detail/nest.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/host/past_caches.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/simd/transpose.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A copy on a host between two arrays, of which the second is contiguous along the first loop and the first array
/// along another one. It goes by squares that are a line of memory wide and high, in bands of some squares, along which
/// the first array is read at rising addresses.
template <class T>
struct TransposedBands {
  static constexpr int line = host::cache_line_values<T>;
  static constexpr int longest = 256;
  /// Values across a band. Past the caches lines are written here and there, which memory takes only if some of them
  /// are neighbours.
  int m_band = line;
  int m_bands = 0;  ///< along the first loop
  int m_parts = 0;  ///< of a band, along the second loop
  bool m_past_caches = false;

  TransposedBands() = default;
  /// Makes the loop along which the first array is contiguous the second one; without one there are no bands.
  explicit TransposedBands(Nest<T, 2>& nest) {
    if (nest.size() == 0 || nest.m_strides[1][0] != 1 || nest.m_strides[0][0] == 1) return;
    for (int d = 1; d < nest.dimensions; ++d) {
      if (nest.m_strides[0][d] != 1 || nest.m_extents[d] == 1) continue;
      nest.swap(1, d);
      m_past_caches = host::goes_past_caches(nest.size() * static_cast<std::int64_t>(sizeof(T)));
      if (m_past_caches) m_band = 4 * line;
      m_bands = (nest.m_extents[0] + m_band - 1) / m_band;
      m_parts = (nest.m_extents[1] + longest - 1) / longest;
      return;
    }
  }

  std::int64_t count(const Nest<T, 2>& nest) const {
    return std::int64_t{m_parts} * m_bands * nest.m_extents[2] * nest.m_extents[3];
  }

  /// Part `number` of all bands, from the first array to the second, or back.
  template <bool forth>
  void run(const Nest<T, 2>& nest, std::int64_t number) const {
    auto const next = [&](int extent) {
      auto const rest = number / extent;
      auto const digit = number - rest * extent;
      number = rest;
      return static_cast<int>(digit);
    };
    int const p1 = next(m_parts) * longest;
    int const p0 = next(m_bands) * m_band;
    int const p2 = next(nest.m_extents[2]);
    auto const at = [&](int a) {
      auto const& strides = nest.m_strides[a];
      return nest.m_data[a] + p0 * strides[0] + p1 * strides[1] + p2 * strides[2] + number * strides[3];
    };
    T* const first = at(0);
    T* const second = at(1);
    auto const step_0 = nest.m_strides[0][0];
    auto const step_1 = nest.m_strides[1][1];
    bool const past_caches = forth && m_past_caches && host::place_in_cache_line(second) == 0 && step_1 % line == 0;
    int const count_0 = std::min(m_band, nest.m_extents[0] - p0);
    int const count_1 = std::min(longest, nest.m_extents[1] - p1);
    auto const piece = [&](int e0, int e1) {
      T* const here = first + e0 * step_0 + e1;
      T* const there = second + e0 + e1 * step_1;
      if (e0 + line > count_0 || e1 + line > count_1) {
        edge<forth>(here, step_0, there, step_1, std::min(line, count_0 - e0), std::min(line, count_1 - e1));
      } else if constexpr (forth) {
        square(here, step_0, there, step_1, past_caches);
      } else {
        square(there, step_1, here, step_0, false);
      }
    };
    if (past_caches) {
      for (int e1 = 0; e1 < count_1; e1 += line) {
        // The next band, of which no stream of reads tells the processor.
        int const next_count = std::min(m_band, nest.m_extents[0] - p0 - m_band);
        for (int r = 0; r < next_count; ++r) prefetch(first + (r + m_band) * step_0 + e1);
        for (int e0 = 0; e0 < count_0; e0 += line) piece(e0, e1);
      }
    } else {
      for (int e0 = 0; e0 < count_0; e0 += line) {
        for (int e1 = 0; e1 < count_1; e1 += line) piece(e0, e1);
      }
    }
    if (past_caches) stream_fence();
  }

 private:
  /// Rows of `from` become columns of `to`.
  static void square(const T* from, std::int64_t from_step, T* to, std::int64_t to_step, bool past_caches) {
    Pack<T, line> rows[std::size_t{line}];
    HYPERPLANE_UNROLL
    for (int r = 0; r < line; ++r) std::memcpy(&rows[r].m_native, from + r * from_step, sizeof(rows[r].m_native));
    transpose(rows);
    if (past_caches) {
      HYPERPLANE_UNROLL
      for (int r = 0; r < line; ++r) host::write_line(rows[r], to + r * to_step);
    } else {
      HYPERPLANE_UNROLL
      for (int r = 0; r < line; ++r) std::memcpy(to + r * to_step, &rows[r].m_native, sizeof(rows[r].m_native));
    }
  }

  template <bool forth>
  static void edge(T* first, std::int64_t step_0, T* second, std::int64_t step_1, int count_0, int count_1) {
    for (int e1 = 0; e1 < count_1; ++e1) {
      for (int e0 = 0; e0 < count_0; ++e0) {
        if constexpr (forth) {
          second[e0 + e1 * step_1] = first[e0 * step_0 + e1];
        } else {
          first[e0 * step_0 + e1] = second[e0 + e1 * step_1];
        }
      }
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
