// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/bfloat16.hpp>
#include <hyperplane/core/power_of_two.hpp>
#include <hyperplane/ilu/detail/csr_row_blocks.hpp>
#include <hyperplane/ilu/detail/csr_sweep_units.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// How the units are chosen that factors of a BlockCsr are stored in, and rows of A taken into them.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Keeps S of a row, of which there are as many blocks by rows: the largest entry of each equation is at least 1 and
/// less than 2 in units of the unknowns, where S is not bounded. So d^-1 is about as large as the equation is small
/// beside its diagonal.
template <int n, class Scales, class MatrixStorage>
KOKKOS_FUNCTION void choose_equation_units(const Scales& scales, std::int64_t row, const MatrixStorage* values,
                                           std::int64_t blocks) {
  if constexpr (Scales::exist) {
    // Those of a BFloat16, and of its reciprocal.
    constexpr int most = 120;
    double largest[std::size_t{n * n}] = {};
    for (std::int64_t b = 0; b < blocks; ++b) {
      for (int e = 0; e < n * n; ++e) {
        double const magnitude = Kokkos::abs(static_cast<double>(values[b * n * n + e]));
        largest[e] = magnitude > largest[e] ? magnitude : largest[e];
      }
    }
    for (int r = 0; r < n; ++r) {
      double of_equation = 0;
      for (int c = 0; c < n; ++c) {
        double const magnitude = largest[r * n + c] * scales.unknown(c);
        of_equation = magnitude > of_equation ? magnitude : of_equation;
      }
      int const exponent = of_equation > 0 ? double_exponent_bias - biased_exponent(of_equation) : 0;
      *scales.equation(row, r) = BFloat16(power_of_two(exponent > most ? most : exponent < -most ? -most : exponent));
    }
  }
}

/// Keeps S of all rows, before a factorization that does not do it by itself.
template <class MatrixRef, int n, class Scales>
struct ChooseCsrEquationUnits {
  MatrixRef m_a;
  Scales m_scales;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    auto const blocks = blocks_of_row(m_a, row);
    choose_equation_units<n>(m_scales, row, &m_a(blocks.begin, 0, 0), blocks.count());
  }
};

/// What the entries of a row of A are multiplied by: nothing where there are no units.
template <class Scalar, int n, class Scales>
class CsrRowUnits {
 public:
  static constexpr bool exist = Scales::exist;
  KOKKOS_FORCEINLINE_FUNCTION CsrRowUnits(const Scales& scales, std::int64_t row) : m_scales(scales) {
    if constexpr (Scales::exist) {
      for (int r = 0; r < n; ++r) m_equations[r] = static_cast<double>(*scales.equation(row, r));
    }
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION Scalar operator()(int r, int c, T value) const {
    if constexpr (Scales::exist) {
      return static_cast<Scalar>(static_cast<double>(value) * m_scales.unknown(c) * m_equations[r]);
    } else {
      return static_cast<Scalar>(value);
    }
  }
  /// Out of them.
  KOKKOS_FORCEINLINE_FUNCTION Scalar given(int r, int c, Scalar value) const {
    if constexpr (Scales::exist) {
      return static_cast<Scalar>(static_cast<double>(value) * m_scales.unknown_inverse(c) / m_equations[r]);
    } else {
      return value;
    }
  }

 private:
  const Scales& m_scales;
  double m_equations[std::size_t{Scales::exist ? n : 1}];
};

/// Rows of a BlockCsr, or only their diagonal blocks, for FactorUnits, which choose C by a sample of them.
template <class MatrixRef, int n>
struct CsrSample {
  MatrixRef m_a;
  std::int64_t m_rows;
  const std::int64_t* m_diagonal = nullptr;

  /// About.
  static constexpr double point_bytes = 8.0 * n * n * sizeof(double);

  struct Place {
    std::int64_t row;
    bool exists;
  };

  KOKKOS_FUNCTION std::int64_t packs() const { return m_rows; }
  KOKKOS_FUNCTION Place find(std::int64_t row, int /*lane*/) const { return {row, true}; }
  /// The largest magnitude in any block of the row of an entry, by columns. What is not finite does not count.
  KOKKOS_FUNCTION double largest(const Place& place, int e) const {
    double result = 0;
    auto const blocks = m_diagonal != nullptr ? CsrRowBlocks{m_diagonal[place.row], m_diagonal[place.row] + 1}
                                              : blocks_of_row(m_a, place.row);
    for (auto block = blocks.begin; block < blocks.end; ++block) {
      result = larger_if_finite(result, static_cast<double>(m_a(block, e % n, e / n)));
    }
    return result;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
