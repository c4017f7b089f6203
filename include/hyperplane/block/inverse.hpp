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

#if defined(HYPERPLANE_VECTOR_EXTENSION)
/// Of the columns from r on, each with an r that the compiler knows: the block then stays in registers.
template <int n, int r, class T, class Work>
HYPERPLANE_FORCEINLINE_FUNCTION void invert_steps(Matrix<T, n>& a, PackPivots<T, n>& pivots, Work& work) {
  find_pivot<n>(a, pivots, r);
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
  if constexpr (r + 1 < n) invert_steps<n, r + 1>(a, pivots, work);
}

/// A <- A^-1; returns the magnitudes of the pivots.
template <int n, class T, class Work>
HYPERPLANE_FORCEINLINE_FUNCTION Vector<T, n> invert_packs(Matrix<T, n>& a, Work& work) {
  PackPivots<T, n> pivots;
  if constexpr (is_tiled<T, n>) {
    invert_panels<n>(a, pivots, work);
  } else {
    invert_steps<n, 0>(a, pivots, work);
  }
  if (pivots.m_exchanged) undo_exchanges<n>(a, pivots);
  return pivots.m_magnitude;
}

/// The same, compiled once for all callers.
template <int n, class T, class Work>
HYPERPLANE_APART_FUNCTION Vector<T, n> invert_packs_apart(Matrix<T, n>& a, Work& work) {
  return invert_packs<n>(a, work);
}

template <int n, class T, class Report>
HYPERPLANE_FORCEINLINE_FUNCTION void report_singular(const Vector<T, n>& magnitudes, Report& report) {
  auto singular = is_singular(magnitudes[0]);
  for (int r = 1; r < n; ++r) singular = singular | is_singular(magnitudes[r]);
  if (!any(singular)) [[likely]]
    return;
  for (int r = 0; r < n; ++r) {
    auto const mask = is_singular(magnitudes[r]);
    if (any(mask)) report(mask, r);
  }
}
#endif

}  // namespace detail

/// A <- A^-1 in place by Gauss-Jordan elimination with partial pivoting; 2 n^3 flops.
///
/// T is a scalar or a Pack: of a Pack the lanes are inverted together, each with pivots of its own. Where a pivot is
/// zero or not finite, `report(mask, equation)` is called and the result is of no use: nothing is replaced. `work()` is
/// called n times between the eliminations, for what can be done while they are computed.
template <int n, class T, class Report, class Work = NoWork>
KOKKOS_FORCEINLINE_FUNCTION void invert(Matrix<T, n>& a, Report&& report, Work&& work = {}) {
#if defined(HYPERPLANE_VECTOR_EXTENSION)
  if constexpr (!std::is_floating_point_v<T>) {
    if constexpr (detail::is_apart<T, n>) {
      return detail::report_singular(detail::invert_packs_apart<n>(a, work), report);
    } else {
      return detail::report_singular(detail::invert_packs<n>(a, work), report);
    }
  }
#endif
  Pivots<T, n> pivots{};
  for (int r = 0; r < n; ++r) {
    detail::invert_step<n>(a, pivots, r, report);
    work();
  }
  undo_exchanges<n>(a, pivots);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::block
