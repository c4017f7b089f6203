// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>

#include <bit>
#include <cstdint>

/// Host code that has x86's instructions for binary16.
#if defined(__F16C__) && defined(__x86_64__) && defined(__GNUC__) && !defined(__CUDACC__) && !defined(__HIPCC__)
#define HYPERPLANE_HALF_INTRINSICS
#include <immintrin.h>
#endif

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

inline constexpr std::uint32_t float_sign = 0x80000000U;
inline constexpr std::uint32_t float_infinity = 0x7f800000U;
inline constexpr int half_mantissa_shift = 13;
/// What the biases of the exponents differ by, in float's place.
inline constexpr std::uint32_t half_bias = (127U - 15U) << 23U;

#if !defined(__CUDA_ARCH__)
/// By integers, where there is no instruction: of normal numbers the exponent is shifted and biased anew, and sums of
/// floats do the rest for those that are not.
HYPERPLANE_FUNCTION inline float half_to_float_by_bits(std::uint16_t half) {
  constexpr std::uint32_t infinity = 0x7c00U << half_mantissa_shift;
  std::uint32_t bits = (half & 0x7fffU) << half_mantissa_shift;
  std::uint32_t const exponent = bits & infinity;
  bits += half_bias;
  if (exponent == infinity) bits += half_bias;
  if (exponent == 0) {
    constexpr std::uint32_t hidden = 1U << 23U;
    bits = std::bit_cast<std::uint32_t>(std::bit_cast<float>(bits + hidden) - std::bit_cast<float>(half_bias + hidden));
  }
  return std::bit_cast<float>(bits | (half & 0x8000U) << 16U);
}

HYPERPLANE_FUNCTION inline std::uint16_t float_to_half_by_bits(float value) {
  auto const given = std::bit_cast<std::uint32_t>(value);
  std::uint32_t bits = given & ~float_sign;
  std::uint32_t half = 0;
  if (bits >= (127U + 16U) << 23U) {  // too large, infinite, or not a number
    half = bits > float_infinity ? 0x7e00U : 0x7c00U;
  } else if (bits < half_bias + (1U << 23U)) {  // not normal as binary16: a sum shifts and rounds the mantissa
    constexpr std::uint32_t unit = half_bias + ((23U - 10U + 1U) << 23U);
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(bits) + std::bit_cast<float>(unit)) - unit;
  } else {
    std::uint32_t const odd = bits >> half_mantissa_shift & 1U;
    half = (bits - half_bias + 0xfffU + odd) >> half_mantissa_shift;
  }
  return static_cast<std::uint16_t>(half | (given & float_sign) >> 16U);
}
#endif

HYPERPLANE_FUNCTION inline float half_to_float(std::uint16_t half) {
#if defined(__CUDA_ARCH__)
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
  return value;
#elif defined(HYPERPLANE_HALF_INTRINSICS)
  return _cvtsh_ss(half);
#else
  return half_to_float_by_bits(half);
#endif
}

HYPERPLANE_FUNCTION inline std::uint16_t float_to_half(float value) {
#if defined(__CUDA_ARCH__)
  std::uint16_t half;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
  return half;
#elif defined(HYPERPLANE_HALF_INTRINSICS)
  return _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
#else
  return float_to_half_by_bits(value);
#endif
}

}  // namespace detail

/// IEEE 754 binary16, a type of factors that are stored, see StorageReal: 11 bits of mantissa, from 6e-8 (6e-5 with all
/// of its bits) to 65504.
///
/// Rounded to nearest, ties to even. A double becomes a float first: where that lies in the middle between two numbers
/// although the double does not, it may go the other way, by half a unit and 2^-14 of one at most. What is too large
/// becomes infinite.
struct Half {
  std::uint16_t m_bits;

  Half() = default;
  HYPERPLANE_FUNCTION explicit Half(float value) : m_bits(detail::float_to_half(value)) {}
  HYPERPLANE_FUNCTION explicit Half(double value) : Half(static_cast<float>(value)) {}
  HYPERPLANE_FUNCTION explicit operator float() const { return detail::half_to_float(m_bits); }
  HYPERPLANE_FUNCTION explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
