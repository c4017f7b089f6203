// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

/// Norms of blocks on the host.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// See frobenius_norm().
template <class Scalar>
Scalar norm_of_several(const Scalar* values, std::size_t count, Scalar factor) {
  // Squares of larger values overflow, those of smaller ones lose digits.
  constexpr Scalar least = std::numeric_limits<Scalar>::min() / std::numeric_limits<Scalar>::epsilon();
  Scalar squares(0);
  for (std::size_t e = 0; e < count; ++e) squares += values[e] * values[e];
  if (squares >= least && squares <= std::numeric_limits<Scalar>::max()) return factor * std::sqrt(squares);
  Scalar largest(0);
  for (std::size_t e = 0; e < count; ++e) largest = std::max(largest, std::abs(values[e]));
  if (largest == Scalar(0)) return largest;
  squares = Scalar(0);
  for (std::size_t e = 0; e < count; ++e) squares += (values[e] / largest) * (values[e] / largest);
  return factor * largest * std::sqrt(squares);
}

/// The root of the sum of the squares of `count` values, which are finite; times a factor, with which it may be finite
/// where it is not without.
template <class Scalar>
Scalar frobenius_norm(const Scalar* values, std::size_t count, Scalar factor = Scalar(1)) {
  return count == 1 ? factor * std::abs(*values) : norm_of_several(values, count, factor);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
