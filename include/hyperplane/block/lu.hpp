// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/matrix.hpp>
#include <hyperplane/block/pivot.hpp>
#include <hyperplane/block/trsm.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>

#include <Kokkos_Macros.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::block {

/// P A = L U in place, with partial pivoting and unit diagonal of L; 2/3 n^3 flops. T is a scalar or a Pack.
/// Where a pivot is zero or not finite, `report(mask, equation)` is called and nothing is replaced.
template <int n, class T, class Report>
KOKKOS_FORCEINLINE_FUNCTION void lu_factor(Matrix<T, n>& a, Pivots<T, n>& pivots, Report&& report) {
  for (int r = 0; r < n; ++r) {
    pivot_column<n>(a, pivots, r, report);
    T const reciprocal = T(1) / a(r, r);
    for (int u = r + 1; u < n; ++u) {
      T const factor = a(u, r) * reciprocal;
      a(u, r) = factor;
      for (int c = r + 1; c < n; ++c) a(u, c) -= factor * a(r, c);
    }
  }
}

/// B <- A^-1 B for an n x m right-hand side B(r, c), from lu_factor's result; 2 n^2 m flops.
template <int n, int m, class T, class B>
KOKKOS_FORCEINLINE_FUNCTION void lu_solve(const Matrix<T, n>& lu, const Pivots<T, n>& pivots, B& b) {
  for (int r = 0; r < n; ++r) {
    for (int u = r + 1; u < n; ++u) {
      auto const here = pivots.m_row[r] == T(u);
      if (!any(here)) continue;
      for (int c = 0; c < m; ++c) swap_where(here, b(r, c), b(u, c));
    }
  }
  trsm_lower_unit<n, m>(lu, b);
  trsm_upper<n, m>(lu, b);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::block
