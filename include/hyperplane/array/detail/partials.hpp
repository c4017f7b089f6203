// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

/// What reductions are made of. Nothing here needs Kokkos.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// `count` values that are reduced in one pass.
template <class T, int count_>
struct Partials {
  using value_type = T;
  static constexpr int count = count_;
  T m_values[std::size_t{count}];
};

/// The largest and the smallest value. (Constants: CUDA compilers take no functions of the host here.)
template <class T>
inline constexpr T highest =
    std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
template <class T>
inline constexpr T lowest =
    std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();

/// Numbers as integers in the same order, and back, with those that are not a number above or below all others: what
/// hosts find extrema of, because compilers vectorize those of integers, but not those that no NaN may get lost in.
/// Without a condition, for the same reason.
template <class T>
using OrderedInteger = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
template <bool not_a_number_above, class T>
OrderedInteger<T> to_ordered(T value) {
  using Integer = OrderedInteger<T>;
  constexpr Integer sign = std::numeric_limits<Integer>::min();
  constexpr int sign_place = std::numeric_limits<Integer>::digits;
  auto bits = std::bit_cast<Integer>(value);
  Integer const not_a_number = (std::bit_cast<Integer>(highest<T>) - (bits & ~sign)) >> sign_place;
  bits = not_a_number_above ? bits & ~(not_a_number & sign) : bits | (not_a_number & sign);
  return bits ^ ((bits >> sign_place) & ~sign);
}
template <class T>
T from_ordered(OrderedInteger<T> ordered) {
  using Integer = OrderedInteger<T>;
  return std::bit_cast<T>(ordered ^ (ordered < 0 ? std::numeric_limits<Integer>::max() : Integer{0}));
}

/// What a host joins instead of values.
struct RunningValues {
  template <class T>
  using Running = T;
  template <class T>
  static T to_running(T value) {
    return value;
  }
  template <class T>
  static T from_running(T running) {
    return running;
  }
};
template <bool not_a_number_above>
struct RunningExtrema {
  template <class T>
  using Running = typename std::conditional_t<std::is_floating_point_v<T>, std::type_identity<OrderedInteger<T>>,
                                              std::type_identity<T>>::type;
  template <class T>
  static Running<T> to_running(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      return to_ordered<not_a_number_above>(value);
    } else {
      return value;
    }
  }
  template <class T>
  static T from_running(Running<T> running) {
    if constexpr (std::is_floating_point_v<T>) {
      return from_ordered<T>(running);
    } else {
      return running;
    }
  }
};

struct SumJoin : RunningValues {
  template <class T>
  HYPERPLANE_FUNCTION static constexpr T identity() {
    return T(0);
  }
  template <class T>
  HYPERPLANE_FUNCTION static T join(T a, T b) {
    return a + b;
  }
};
/// Not a number if one of both is not.
struct MinJoin : RunningExtrema<false> {
  template <class T>
  HYPERPLANE_FUNCTION static constexpr T identity() {
    return highest<T>;
  }
  template <class T>
  HYPERPLANE_FUNCTION static T join(T a, T b) {
    return a <= b || a != a ? a : b;
  }
};
struct MaxJoin : RunningExtrema<true> {
  template <class T>
  HYPERPLANE_FUNCTION static constexpr T identity() {
    return lowest<T>;
  }
  template <class T>
  HYPERPLANE_FUNCTION static T join(T a, T b) {
    return a >= b || a != a ? a : b;
  }
};

/// Joins `values[index]` into `values[0]` for all indices of a row in which neighbours are `step` apart, as a binary
/// tree of a shape that its length alone decides: for sums, rounding errors grow with the logarithm of the length.
template <class Join, class T>
HYPERPLANE_FUNCTION void join_row(T* values, int length, int step = 1) {
  for (int distance = 1; distance < length; distance *= 2) {
    for (int e = 0; e + distance < length; e += 2 * distance) {
      values[e * step] = Join::join(values[e * step], values[(e + distance) * step]);
    }
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
