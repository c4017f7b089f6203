// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/matrix.hpp>
#include <hyperplane/block/pivot.hpp>
#include <hyperplane/core/macros.hpp>

#include <Kokkos_Macros.hpp>

namespace hyperplane::block {

/// A <- A^-1 in place by Gauss-Jordan elimination with partial pivoting; 2 n^3 flops.
///
/// T is a scalar or a Pack: with packs the lanes are inverted together, each with pivots of its own. Where a pivot is
/// zero or not finite, `report(mask, equation)` is called and the result has no finite value: nothing is replaced.
template <int n, class T, class Report>
KOKKOS_FORCEINLINE_FUNCTION void invert(Matrix<T, n>& a, Report&& report) {
  Pivots<T, n> pivots{};
  for (int r = 0; r < n; ++r) {
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

}  // namespace hyperplane::block
