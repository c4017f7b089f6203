// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/matrix.hpp>
#include <hyperplane/block/tile.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>

#include <Kokkos_Macros.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::block {

/// Nothing to be done beside a product or an inverse.
struct NoWork {
  KOKKOS_FORCEINLINE_FUNCTION void operator()() const {}
};

/// How often a product of n x n blocks of T calls its `work`.
template <class T, int n>
inline constexpr int gemm_work_calls =
    n * ((n + Tile<T, n>::rows - 1) / Tile<T, n>::rows) * ((n + Tile<T, n>::columns - 1) / Tile<T, n>::columns);

namespace detail {

/// sum(c, r) += sign * A(row + r, 0..inner-1) B(0..inner-1, column + c): a sub-block of the result stays in registers
/// while a column of A and a row of B after the other pass by, each value being used for a whole row or column of the
/// sub-block.
template <int inner, int rows, int columns, bool subtract, class T, class A, class B, class Work>
KOKKOS_FORCEINLINE_FUNCTION void gemm_tile(const A& a, const B& b, int row, int column,
                                           T (&sum)[std::size_t{columns}][std::size_t{rows}], Work& work) {
  for (int m = 0; m < inner; ++m) {
    T b_m[std::size_t{columns}];
    HYPERPLANE_UNROLL
    for (int c = 0; c < columns; ++c) b_m[c] = b(m, column + c);
    HYPERPLANE_UNROLL
    for (int r = 0; r < rows; ++r) {
      T const a_rm = a(row + r, m);
      HYPERPLANE_UNROLL
      for (int c = 0; c < columns; ++c) {
        if constexpr (subtract) {
          sum[c][r] -= a_rm * b_m[c];
        } else {
          sum[c][r] += a_rm * b_m[c];
        }
      }
    }
    work();
  }
}

/// Rows from `row` and columns from `column` on of C = from +- A B.
template <int n, int rows, int columns, bool subtract, class From, class A, class B, class C, class Work>
KOKKOS_FORCEINLINE_FUNCTION void gemm_step(const From& from, const A& a, const B& b, C& c, int row, int column,
                                           Work& work) {
  typename C::value_type sum[std::size_t{columns}][std::size_t{rows}];
  HYPERPLANE_UNROLL
  for (int i = 0; i < columns; ++i) {
    HYPERPLANE_UNROLL
    for (int r = 0; r < rows; ++r) sum[i][r] = from(row + r, column + i);
  }
  gemm_tile<n, rows, columns, subtract>(a, b, row, column, sum, work);
  HYPERPLANE_UNROLL
  for (int i = 0; i < columns; ++i) {
    HYPERPLANE_UNROLL
    for (int r = 0; r < rows; ++r) c(row + r, column + i) = sum[i][r];
  }
}

template <int n, int columns, bool subtract, class From, class A, class B, class C, class Work>
KOKKOS_FORCEINLINE_FUNCTION void gemm_strip(const From& from, const A& a, const B& b, C& c, int column, Work& work) {
  constexpr int rows = Tile<typename C::value_type, n>::rows;
  for (int row = 0; row + rows <= n; row += rows) {
    gemm_step<n, rows, columns, subtract>(from, a, b, c, row, column, work);
  }
  if constexpr (n % rows != 0) {
    gemm_step<n, n % rows, columns, subtract>(from, a, b, c, n - n % rows, column, work);
  }
}

template <int n, bool subtract, class From, class A, class B, class C, class Work>
KOKKOS_FORCEINLINE_FUNCTION void gemm_all(const From& from, const A& a, const B& b, C& c, Work& work) {
  constexpr int columns = Tile<typename C::value_type, n>::columns;
  for (int column = 0; column + columns <= n; column += columns) {
    gemm_strip<n, columns, subtract>(from, a, b, c, column, work);
  }
  if constexpr (n % columns != 0) {
    gemm_strip<n, n % columns, subtract>(from, a, b, c, n - n % columns, work);
  }
}

/// The same, compiled once for all callers with these operands.
template <int n, bool subtract, class From, class A, class B, class C, class Work>
HYPERPLANE_APART_FUNCTION void gemm_apart(const From& from, const A& a, const B& b, C& c, Work& work) {
  gemm_all<n, subtract>(from, a, b, c, work);
}

template <int n, bool subtract, class From, class A, class B, class C, class Work>
KOKKOS_FORCEINLINE_FUNCTION void gemm_sum(const From& from, const A& a, const B& b, C& c, Work& work) {
  if constexpr (is_apart<typename C::value_type, n>) {
    gemm_apart<n, subtract>(from, a, b, c, work);
  } else {
    gemm_all<n, subtract>(from, a, b, c, work);
  }
}

template <class T>
struct Zeros {
  KOKKOS_FORCEINLINE_FUNCTION T operator()(int, int) const { return T(0); }
};

}  // namespace detail

/// C -= A B, for n x n blocks; 2 n^3 flops. A and B are anything with (r, c); C is a Matrix other than A and B.
template <int n, class A, class B, class C>
KOKKOS_FORCEINLINE_FUNCTION void gemm_subtract(const A& a, const B& b, C& c) {
  NoWork no_work;
  detail::gemm_sum<n, true>(c, a, b, c, no_work);
}

/// C = from - A B; C may be `from`, but neither A nor B. `work()` is called gemm_work_calls times between the products,
/// for what can be done while they are computed.
template <int n, class From, class A, class B, class C, class Work>
KOKKOS_FORCEINLINE_FUNCTION void gemm_subtract_from(const From& from, const A& a, const B& b, C& c, Work&& work) {
  detail::gemm_sum<n, true>(from, a, b, c, work);
}

/// C = A B; C is neither A nor B. `work` as above.
template <int n, class A, class B, class C, class Work = NoWork>
KOKKOS_FORCEINLINE_FUNCTION void gemm(const A& a, const B& b, C& c, Work&& work = {}) {
  detail::gemm_sum<n, false>(detail::Zeros<typename C::value_type>(), a, b, c, work);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::block
