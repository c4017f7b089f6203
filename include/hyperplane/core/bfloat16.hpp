// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>

#include <bit>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

HYPERPLANE_FUNCTION inline float bfloat16_to_float(std::uint16_t bfloat16) {
  std::uint32_t const bits = std::uint32_t{bfloat16} << 16U;
#if defined(__CUDA_ARCH__)
  return __uint_as_float(bits);
#else
  return std::bit_cast<float>(bits);
#endif
}

HYPERPLANE_FUNCTION inline std::uint16_t float_to_bfloat16(float value) {
#if defined(__CUDA_ARCH__)
  std::uint32_t const bits = __float_as_uint(value);
#else
  auto const bits = std::bit_cast<std::uint32_t>(value);
#endif
  constexpr std::uint32_t infinity = 0x7f800000U, quiet = 0x400000U;
  bool const is_number = (bits & 0x7fffffffU) <= infinity;
  return static_cast<std::uint16_t>((is_number ? bits + 0x7fffU + (bits >> 16U & 1U) : bits | quiet) >> 16U);
}

}  // namespace detail

/// The upper half of a float, a type of factors that are stored, see StorageReal: 8 bits of mantissa, and float's
/// range.
///
/// Rounded to nearest, ties to even; a double becomes a float first, as with Half. What rounds to more than 3.3895e38
/// becomes infinite.
struct BFloat16 {
  std::uint16_t m_bits;

  BFloat16() = default;
  HYPERPLANE_FUNCTION explicit BFloat16(float value) : m_bits(detail::float_to_bfloat16(value)) {}
  HYPERPLANE_FUNCTION explicit BFloat16(double value) : BFloat16(static_cast<float>(value)) {}
  HYPERPLANE_FUNCTION explicit operator float() const { return detail::bfloat16_to_float(m_bits); }
  HYPERPLANE_FUNCTION explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
