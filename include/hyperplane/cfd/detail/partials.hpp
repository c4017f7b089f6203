// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/macros.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

/// What reductions are made of. Nothing here needs Kokkos.
namespace hyperplane::detail {

/// `count` values that are reduced in one pass.
template <class T, int count_>
struct Partials {
  using value_type = T;
  static constexpr int count = count_;
  T m_values[count];
};

/// The largest and the smallest value. (Constants: CUDA compilers take no functions of the host here.)
template <class T>
inline constexpr T highest =
    std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
template <class T>
inline constexpr T lowest =
    std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();

struct SumJoin {
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
struct MinJoin {
  template <class T>
  HYPERPLANE_FUNCTION static constexpr T identity() {
    return highest<T>;
  }
  template <class T>
  HYPERPLANE_FUNCTION static T join(T a, T b) {
    return a <= b || a != a ? a : b;
  }
};
struct MaxJoin {
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

}  // namespace hyperplane::detail
