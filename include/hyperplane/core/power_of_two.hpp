// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <hyperplane/core/abi.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

inline constexpr int double_exponent_bias = 1023, double_mantissa_bits = 52;

/// 2^exponent, where that is a normal number.
KOKKOS_FUNCTION inline double power_of_two(int exponent) {
  return Kokkos::bit_cast<double>(static_cast<std::uint64_t>(exponent + double_exponent_bias) << double_mantissa_bits);
}

/// The larger one of a number that is not negative and the magnitude of a value, where that is finite.
KOKKOS_FUNCTION inline double larger_if_finite(double largest, double value) {
  double const magnitude = Kokkos::abs(value);
  return magnitude > largest && magnitude * 0 == 0 ? magnitude : largest;
}

/// The exponent of a number that is not negative, with its bias: 0 where it is no normal number.
KOKKOS_FUNCTION inline int biased_exponent(double value) {
  return static_cast<int>(Kokkos::bit_cast<std::uint64_t>(value) >> double_mantissa_bits);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
