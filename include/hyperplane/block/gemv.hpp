// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>

#include <Kokkos_Macros.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::block {

/// y -= A x, for an n x n block; 2 n^2 flops. A is anything with A(r, c), x and y anything with operator[].
template <int n, class A, class X, class Y>
KOKKOS_FORCEINLINE_FUNCTION void gemv_subtract(const A& a, const X& x, Y& y) {
  HYPERPLANE_UNROLL
  for (int c = 0; c < n; ++c) {
    auto const x_c = x[c];
    HYPERPLANE_UNROLL
    for (int r = 0; r < n; ++r) y[r] -= a(r, c) * x_c;
  }
}

/// y += A x.
template <int n, class A, class X, class Y>
KOKKOS_FORCEINLINE_FUNCTION void gemv_add(const A& a, const X& x, Y& y) {
  HYPERPLANE_UNROLL
  for (int c = 0; c < n; ++c) {
    auto const x_c = x[c];
    HYPERPLANE_UNROLL
    for (int r = 0; r < n; ++r) y[r] += a(r, c) * x_c;
  }
}

/// y = A x; y is not x. Sums begin with zero, so that which products are fused with which sums is no choice of the
/// compiler's, and every kernel rounds alike.
template <int n, class A, class X, class Y>
KOKKOS_FORCEINLINE_FUNCTION void gemv(const A& a, const X& x, Y& y) {
  HYPERPLANE_UNROLL
  for (int r = 0; r < n; ++r) y[r] = 0;
  gemv_add<n>(a, x, y);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::block
