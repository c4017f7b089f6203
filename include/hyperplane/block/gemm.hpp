// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/macros.hpp>
#include <hyperplane/block/matrix.hpp>

#include <Kokkos_Macros.hpp>

namespace hyperplane::block {

/// C -= A B, for n x n blocks; 2 n^3 flops. A and B are anything with (r, c); C may be written through C(r, c).
template <int n, class A, class B, class C>
KOKKOS_FORCEINLINE_FUNCTION void gemm_subtract(const A& a, const B& b, C& c) {
  using T = typename C::value_type;
  for (int column = 0; column < n; ++column) {
    // One column of C stays in registers while the columns of A pass by.
    T sum[n];
    HYPERPLANE_UNROLL
    for (int r = 0; r < n; ++r) sum[r] = c(r, column);
    for (int m = 0; m < n; ++m) {
      T const b_m = b(m, column);
      HYPERPLANE_UNROLL
      for (int r = 0; r < n; ++r) sum[r] -= a(r, m) * b_m;
    }
    HYPERPLANE_UNROLL
    for (int r = 0; r < n; ++r) c(r, column) = sum[r];
  }
}

/// C = A B; C is neither A nor B.
template <int n, class A, class B, class C>
KOKKOS_FORCEINLINE_FUNCTION void gemm(const A& a, const B& b, C& c) {
  using T = typename C::value_type;
  for (int column = 0; column < n; ++column) {
    T sum[n];
    T const b_0 = b(0, column);
    HYPERPLANE_UNROLL
    for (int r = 0; r < n; ++r) sum[r] = a(r, 0) * b_0;
    for (int m = 1; m < n; ++m) {
      T const b_m = b(m, column);
      HYPERPLANE_UNROLL
      for (int r = 0; r < n; ++r) sum[r] += a(r, m) * b_m;
    }
    HYPERPLANE_UNROLL
    for (int r = 0; r < n; ++r) c(r, column) = sum[r];
  }
}

}  // namespace hyperplane::block
