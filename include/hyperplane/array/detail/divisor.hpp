// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A positive number that kernels divide by: for dividends below 2^31 with a multiplication and a shift, a tenth of the
/// instructions of a division. After T. Granlund, P. L. Montgomery, "Division by Invariant Integers using
/// Multiplication", 1994, https://doi.org/10.1145/178243.178249
class Divisor {
 public:
  /// Dividends below this are divided fast.
  static constexpr std::int64_t fast_end = std::int64_t{1} << 31;

  Divisor() = default;
  HYPERPLANE_FUNCTION explicit Divisor(int value) : m_value(static_cast<std::uint32_t>(value)) {
    while ((std::uint64_t{1} << m_shift) < m_value) ++m_shift;
    m_multiplier =
        static_cast<std::uint32_t>((((std::uint64_t{1} << m_shift) - m_value) << 32) / m_value + std::uint64_t{1});
  }

  /// The remainder; `number`, below fast_end, becomes the quotient.
  HYPERPLANE_FUNCTION int take(std::uint32_t& number) const {
    auto const high = static_cast<std::uint32_t>((std::uint64_t{number} * m_multiplier) >> 32);
    auto const quotient = (high + number) >> m_shift;
    auto const remainder = static_cast<int>(number - quotient * m_value);
    number = quotient;
    return remainder;
  }
  /// The same of any number.
  HYPERPLANE_FUNCTION int take(std::uint64_t& number) const {
    auto const quotient = number / m_value;
    auto const remainder = static_cast<int>(number - quotient * m_value);
    number = quotient;
    return remainder;
  }

 private:
  std::uint32_t m_value = 1;
  std::uint32_t m_multiplier = 1;
  int m_shift = 0;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
