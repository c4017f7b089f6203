// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/columns.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/simd/transpose.hpp>

#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <cstddef>

/// Sums of products A x of single blocks that are stored by rows; or A^T x of blocks that are stored by columns.
namespace hyperplane::inline HYPERPLANE_ABI::block {

namespace detail {

#if defined(HYPERPLANE_VECTOR_EXTENSION)

/// A vector of the processor holds a row of A, and sums of products with x are added up at the end. With AVX-512, those
/// of up to 8 rows are in registers. More are in the nearest cache, where they cost little beside blocks of so many
/// values; taken in parts, blocks would be read in parts, in which processors see no stream.
template <class T, int n>
class RowSums {
  using Row = Column<T, n>;

 public:
  HYPERPLANE_FORCEINLINE_FUNCTION RowSums() {
    HYPERPLANE_UNROLL
    for (int r = 0; r < n; ++r) m_sums[r] = Row::of([](int) { return T(0); });
  }

  /// `has_more`: behind the block, and behind x, are values that may be read.
  template <bool block_has_more, bool x_has_more, class Storage>
  HYPERPLANE_FORCEINLINE_FUNCTION void add(const Storage* a, const T* x) {
    auto const values = load<x_has_more>(x);
    HYPERPLANE_UNROLL
    for (int r = 0; r < n; ++r) m_sums[r].add(load<block_has_more>(a + r * n), values);
  }

  /// take(r, total) for each row.
  template <class Take>
  HYPERPLANE_FORCEINLINE_FUNCTION void totals(const Take& take) const {
    if constexpr (n == 1) {
      take(0, m_sums[0][0]);
    } else {
      HYPERPLANE_UNROLL
      for (int first = 0; first < n; first += width) {
        auto const sums = totals_of(first);
        HYPERPLANE_UNROLL
        for (int r = 0; r < std::min(width, n - first); ++r) take(first + r, sums[r]);
      }
    }
  }

 private:
  static constexpr int width = Row::width;

  /// Of the rows from `first` on, as many as a vector has lanes: column after column, of several rows at a time, which
  /// is the order of a sum over a row.
  HYPERPLANE_FORCEINLINE_FUNCTION Pack<T, width> totals_of(int first) const {
    Pack<T, width> result;
    HYPERPLANE_UNROLL
    for (int part = 0; part < Row::parts; ++part) {
      Pack<T, width> columns[std::size_t{width}] = {};
      HYPERPLANE_UNROLL
      for (int r = 0; r < std::min(width, n - first); ++r) columns[r].m_native = m_sums[first + r].m_parts[part];
      transpose(columns);
      HYPERPLANE_UNROLL
      for (int c = 0; c < std::min(width, n - part * width); ++c) {
        result = part + c == 0 ? columns[c] : result + columns[c];
      }
    }
    return result;
  }

  template <bool has_more, class Storage>
  static HYPERPLANE_FORCEINLINE_FUNCTION Row load(const Storage* from) {
    if constexpr (has_more) {
      return Row::load(from);
    } else {
      return Row::of([&](int c) { return from[c]; });
    }
  }

  Row m_sums[std::size_t{n}];
};

#else

template <class T, int n>
class RowSums {
 public:
  KOKKOS_FORCEINLINE_FUNCTION RowSums() {
    for (int r = 0; r < n; ++r) m_sums[r] = T(0);
  }
  template <bool, bool, class Storage>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Storage* a, const T* x) {
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) m_sums[r] += static_cast<T>(a[r * n + c]) * x[c];
    }
  }
  template <class Take>
  KOKKOS_FORCEINLINE_FUNCTION void totals(const Take& take) const {
    for (int r = 0; r < n; ++r) take(r, m_sums[r]);
  }

 private:
  T m_sums[std::size_t{n}];
};

#endif

}  // namespace detail

/// `add_all(sums)` adds products to sums, by their function add; `take(r, total)` is called for each row.
template <class T, int n, class AddAll, class Take>
KOKKOS_FORCEINLINE_FUNCTION void sum_rows(const AddAll& add_all, const Take& take) {
  detail::RowSums<T, n> sums;
  add_all(sums);
  sums.totals(take);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::block
