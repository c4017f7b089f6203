// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/simd/native_vector.hpp>

#include <Kokkos_Macros.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::block {

namespace detail {

/// Columns up to which all of a product is unrolled: x is in registers then. Of larger blocks of packs a column is, for
/// code that is compiled in a fraction of the time and as fast.
#if defined(HYPERPLANE_VECTOR_EXTENSION)
inline constexpr int most_unrolled_columns = 8;
#else
inline constexpr int most_unrolled_columns = 16;
#endif

/// y -= or += column c of A times x(c).
template <int n, bool subtract, class A, class X, class Y>
KOKKOS_FORCEINLINE_FUNCTION void gemv_column(const A& a, const X& x, int c, Y& y) {
  auto const x_c = x[c];
  HYPERPLANE_UNROLL
  for (int r = 0; r < n; ++r) {
    if constexpr (subtract) {
      y[r] -= a(r, c) * x_c;
    } else {
      y[r] += a(r, c) * x_c;
    }
  }
}

template <int n, bool subtract, class A, class X, class Y>
KOKKOS_FORCEINLINE_FUNCTION void gemv_columns(const A& a, const X& x, Y& y) {
  if constexpr (n <= most_unrolled_columns) {
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) gemv_column<n, subtract>(a, x, c, y);
  } else {
    for (int c = 0; c < n; ++c) gemv_column<n, subtract>(a, x, c, y);
  }
}

/// y(r) -= or += row r of A^T times x.
template <int n, bool subtract, class A, EntryOrder order, class X, class Y>
KOKKOS_FORCEINLINE_FUNCTION void gemv_row(const TransposedBlock<A, order>& a, const X& x, int r, Y& y) {
  auto sum = y[r];
  HYPERPLANE_UNROLL
  for (int k = 0; k < n; ++k) {
    int const c = in_order<n>(order, k);
    if constexpr (subtract) {
      sum -= a(r, c) * x[c];
    } else {
      sum += a(r, c) * x[c];
    }
  }
  y[r] = sum;
}

/// Of A^T entry by entry of y: a column of A after the other, as they are in memory. Forward, terms have the order that
/// columns of A^T would give them.
template <int n, bool subtract, class A, EntryOrder order, class X, class Y>
KOKKOS_FORCEINLINE_FUNCTION void gemv_columns(const TransposedBlock<A, order>& a, const X& x, Y& y) {
  if constexpr (n <= most_unrolled_columns) {
    HYPERPLANE_UNROLL
    for (int k = 0; k < n; ++k) gemv_row<n, subtract>(a, x, in_order<n>(order, k), y);
  } else {
    for (int k = 0; k < n; ++k) gemv_row<n, subtract>(a, x, in_order<n>(order, k), y);
  }
}

}  // namespace detail

/// y -= A x, for an n x n block; 2 n^2 flops. A is anything with A(r, c), x and y anything with operator[].
template <int n, class A, class X, class Y>
KOKKOS_FORCEINLINE_FUNCTION void gemv_subtract(const A& a, const X& x, Y& y) {
  detail::gemv_columns<n, true>(a, x, y);
}

/// y += A x.
template <int n, class A, class X, class Y>
KOKKOS_FORCEINLINE_FUNCTION void gemv_add(const A& a, const X& x, Y& y) {
  detail::gemv_columns<n, false>(a, x, y);
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
