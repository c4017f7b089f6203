// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/macros.hpp>

#include <Kokkos_Macros.hpp>

namespace hyperplane::block {

namespace detail {

/// sum(r, 0..columns-1) += sign * A B(:, first..first+columns-1): the columns of the result stay in registers while
/// those of A pass by, each value of A being used for all of them.
template <int n, int columns, bool subtract, class T, class A, class B>
KOKKOS_FORCEINLINE_FUNCTION void gemm_columns(const A& a, const B& b, int first, T (&sum)[columns][n]) {
  for (int m = 0; m < n; ++m) {
    T b_m[columns];
    HYPERPLANE_UNROLL
    for (int column = 0; column < columns; ++column) b_m[column] = b(m, first + column);
    HYPERPLANE_UNROLL
    for (int r = 0; r < n; ++r) {
      T const a_rm = a(r, m);
      HYPERPLANE_UNROLL
      for (int column = 0; column < columns; ++column) {
        if constexpr (subtract) {
          sum[column][r] -= a_rm * b_m[column];
        } else {
          sum[column][r] += a_rm * b_m[column];
        }
      }
    }
  }
}

template <int n, int columns, bool subtract, bool accumulate, class A, class B, class C>
KOKKOS_FORCEINLINE_FUNCTION void gemm_step(const A& a, const B& b, C& c, int first) {
  using T = typename C::value_type;
  T sum[columns][n];
  HYPERPLANE_UNROLL
  for (int column = 0; column < columns; ++column) {
    HYPERPLANE_UNROLL
    for (int r = 0; r < n; ++r) sum[column][r] = accumulate ? c(r, first + column) : T(0);
  }
  gemm_columns<n, columns, subtract>(a, b, first, sum);
  HYPERPLANE_UNROLL
  for (int column = 0; column < columns; ++column) {
    HYPERPLANE_UNROLL
    for (int r = 0; r < n; ++r) c(r, first + column) = sum[column][r];
  }
}

template <int n, bool subtract, bool accumulate, class A, class B, class C>
KOKKOS_FORCEINLINE_FUNCTION void gemm_all(const A& a, const B& b, C& c) {
  // Two columns of up to eight rows, and a value of A and two of B, fit in the registers of every target.
  constexpr int columns = n >= 2 && n <= 8 ? 2 : 1;
  for (int first = 0; first + columns <= n; first += columns) {
    gemm_step<n, columns, subtract, accumulate>(a, b, c, first);
  }
  if constexpr (n % columns != 0) gemm_step<n, 1, subtract, accumulate>(a, b, c, n - 1);
}

}  // namespace detail

/// C -= A B, for n x n blocks; 2 n^3 flops. A and B are anything with (r, c); C is a Matrix other than A and B.
template <int n, class A, class B, class C>
KOKKOS_FORCEINLINE_FUNCTION void gemm_subtract(const A& a, const B& b, C& c) {
  detail::gemm_all<n, true, true>(a, b, c);
}

/// C = A B; C is neither A nor B.
template <int n, class A, class B, class C>
KOKKOS_FORCEINLINE_FUNCTION void gemm(const A& a, const B& b, C& c) {
  detail::gemm_all<n, false, false>(a, b, c);
}

}  // namespace hyperplane::block
