// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>
#include <hyperplane/core/abi.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::block {

/// B <- L^-1 B for an n x m block B; L is the strict lower triangle of `l` with a unit diagonal. n^2 m flops.
template <int n, int m, class L, class B>
KOKKOS_FORCEINLINE_FUNCTION void trsm_lower_unit(const L& l, B& b) {
  for (int r = 0; r < n; ++r) {
    for (int u = r + 1; u < n; ++u) {
      auto const factor = l(u, r);
      for (int c = 0; c < m; ++c) b(u, c) -= factor * b(r, c);
    }
  }
}

/// B <- U^-1 B for an n x m block B; U is the upper triangle of `u` with its diagonal. n^2 m flops.
template <int n, int m, class U, class B>
KOKKOS_FORCEINLINE_FUNCTION void trsm_upper(const U& u, B& b) {
  using T = typename U::value_type;
  for (int r = n - 1; r >= 0; --r) {
    T const reciprocal = T(1) / u(r, r);
    for (int c = 0; c < m; ++c) b(r, c) *= reciprocal;
    for (int v = 0; v < r; ++v) {
      T const factor = u(v, r);
      for (int c = 0; c < m; ++c) b(v, c) -= factor * b(r, c);
    }
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::block
