// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/half.hpp>
#include <hyperplane/core/quarter.hpp>

#include <cstdint>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::block {

/// An n x n block in registers or on the stack, column-major. T is a scalar or a Pack.
template <class T, int n>
struct Matrix {
  using value_type = T;
  T m_entries[std::size_t{n * n}];

  KOKKOS_FUNCTION T& operator()(int r, int c) { return m_entries[c * n + r]; }
  KOKKOS_FUNCTION const T& operator()(int r, int c) const { return m_entries[c * n + r]; }
};

/// n unknowns of one point. T is a scalar or a Pack.
template <class T, int n>
struct Vector {
  using value_type = T;
  T m_entries[std::size_t{n}];

  KOKKOS_FUNCTION T& operator[](int c) { return m_entries[c]; }
  KOKKOS_FUNCTION const T& operator[](int c) const { return m_entries[c]; }
};

/// The block of one lane in SIMD-interleaved storage, read as scalars of type T.
template <class T, class Storage, int n, int vector_length>
struct LaneMatrix {
  using value_type = T;
  const Storage* m_data;

  KOKKOS_FUNCTION T operator()(int r, int c) const { return static_cast<T>(m_data[(c * n + r) * vector_length]); }
};

/// The blocks of all lanes in SIMD-interleaved storage, read as registers; or of some of the `vector_length` lanes.
template <class PackType, class Storage, int n, int vector_length = PackType::lanes>
struct PackMatrix {
  using value_type = PackType;
  const Storage* m_data;

  KOKKOS_FUNCTION PackType operator()(int r, int c) const {
    return PackType::load(m_data + (c * n + r) * vector_length);
  }
};

/// A LaneMatrix of 8 bits: integers, which the scales of their rows and columns make entries of.
template <class T, int n, int vector_length>
struct QuarterLaneMatrix {
  using value_type = T;
  const Quarter* m_data;
  const Half* m_rows;
  const Half* m_columns;

  KOKKOS_FUNCTION T operator()(int r, int c) const { return static_cast<T>(m_data[(c * n + r) * vector_length]); }
  KOKKOS_FUNCTION T row_scale(int r) const { return static_cast<T>(m_rows[r * vector_length]); }
  KOKKOS_FUNCTION T column_scale(int c) const {
    return static_cast<T>(m_columns[c * vector_length]) * hyperplane::detail::quarter_unit<T>;
  }
};

/// A scalar or a Pack times a number that is one of both.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T scaled(const T& value, double factor) {
  if constexpr (std::is_floating_point_v<T>) {
    return value * static_cast<T>(factor);
  } else {
    return value * T(static_cast<typename T::value_type>(factor));
  }
}

/// Any of these blocks, whose entries are multiplied by numbers of their own.
template <class A, int n>
struct ScaledEntries {
  using value_type = typename A::value_type;
  A m_a;
  const double* m_factors;

  KOKKOS_FUNCTION value_type operator()(int r, int c) const { return scaled(m_a(r, c), m_factors[c * n + r]); }
};

/// In which order products read the entries of a block, as they are in memory.
enum class EntryOrder { forward, backward };

/// Which of n rows or columns is number k in this order.
template <int n>
KOKKOS_FORCEINLINE_FUNCTION constexpr int in_order(EntryOrder order, int k) {
  return order == EntryOrder::forward ? k : n - 1 - k;
}

/// A^T of any of these, read where A is. Backward is for code that reads its blocks from the last to the first.
template <class A, EntryOrder order = EntryOrder::forward>
struct TransposedBlock {
  using value_type = typename A::value_type;
  A m_a;

  KOKKOS_FUNCTION value_type operator()(int r, int c) const { return m_a(c, r); }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::block
