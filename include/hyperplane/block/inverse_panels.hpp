// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/gemm.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/block/pivot.hpp>
#include <hyperplane/block/tile.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>

#if defined(HYPERPLANE_VECTOR_EXTENSION)
/// block::invert for blocks of Pack that do not fit in the registers of a host: in panels of a few columns. Each panel
/// is applied to the other columns at once, by sub-blocks, so that an entry is loaded and stored once for a panel
/// and not once for a pivot.
namespace hyperplane::inline HYPERPLANE_ABI::block::detail {

/// Eliminates columns first + q to first + width - 1 among themselves: the panel becomes that part of the inverse's
/// columns which its own pivots make.
template <int n, int width, int q, class T, class Work>
HYPERPLANE_FORCEINLINE_FUNCTION void eliminate_panel(Matrix<T, n>& a, PackPivots<T, n>& pivots, int first, Work& work) {
  int const r = first + q;
  find_pivot<n>(a, pivots, r);
  T const reciprocal = T(1) / a(r, r);
  work();
  T row[std::size_t{width}];
  HYPERPLANE_UNROLL
  for (int c = 0; c < width; ++c) row[c] = c == q ? reciprocal : a(r, first + c) * reciprocal;
  for (int u = 0; u < n; ++u) {
    T const factor = a(u, r);
    HYPERPLANE_UNROLL
    for (int c = 0; c < width; ++c) a(u, first + c) = (c == q ? T(0) : a(u, first + c)) - factor * row[c];
  }
  HYPERPLANE_UNROLL
  for (int c = 0; c < width; ++c) a(r, first + c) = row[c];
  if constexpr (q + 1 < width) eliminate_panel<n, width, q + 1>(a, pivots, first, work);
}

/// Applies a panel to the rows from `row` on of a sub-block of other columns: A(rows, columns) + panel(rows) *
/// panel_rows, where A is what the rows were, or zero where they are the panel's own.
template <int n, int width, int rows, int columns, class T>
HYPERPLANE_FORCEINLINE_FUNCTION void apply_to_tile(Matrix<T, n>& a,
                                                   const T (&panel_rows)[std::size_t{columns}][std::size_t{width}],
                                                   int first, int row, int column) {
  T sum[std::size_t{columns}][std::size_t{rows}];
  bool const own = row == first;
  HYPERPLANE_UNROLL
  for (int c = 0; c < columns; ++c) {
    HYPERPLANE_UNROLL
    for (int r = 0; r < rows; ++r) sum[c][r] = own ? T(0) : a(row + r, column + c);
  }
  NoWork no_work;
  gemm_tile<width, rows, columns, false>([&](int r, int m) { return a(r, first + m); },
                                         [&](int m, int c) { return panel_rows[c][m]; }, row, 0, sum, no_work);
  HYPERPLANE_UNROLL
  for (int c = 0; c < columns; ++c) {
    HYPERPLANE_UNROLL
    for (int r = 0; r < rows; ++r) a(row + r, column + c) = sum[c][r];
  }
}

template <int n, int width, int columns, class T>
HYPERPLANE_FORCEINLINE_FUNCTION void apply_to_columns(Matrix<T, n>& a, int first, int column) {
  constexpr int rows = Tile<T, n>::rows;
  T panel_rows[std::size_t{columns}][std::size_t{width}];
  HYPERPLANE_UNROLL
  for (int c = 0; c < columns; ++c) {
    HYPERPLANE_UNROLL
    for (int r = 0; r < width; ++r) panel_rows[c][r] = a(first + r, column + c);
  }
  for (int row = 0; row + rows <= n; row += rows) {
    apply_to_tile<n, width, rows, columns>(a, panel_rows, first, row, column);
  }
  if constexpr (n % rows != 0) {
    apply_to_tile<n, width, n % rows, columns>(a, panel_rows, first, n - n % rows, column);
  }
}

template <int n, int width, class T, class Work>
HYPERPLANE_FORCEINLINE_FUNCTION void invert_panel(Matrix<T, n>& a, PackPivots<T, n>& pivots, int first, Work& work) {
  constexpr int columns = Tile<T, n>::columns;
  eliminate_panel<n, width, 0>(a, pivots, first, work);
  for (int column = 0; column + columns <= n; column += columns) {
    if (column != first) apply_to_columns<n, width, columns>(a, first, column);
  }
  if constexpr (n % columns != 0) {
    if (first != n - n % columns) apply_to_columns<n, width, n % columns>(a, first, n - n % columns);
  }
}

/// The same pivots as without panels; other roundings.
template <int n, class T, class Work>
HYPERPLANE_FORCEINLINE_FUNCTION void invert_panels(Matrix<T, n>& a, PackPivots<T, n>& pivots, Work& work) {
  constexpr int width = Tile<T, n>::columns;
  for (int first = 0; first + width <= n; first += width) invert_panel<n, width>(a, pivots, first, work);
  if constexpr (n % width != 0) invert_panel<n, n % width>(a, pivots, n - n % width, work);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::block::detail
#endif
