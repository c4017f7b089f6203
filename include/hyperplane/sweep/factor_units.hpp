// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/power_of_two.hpp>
#include <hyperplane/simd/interleaved_view.hpp>
#include <hyperplane/sweep/detail/typical_exponents.hpp>
#include <hyperplane/sweep/factor_scales.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// All units are 1: of one thread.
template <class Scales, int n>
struct ResetUnits {
  Scales m_scales;
  KOKKOS_FUNCTION void operator()(int) const {
    for (int c = 0; c < n; ++c) m_scales.unknown(c) = 1;
    m_scales.complete();
  }
};

/// C for blocks whose entries have these exponents, such that with some R the largest entry of every row and every
/// column of R A C is near 1: D. Ruiz, "A scaling algorithm to equilibrate both rows and columns norms in matrices",
/// RAL-TR-2001-034, whose iteration halves the logarithms of what is left. R is not used: each point has an S.
template <class Scalar, int n, class Scales>
struct ChooseUnits {
  static constexpr int iterations = 40;
  /// So that products with entries of A are numbers of Scalar.
  static constexpr double most = sizeof(Scalar) == sizeof(float) ? 60 : 500;

  const std::int16_t* m_exponents;
  Scales m_scales;

  KOKKOS_FUNCTION void operator()(int) const {
    double rows[std::size_t{n}] = {}, columns[std::size_t{n}] = {};
    for (int iteration = 0; iteration < iterations; ++iteration) {
      double row_steps[std::size_t{n}], column_steps[std::size_t{n}];
      for (int k = 0; k < n; ++k) {
        row_steps[k] = step([&](int c) { return left(rows, columns, k, c); });
        column_steps[k] = step([&](int r) { return left(rows, columns, r, k); });
      }
      for (int k = 0; k < n; ++k) {
        rows[k] -= row_steps[k];
        columns[k] -= column_steps[k];
      }
    }
    // Only what they differ by matters.
    for (int c = n - 1; c >= 0; --c) {
      double const exponent = columns[c] - columns[0];
      double const bounded = Kokkos::fmin(Kokkos::fmax(exponent, -most), most);
      m_scales.unknown(c) = power_of_two(static_cast<int>(Kokkos::round(bounded)));
    }
    m_scales.complete();
  }

 private:
  static constexpr double none = -1e4;

  KOKKOS_FUNCTION double left(const double* rows, const double* columns, int r, int c) const {
    int const exponent = m_exponents[c * n + r];
    return exponent > 0 ? exponent - double_exponent_bias + rows[r] + columns[c] : none;
  }
  /// Half of the exponent of the largest of n entries; none where all are zero.
  template <class Left>
  KOKKOS_FUNCTION static double step(const Left& left) {
    double largest = none;
    for (int k = 0; k < n; ++k) largest = left(k) > largest ? left(k) : largest;
    return largest > none ? largest / 2 : 0;
  }
};

/// Owner of FactorScales, and what chooses C for a matrix, of which there is a sample. Until then all are 1.
template <class Storage, int n, int vector_length, ExecutionSpace Exec, bool exist = has_scales<Storage>>
class FactorUnits {
 public:
  FactorUnits(const Exec&, const std::string& /*owner*/, std::int64_t /*packs*/) {}
  FactorScales<Storage, n, vector_length> ref() const { return {}; }
  template <class Scalar, class Sample>
  void choose(const Exec&, const Sample&) const {}
  template <class Other>
  void copy_from(const Exec&, const Other&) const {}
};

template <class Storage, int n, int vector_length, ExecutionSpace Exec>
class FactorUnits<Storage, n, vector_length, Exec, true> {
 public:
  using Scales = FactorScales<Storage, n, vector_length>;

  FactorUnits(const Exec& exec, const std::string& owner, std::int64_t packs)
      : m_equations(exec, "Hyperplane::" + owner + "::equation_units", packs),
        m_unknowns(exec, "Hyperplane::" + owner + "::unknown_units", 1),
        m_exponents(exec, "Hyperplane::" + owner + "::exponents", sampled_slots(packs, vector_length) + 1) {
    Kokkos::deep_copy(exec, m_equations.flat(), BFloat16(1.0F));
    launch("Hyperplane::FactorUnits::reset", IndexRange<Exec>(exec, 0, 1), sizeof(double),
           ResetUnits<Scales, n>{ref()});
  }

  Scales ref() const { return {m_unknowns.flat().data(), m_equations.flat().data()}; }

  /// Memory of choose(), of a sample's slots and of what is typical.
  std::int16_t* exponents() const { return m_exponents.flat().data(); }

  template <class Scalar, class Sample>
  void choose(const Exec& exec, const Sample& sample) const {
    choose_by<Scalar>(exec, find_typical_exponents<n, vector_length>(exec, sample, exponents()));
  }
  /// By what is typical of each entry of a block.
  template <class Scalar>
  void choose_by(const Exec& exec, const std::int16_t* typical) const {
    launch("Hyperplane::FactorUnits::choose", IndexRange<Exec>(exec, 0, 1), sizeof(double),
           ChooseUnits<Scalar, n, Scales>{typical, ref()});
  }
  /// C and S of as many packs, which may be in another memory. Waits for neither.
  template <ExecutionSpace Other>
  void copy_from(const Exec& exec, const FactorUnits<Storage, n, vector_length, Other>& other) const {
    Kokkos::deep_copy(exec, m_unknowns.flat(), other.m_unknowns.flat());
    Kokkos::deep_copy(exec, m_equations.flat(), other.m_equations.flat());
  }

 private:
  template <class, int, int, ExecutionSpace, bool>
  friend class FactorUnits;

  InterleavedView<BFloat16, vector_length, n, Exec> m_equations;
  InterleavedView<double, 1, Scales::units, Exec> m_unknowns;
  InterleavedView<std::int16_t, 1, n * n, Exec> m_exponents;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
