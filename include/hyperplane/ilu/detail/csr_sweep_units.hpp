// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>

#include <cstddef>
#include <cstdint>

/// The units that factors of a BlockCsr are stored in, see FactorScales: S is that of a row. The rows of A are taken
/// into them as they are read, and what is computed of them then is in these units: S L C, C^-1 d^-1 S^-1 and C^-1
/// (d^-1 U) C. Vectors in memory are in those of the matrix.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Entry (r, c) of a row of A, in its units, where there are some.
template <class Scalar, class Scales, class T>
HYPERPLANE_FORCEINLINE_FUNCTION Scalar csr_in_units([[maybe_unused]] const Scales& scales,
                                                    [[maybe_unused]] std::int64_t row, [[maybe_unused]] int r,
                                                    [[maybe_unused]] int c, T value) {
  if constexpr (Scales::exist) {
    return static_cast<Scalar>(static_cast<double>(value) * scales.unknown(c) *
                               static_cast<double>(*scales.equation(row, r)));
  } else {
    return static_cast<Scalar>(value);
  }
}

/// Of the vectors of a sweep: forward, with the diagonal, and backward, or `transposed` the other way round. With M^T
/// right-hand sides have the units of unknowns, and solutions those of equations.
template <bool transposed, bool with_diagonal, class Scalar, int n, class Scales>
struct CsrSweepUnits {
  static constexpr bool exist = Scales::exist;
  Scales m_scales;

  /// An unknown of what a sweep is given, into its units.
  template <class T>
  HYPERPLANE_FORCEINLINE_FUNCTION T given([[maybe_unused]] std::int64_t row, [[maybe_unused]] int c,
                                          const T& value) const {
    if constexpr (!exist) {
      return value;
    } else if constexpr (transposed) {
      return value * unknown(c);
    } else if constexpr (with_diagonal) {
      return value * static_cast<Scalar>(*m_scales.equation(row, c));
    } else {
      return value * unknown_inverse(c);
    }
  }
  /// The way back, for what is subtracted from an unknown before it is given.
  template <class T>
  HYPERPLANE_FORCEINLINE_FUNCTION T not_given([[maybe_unused]] int c, const T& value) const
    requires transposed
  {
    if constexpr (exist) {
      return value * unknown_inverse(c);
    } else {
      return value;
    }
  }
  /// What it has computed, into them.
  template <class T>
  HYPERPLANE_FORCEINLINE_FUNCTION T solved([[maybe_unused]] std::int64_t row, [[maybe_unused]] int c,
                                           const T& value) const {
    if constexpr (!exist) {
      return value;
    } else if constexpr (!transposed) {
      return value * unknown_inverse(c);
    } else if constexpr (with_diagonal) {
      return value * (1 / static_cast<Scalar>(*m_scales.equation(row, c)));
    } else {
      return value * unknown(c);
    }
  }
  /// The same out of them.
  template <class T>
  HYPERPLANE_FORCEINLINE_FUNCTION T result([[maybe_unused]] std::int64_t row, [[maybe_unused]] int c,
                                           const T& value) const {
    if constexpr (!exist) {
      return value;
    } else if constexpr (!transposed) {
      return value * unknown(c);
    } else if constexpr (with_diagonal) {
      return value * static_cast<Scalar>(*m_scales.equation(row, c));
    } else {
      return value * unknown_inverse(c);
    }
  }

  /// The same for all unknowns of a point, of which a block can be multiplied with what is returned.
  HYPERPLANE_FORCEINLINE_FUNCTION auto point_given(std::int64_t row, const Scalar* values) const {
    return point(values, [&](int c) { return given(row, c, values[c]); });
  }
  HYPERPLANE_FORCEINLINE_FUNCTION auto point_solved(std::int64_t row, const Scalar* values) const {
    return point(values, [&](int c) { return solved(row, c, values[c]); });
  }
  template <class Sum>
  HYPERPLANE_FORCEINLINE_FUNCTION void store(const Sum& sum, std::int64_t row, Scalar* to) const {
    if constexpr (exist) {
      Scalar values[std::size_t{n}];
      sum.store(values);
      for (int c = 0; c < n; ++c) to[c] = result(row, c, values[c]);
    } else {
      sum.store(to);
    }
  }

 private:
  struct Point {
    Scalar m_values[std::size_t{n}];
    // NOLINTNEXTLINE(google-explicit-constructor): where there are no units, this is a pointer
    HYPERPLANE_FORCEINLINE_FUNCTION operator const Scalar*() const { return m_values; }
  };

  HYPERPLANE_FORCEINLINE_FUNCTION Scalar unknown(int c) const { return static_cast<Scalar>(m_scales.unknown(c)); }
  HYPERPLANE_FORCEINLINE_FUNCTION Scalar unknown_inverse(int c) const {
    return static_cast<Scalar>(m_scales.unknown_inverse(c));
  }
  template <class Value>
  HYPERPLANE_FORCEINLINE_FUNCTION static auto point([[maybe_unused]] const Scalar* values,
                                                    [[maybe_unused]] const Value& value) {
    if constexpr (exist) {
      Point result;
      for (int c = 0; c < n; ++c) result.m_values[c] = value(c);
      return result;
    } else {
      return values;
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
