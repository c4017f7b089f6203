// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/storage_real.hpp>

#include <limits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What is too large for Storage is infinite as a Scalar after multiplication with it; the largest value of Storage is
/// not, whatever the rounding.
template <class Storage, class Scalar>
inline constexpr Scalar storage_scale =
    std::numeric_limits<Scalar>::max() / static_cast<Scalar>(largest_finite<Storage>) *
    (1 - std::numeric_limits<Scalar>::epsilon());

/// Zero, or not a number where a value is not finite as a value of Storage: by two operations, or one where Storage is
/// what it is. So sums of it tell whether all values of a block can be stored. T is Scalar, or a Pack of it.
template <class Storage, class Scalar, class T>
HYPERPLANE_FORCEINLINE_FUNCTION T storage_excess(const T& value) {
  if constexpr (sizeof(Storage) < sizeof(Scalar)) {
    return value * T(storage_scale<Storage, Scalar>) * T(0);
  } else {
    return value * T(0);
  }
}

/// The sum of value(e), e < count, which is at least one: as four sums that do not wait for one another and stay in
/// registers, where there are many.
template <int count, class T, class Value>
HYPERPLANE_FORCEINLINE_FUNCTION T sum_apart(const Value& value) {
  T first = value(0);
  if constexpr (count >= 4) {
    T second = value(1), third = value(2), fourth = value(3);
    int e = 4;
    for (; e + 3 < count; e += 4) {
      first += value(e);
      second += value(e + 1);
      third += value(e + 2);
      fourth += value(e + 3);
    }
    for (; e < count; ++e) first += value(e);
    return (first + second) + (third + fourth);
  } else {
    for (int e = 1; e < count; ++e) first += value(e);
    return first;
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
