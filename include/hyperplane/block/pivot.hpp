// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/simd/pack.hpp>

#include <Kokkos_Core.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::block {

/// Row interchanges of a factorization with partial pivoting: step r exchanged rows r and m_row[r]. With Pack every
/// lane has interchanges of its own, so rows are kept as values of type T.
template <class T, int n>
struct Pivots {
  T m_row[std::size_t{n}];
};

/// Swaps x and y in the lanes of the mask.
template <class Mask, class T>
KOKKOS_FORCEINLINE_FUNCTION void swap_where(const Mask& mask, T& x, T& y) {
  T const old_x = x;
  x = select(mask, y, x);
  y = select(mask, old_x, y);
}

/// Exchanges rows r and `row` of whole blocks.
template <int n, class T>
KOKKOS_FORCEINLINE_FUNCTION void exchange_rows(Matrix<T, n>& a, const T& row, int r) {
  if (!any(row != T(r))) return;
  for (int u = r + 1; u < n; ++u) {
    auto const here = row == T(u);
    if (!any(here)) continue;
    for (int c = 0; c < n; ++c) swap_where(here, a(r, c), a(u, c));
  }
}

/// Of a pivot's magnitude: zero, infinity and NaN alike.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION auto is_singular(const T& magnitude) {
  return !((magnitude > T(0)) & (magnitude * T(0) == T(0)));
}

/// Brings the entry of largest magnitude of column r, rows r..n-1, to the diagonal by exchanging whole rows, and
/// calls `report(mask, r)` where the pivot found is zero or not finite. A NaN anywhere in the block reaches the
/// pivot of some equation, so that it is reported too.
template <int n, class T, class Report>
KOKKOS_FORCEINLINE_FUNCTION void pivot_column(Matrix<T, n>& a, Pivots<T, n>& pivots, int r, Report& report) {
  using Kokkos::abs;
  T largest = abs(a(r, r));
  T row = T(r);
  for (int u = r + 1; u < n; ++u) {
    T const candidate = abs(a(u, r));
    auto const better = candidate > largest;
    largest = select(better, candidate, largest);
    row = select(better, T(u), row);
  }
  pivots.m_row[r] = row;
  exchange_rows<n>(a, row, r);
  auto const singular = is_singular(largest);
  if (any(singular)) report(singular, r);
}

/// The inverse of the row-exchanged matrix has its columns exchanged: undone in reverse order.
template <int n, class T>
KOKKOS_FORCEINLINE_FUNCTION void undo_exchanges(Matrix<T, n>& inverse, const Pivots<T, n>& pivots) {
  for (int r = n - 1; r >= 0; --r) {
    if (!any(pivots.m_row[r] != T(r))) continue;
    for (int c = r + 1; c < n; ++c) {
      auto const here = pivots.m_row[r] == T(c);
      if (!any(here)) continue;
      for (int u = 0; u < n; ++u) swap_where(here, inverse(u, r), inverse(u, c));
    }
  }
}

#if defined(HYPERPLANE_VECTOR_EXTENSION)
namespace detail {

/// Interchanges of the lanes of a Pack, of which there are none in most blocks.
template <class T, int n>
struct PackPivots {
  Pivots<T, n> m_pivots;
  Vector<T, n> m_magnitude;
  bool m_exchanged = false;
};

/// Exchanges rows for pivot r in the lanes where another row has the larger entry. Blocks whose diagonal is large
/// enough come here for no lane at all.
template <int n, class T>
HYPERPLANE_APART_FUNCTION void exchange_for_pivot(Matrix<T, n>& a, Pivots<T, n>& pivots, int r) {
  auto const no_report = [](const auto&, int) {};  // the magnitudes are reported when all are known
  pivot_column<n>(a, pivots, r, no_report);
}

/// Brings the entry of largest magnitude of column r to the diagonal.
template <int n, class T>
HYPERPLANE_FORCEINLINE_FUNCTION void find_pivot(Matrix<T, n>& a, PackPivots<T, n>& pivots, int r) {
  T const diagonal = abs(a(r, r));
  T largest = diagonal;
  HYPERPLANE_UNROLL
  for (int u = r + 1; u < n; ++u) {
    T const candidate = abs(a(u, r));
    largest = select(candidate > largest, candidate, largest);
  }
  pivots.m_magnitude[r] = largest;
  pivots.m_pivots.m_row[r] = T(r);
  if (any(largest > diagonal)) [[unlikely]] {
    exchange_for_pivot<n>(a, pivots.m_pivots, r);
    pivots.m_exchanged = true;
  }
}

template <int n, class T>
HYPERPLANE_APART_FUNCTION void undo_exchanges(Matrix<T, n>& inverse, const PackPivots<T, n>& pivots) {
  block::undo_exchanges<n>(inverse, pivots.m_pivots);
}

}  // namespace detail
#endif

}  // namespace hyperplane::inline HYPERPLANE_ABI::block
