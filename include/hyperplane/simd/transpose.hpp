// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/simd/pack.hpp>

#include <utility>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

#if defined(HYPERPLANE_VECTOR_EXTENSION)

/// Of two rows that are `distance` apart: lanes of the first with this bit change places with lanes of the second
/// without it.
template <int distance, class T, int W, int... lane>
HYPERPLANE_FORCEINLINE_HOST_FUNCTION void exchange_lanes(Pack<T, W>& a, Pack<T, W>& b,
                                                         std::integer_sequence<int, lane...>) {
  auto const first = a.m_native;
  auto const second = b.m_native;
  a.m_native = __builtin_shufflevector(first, second, ((lane & distance) != 0 ? W + (lane ^ distance) : lane)...);
  b.m_native = __builtin_shufflevector(first, second, ((lane & distance) != 0 ? W + lane : lane ^ distance)...);
}

template <int distance, class T, int W>
HYPERPLANE_FORCEINLINE_FUNCTION void transpose_blocks(Pack<T, W> (&rows)[std::size_t{W}]) {
  if constexpr (distance > 0) {
    HYPERPLANE_UNROLL
    for (int r = 0; r < W; ++r) {
      if ((r & distance) == 0) {
        exchange_lanes<distance>(rows[r], rows[r | distance], std::make_integer_sequence<int, W>{});
      }
    }
    transpose_blocks<distance / 2>(rows);
  }
}

#endif

}  // namespace detail

/// Lane c of row r changes places with lane r of row c, for W a power of two: log2(W) rounds of two-operand shuffles.
template <class T, int W>
HYPERPLANE_FORCEINLINE_HOST_FUNCTION void transpose(Pack<T, W> (&rows)[std::size_t{W}]) {
#if defined(HYPERPLANE_VECTOR_EXTENSION)
  detail::transpose_blocks<W / 2>(rows);
#else
  for (int r = 0; r < W; ++r) {
    for (int c = 0; c < r; ++c) {
      T const value = rows[r][c];
      rows[r].set(c, rows[c][r]);
      rows[c].set(r, value);
    }
  }
#endif
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
