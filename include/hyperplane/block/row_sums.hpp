// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/columns.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/simd/pack.hpp>

#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <cstddef>

/// Sums of products A x of single blocks that are stored by rows; or A^T x of blocks that are stored by columns.
namespace hyperplane::inline HYPERPLANE_ABI::block {

namespace detail {

#if defined(HYPERPLANE_VECTOR_EXTENSION)

// With AVX-512, so many sums, and two vectors more, are in registers.
template <int n>
inline constexpr int rows_of_a_sum = std::min(n, 8);

/// Rows first, ..., first + rows - 1: a vector of the processor holds a row of A, and sums of products with x are added
/// up at the end.
template <class T, int n, int first, int rows>
class RowSums {
  using Row = Column<T, n>;

 public:
  HYPERPLANE_FORCEINLINE_FUNCTION RowSums() {
    HYPERPLANE_UNROLL
    for (int r = 0; r < rows; ++r) m_sums[r] = Row::of([](int) { return T(0); });
  }

  /// `has_more`: behind the block, and behind x, are values that may be read.
  template <bool block_has_more, bool x_has_more, class Storage>
  HYPERPLANE_FORCEINLINE_FUNCTION void add(const Storage* a, const T* x) {
    auto const values = load<x_has_more>(x);
    HYPERPLANE_UNROLL
    for (int r = 0; r < rows; ++r) m_sums[r].add(load<block_has_more>(a + (first + r) * n), values);
    // Processors see a stream in whole blocks that follow one another, and none in parts of them.
    if constexpr (first == 0) prefetch_rows<rows>(a);
  }

  HYPERPLANE_FORCEINLINE_FUNCTION T total(int r) const {
    T sum = m_sums[r][0];
    HYPERPLANE_UNROLL
    for (int c = 1; c < n; ++c) sum += m_sums[r][c];
    return sum;
  }

 private:
  /// Those from `begin` on, which are read when all blocks have been gone through.
  template <int begin, class Storage>
  static HYPERPLANE_FORCEINLINE_FUNCTION void prefetch_rows(const Storage* a) {
    constexpr int line = 64 / static_cast<int>(sizeof(Storage));
    HYPERPLANE_UNROLL
    for (int e = begin * n; e < n * n; e += line) hyperplane::prefetch(a + e);
  }
  template <bool has_more, class Storage>
  static HYPERPLANE_FORCEINLINE_FUNCTION Row load(const Storage* from) {
    if constexpr (has_more) {
      return Row::load(from);
    } else {
      return Row::of([&](int c) { return from[c]; });
    }
  }

  Row m_sums[std::size_t{rows}];
};

#else

template <int n>
inline constexpr int rows_of_a_sum = n;

/// Rows first, ..., first + rows - 1.
template <class T, int n, int first, int rows>
class RowSums {
 public:
  KOKKOS_FORCEINLINE_FUNCTION RowSums() {
    for (int r = 0; r < rows; ++r) m_sums[r] = T(0);
  }
  template <bool, bool, class Storage>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Storage* a, const T* x) {
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < n; ++c) m_sums[r] += static_cast<T>(a[(first + r) * n + c]) * x[c];
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION T total(int r) const { return m_sums[r]; }

 private:
  T m_sums[std::size_t{rows}];
};

#endif

}  // namespace detail

/// `add_all(sums)` adds products to sums, by their function add; `take(r, total)` is called for each row. Both are
/// called for some of the rows after the others, where not all sums fit the registers.
template <class T, int n, int first = 0, class AddAll, class Take>
KOKKOS_FORCEINLINE_FUNCTION void sum_rows(const AddAll& add_all, const Take& take) {
  constexpr int rows = detail::rows_of_a_sum<n> < n - first ? detail::rows_of_a_sum<n> : n - first;
  detail::RowSums<T, n, first, rows> sums;
  add_all(sums);
  HYPERPLANE_HOST_UNROLL
  for (int r = 0; r < rows; ++r) take(first + r, sums.total(r));
  if constexpr (first + rows < n) sum_rows<T, n, first + rows>(add_all, take);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::block
