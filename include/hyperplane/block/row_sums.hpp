// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/columns.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>

#include <algorithm>
#include <cstddef>

#if defined(HYPERPLANE_VECTOR_EXTENSION)

namespace hyperplane::inline HYPERPLANE_ABI::block {

/// Rows first, ..., first + rows - 1 of a sum of products A x of blocks that are stored by rows, on hosts: a vector of
/// the processor holds a row of A, and sums of the products with x are added up at the end.
template <class T, int n, int first, int rows>
class RowSums {
  using Row = detail::Column<T, n>;

 public:
  /// Values behind a block and behind x that `add` reads, and that do not matter.
  static constexpr int overrun = Row::parts * Row::width - n;

  HYPERPLANE_FORCEINLINE_FUNCTION RowSums() {
    HYPERPLANE_UNROLL
    for (int r = 0; r < rows; ++r) m_sums[r] = Row::of([](int) { return T(0); });
  }

  template <class Storage>
  HYPERPLANE_FORCEINLINE_FUNCTION void add(const Storage* a, const T* x) {
    auto const values = Row::load(x);
    HYPERPLANE_UNROLL
    for (int r = 0; r < rows; ++r) m_sums[r].add(Row::load(a + (first + r) * n), values);
  }
  /// The same without reading more than there is.
  template <class Storage>
  HYPERPLANE_FORCEINLINE_FUNCTION void add_last(const Storage* a, const T* x) {
    auto const values = Row::of([&](int c) { return x[c]; });
    HYPERPLANE_UNROLL
    for (int r = 0; r < rows; ++r) m_sums[r].add(Row::of([&](int c) { return a[(first + r) * n + c]; }), values);
  }

  HYPERPLANE_FORCEINLINE_FUNCTION T total(int r) const {
    T sum = m_sums[r][0];
    HYPERPLANE_UNROLL
    for (int c = 1; c < n; ++c) sum += m_sums[r][c];
    return sum;
  }

 private:
  Row m_sums[std::size_t{rows}];
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::block

#endif
