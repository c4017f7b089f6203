// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/gemm.hpp>
#include <hyperplane/block/inverse_panels.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/block/pivot.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>

#include <Kokkos_Macros.hpp>

#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::block {

namespace detail {

/// Elimination of column r.
template <int n, class T, class Report>
KOKKOS_FORCEINLINE_FUNCTION void invert_step(Matrix<T, n>& a, Pivots<T, n>& pivots, int r, Report& report) {
  pivot_column<n>(a, pivots, r, report);
  T const reciprocal = T(1) / a(r, r);
  a(r, r) = T(1);
  HYPERPLANE_UNROLL
  for (int c = 0; c < n; ++c) a(r, c) *= reciprocal;
  for (int u = 0; u < n; ++u) {
    if (u == r) continue;
    T const factor = a(u, r);
    a(u, r) = T(0);
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) a(u, c) -= factor * a(r, c);
  }
}

/// Of the columns from r on, each with an r that the compiler knows: the block then stays in registers.
template <int n, int r, class T, class Report, class Work>
KOKKOS_FORCEINLINE_FUNCTION void invert_steps(Matrix<T, n>& a, Pivots<T, n>& pivots, Report& report, Work& work) {
  pivot_column<n>(a, pivots, r, report);
  T const reciprocal = T(1) / a(r, r);
  work();
  T factors[std::size_t{n}];
  HYPERPLANE_UNROLL
  for (int u = 0; u < n; ++u) {
    factors[u] = a(u, r);
    a(u, r) = T(0);
  }
  a(r, r) = T(1);
  HYPERPLANE_UNROLL
  for (int c = 0; c < n; ++c) {
    a(r, c) *= reciprocal;
    HYPERPLANE_UNROLL
    for (int u = 0; u < n; ++u) {
      if (u != r) a(u, c) -= factors[u] * a(r, c);
    }
  }
  if constexpr (r + 1 < n) invert_steps<n, r + 1>(a, pivots, report, work);
}

}  // namespace detail

/// A <- A^-1 in place by Gauss-Jordan elimination with partial pivoting; 2 n^3 flops.
///
/// T is a scalar or a Pack: of a Pack the lanes are inverted together, each with pivots of its own. Where a pivot is
/// zero or not finite, `report(mask, equation)` is called and the result is of no use: nothing is replaced. `work()` is
/// called n times between the eliminations, for what can be done while they are computed.
template <int n, class T, class Report, class Work = NoWork>
KOKKOS_FORCEINLINE_FUNCTION void invert(Matrix<T, n>& a, Report&& report, Work&& work = {}) {
  Pivots<T, n> pivots{};
  if constexpr (detail::is_tiled<T, n>) {
    detail::invert_panels<n>(a, pivots, report, work);
  } else if constexpr (n <= 6 && !std::is_floating_point_v<T>) {
    // The largest block of vectors that fits in the registers, or nearly.
    detail::invert_steps<n, 0>(a, pivots, report, work);
  } else {
    for (int r = 0; r < n; ++r) {
      detail::invert_step<n>(a, pivots, r, report);
      work();
    }
  }
  // The inverse of the row-exchanged matrix has its columns exchanged: undone in reverse order.
  for (int r = n - 1; r >= 0; --r) {
    if (!any(pivots.m_row[r] != T(r))) continue;
    for (int c = r + 1; c < n; ++c) {
      auto const here = pivots.m_row[r] == T(c);
      if (!any(here)) continue;
      for (int u = 0; u < n; ++u) swap_where(here, a(u, r), a(u, c));
    }
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::block
