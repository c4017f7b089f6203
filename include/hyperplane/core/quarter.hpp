// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>

#include <bit>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// A float that is not larger than 2^22 is rounded to an integer, ties to even, when this is added to it. The sum's
/// bits then end with those of the integer.
inline constexpr float integer_shift = 0x1.8p23F;

/// The largest integer of a Quarter, and 1 as a fraction of it.
inline constexpr int largest_quarter = 127;
template <class Scalar>
inline constexpr Scalar quarter_unit = Scalar(1) / largest_quarter;

HYPERPLANE_FUNCTION inline std::int8_t float_to_quarter(float value) {
  float const shifted = value + integer_shift;
#if defined(__CUDA_ARCH__)
  auto const bits = __float_as_uint(shifted);
#else
  auto const bits = std::bit_cast<std::uint32_t>(shifted);
#endif
  return static_cast<std::int8_t>(bits & 0xffU);
}

}  // namespace detail

/// 8 bits, in which BILU(0) and SSOR can store L and d^-1 U, and incomplete factorizations of block CSR theirs: an
/// integer from -127 to 127, which scales of the rows and the columns of blocks make an entry of.
/// detail::TriangularFactors<Quarter> and detail::CsrIluFactors<Quarter> have them.
///
/// Rounded to nearest, ties to even; of what is larger than 127 nothing is left that makes sense.
struct Quarter {
  std::int8_t m_integer;

  Quarter() = default;
  HYPERPLANE_FUNCTION explicit Quarter(float value) : m_integer(detail::float_to_quarter(value)) {}
  HYPERPLANE_FUNCTION explicit Quarter(double value) : Quarter(static_cast<float>(value)) {}
  HYPERPLANE_FUNCTION explicit operator float() const { return static_cast<float>(m_integer); }
  HYPERPLANE_FUNCTION explicit operator double() const { return static_cast<double>(m_integer); }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
