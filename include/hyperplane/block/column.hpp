// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/simd/native_vector.hpp>
#include <hyperplane/simd/vector_length.hpp>

#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>

#if defined(HYPERPLANE_VECTOR_EXTENSION)

/// Columns of single blocks, or rows, in vectors of the processor, on hosts.
namespace hyperplane::inline HYPERPLANE_ABI::block::detail {

/// A column of n values, or a row, as vectors.
template <class T, int n>
struct Column {
  static constexpr int width = std::min(static_cast<int>(std::bit_ceil(static_cast<unsigned>(n))),
                                        hyperplane::detail::host_vector_bytes / static_cast<int>(sizeof(T)));
  static constexpr int parts = (n + width - 1) / width;
  using Vector = hyperplane::detail::NativeVector<T, width>;

  Vector m_parts[std::size_t{parts}];

  /// With zeros behind the n values. They come from registers: a vector that is read from where its parts were just
  /// written has to wait.
  template <class Value>
  static HYPERPLANE_FORCEINLINE_FUNCTION Column of(const Value& value) {
    Column result;
    for_parts(
        [&]<int part>() { result.m_parts[part] = vector_of<part>(value, std::make_integer_sequence<int, width>()); });
    return result;
  }
  template <class Storage>
  static HYPERPLANE_FORCEINLINE_FUNCTION Column load(const Storage* from) {
    Column result;
    HYPERPLANE_UNROLL
    for (int part = 0; part < parts; ++part) {
      hyperplane::detail::NativeVector<Storage, width> values;
      std::memcpy(&values, from + part * width, sizeof values);
      result.m_parts[part] = hyperplane::detail::convert<T, Storage, width>(values);
    }
    return result;
  }
  template <class Storage>
  HYPERPLANE_FORCEINLINE_FUNCTION void store(Storage* to) const {
    for_parts([&]<int part>() {
      auto const values = hyperplane::detail::convert<Storage, T, width>(m_parts[part]);
      std::memcpy(to + part * width, &values, std::min(width, n - part * width) * sizeof(Storage));
    });
  }
  HYPERPLANE_FORCEINLINE_FUNCTION T operator[](int r) const { return m_parts[r / width][r % width]; }

  /// += or -= a times x.
  template <bool subtract>
  HYPERPLANE_FORCEINLINE_FUNCTION void add(const Column& a, T x) {
    HYPERPLANE_UNROLL
    for (int part = 0; part < parts; ++part) {
      if constexpr (subtract) {
        m_parts[part] -= a.m_parts[part] * x;
      } else {
        m_parts[part] += a.m_parts[part] * x;
      }
    }
  }

  HYPERPLANE_FORCEINLINE_FUNCTION void add(const Column& a, const Column& b) {
    HYPERPLANE_UNROLL
    for (int part = 0; part < parts; ++part) m_parts[part] += a.m_parts[part] * b.m_parts[part];
  }

 private:
  template <class Visit>
  static HYPERPLANE_FORCEINLINE_FUNCTION void for_parts(const Visit& visit) {
    [&]<int... part>(std::integer_sequence<int, part...>) {
      (visit.template operator()<part>(), ...);
    }(std::make_integer_sequence<int, parts>());
  }
  template <int part, class Value, int... lane>
  static HYPERPLANE_FORCEINLINE_FUNCTION Vector vector_of(const Value& value, std::integer_sequence<int, lane...>) {
    return Vector{
        (part * width + lane < n ? static_cast<T>(value(part * width + lane < n ? part * width + lane : 0)) : T(0))...};
  }
};

/// A scalar: compilers keep a vector of one lane in memory, where each sum waits for the one before to be written.
template <class T>
struct Column<T, 1> {
  static constexpr int width = 1;
  static constexpr int parts = 1;

  T m_parts[1];

  template <class Value>
  static HYPERPLANE_FORCEINLINE_FUNCTION Column of(const Value& value) {
    return {{static_cast<T>(value(0))}};
  }
  template <class Storage>
  static HYPERPLANE_FORCEINLINE_FUNCTION Column load(const Storage* from) {
    return {{static_cast<T>(*from)}};
  }
  template <class Storage>
  HYPERPLANE_FORCEINLINE_FUNCTION void store(Storage* to) const {
    *to = static_cast<Storage>(m_parts[0]);
  }
  HYPERPLANE_FORCEINLINE_FUNCTION T operator[](int /*r*/) const { return m_parts[0]; }

  template <bool subtract>
  HYPERPLANE_FORCEINLINE_FUNCTION void add(const Column& a, T x) {
    if constexpr (subtract) {
      m_parts[0] -= a.m_parts[0] * x;
    } else {
      m_parts[0] += a.m_parts[0] * x;
    }
  }
  HYPERPLANE_FORCEINLINE_FUNCTION void add(const Column& a, const Column& b) {
    m_parts[0] += a.m_parts[0] * b.m_parts[0];
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::block::detail

#endif
