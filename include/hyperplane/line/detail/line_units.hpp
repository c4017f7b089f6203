// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/sweep/equation_units.hpp>
#include <hyperplane/sweep/factor_scales.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

/// The units that factors along lines are stored in, see FactorScales: S is that of an item and a lane of the layout.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// L and d^-1 of the lanes from `lane` on, from whose d^-1 S follows, which is kept.
template <int n, class T, class Scales>
KOKKOS_FUNCTION void take_row_into_units(const Scales& scales, std::int64_t item, int lane, block::Matrix<T, n>& lower,
                                         block::Matrix<T, n>& inverse) {
  auto const equations = equation_units<T, n>(scales, inverse);
  keep_equation_units<n>(scales, item, lane, equations);
  take_lower_into_units<n>(scales, equations, lower);
  take_inverse_into_units<n>(scales, equations, inverse);
}

/// Takes right-hand sides of the first sweep into the units of the factors, what the second sweep computes out of them,
/// and that into them again, of the lanes of a Pack from `lane` on. Nothing where factors are in the units of the
/// matrix.
template <int n, class Scales, bool transposed>
struct LineUnits {
  const Scales& m_scales;

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION void take_in(std::int64_t item, int lane, block::Vector<T, n>& b) const {
    multiply<!transposed>(item, lane, b);
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION void take_out(std::int64_t item, int lane, block::Vector<T, n>& x) const {
    multiply<transposed>(item, lane, x);
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION void take_back([[maybe_unused]] std::int64_t item, [[maybe_unused]] int lane,
                                             [[maybe_unused]] block::Vector<T, n>& x) const {
    if constexpr (Scales::exist) {
      HYPERPLANE_HOST_UNROLL
      for (int c = 0; c < n; ++c) {
        if constexpr (transposed) {
          x[c] = x[c] / T::load(m_scales.equation(item, c) + lane);
        } else {
          x[c] = block::scaled(x[c], m_scales.unknown_inverse(c));
        }
      }
    }
  }

 private:
  template <bool by_equations, class T>
  KOKKOS_FORCEINLINE_FUNCTION void multiply([[maybe_unused]] std::int64_t item, [[maybe_unused]] int lane,
                                            [[maybe_unused]] block::Vector<T, n>& values) const {
    if constexpr (Scales::exist) {
      HYPERPLANE_HOST_UNROLL
      for (int c = 0; c < n; ++c) {
        if constexpr (by_equations) {
          values[c] *= T::load(m_scales.equation(item, c) + lane);
        } else {
          values[c] = block::scaled(values[c], m_scales.unknown(c));
        }
      }
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
