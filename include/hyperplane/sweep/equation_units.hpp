// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/sweep/factor_scales.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// S of a point with this d^-1, or of those in the lanes of a pack: the largest entry of each column of C^-1
/// d^-1 S^-1 is at least 1 and less than 2, whatever the equation was multiplied by, where S is not bounded. So L is
/// stored as it is beside d.
template <class T, int n, class Scales>
KOKKOS_FUNCTION block::Vector<T, n> equation_units(const Scales& scales, const block::Matrix<T, n>& inverse) {
  using Kokkos::abs;
  // Numbers that a BFloat16 has, and their reciprocals.
  T const least(0x1p-120F), most(0x1p120F);
  block::Vector<T, n> result;
  for (int c = 0; c < n; ++c) {
    T largest(0);
    for (int r = 0; r < n; ++r) {
      T const magnitude = abs(block::scaled(inverse(r, c), scales.unknown_inverse(r)));
      largest = select(magnitude > largest, magnitude, largest);
    }
    T const power = power_below(largest);
    T const bounded = select(power > least, power, least);
    result[c] = select(bounded < most, bounded, most);
  }
  return result;
}

/// Keeps them: of one point where its lane is, of a pack from its first lane on, or in the lanes that are given.
template <int n, class T, class Scales, class Lanes>
KOKKOS_FUNCTION void keep_equation_units(const Scales& scales, std::int64_t pack, [[maybe_unused]] const Lanes& lanes,
                                         const block::Vector<T, n>& equations) {
  for (int r = 0; r < n; ++r) {
    if constexpr (std::is_floating_point_v<T>) {
      scales.equation(pack, r)[lanes] = BFloat16(equations[r]);
    } else if constexpr (std::is_integral_v<Lanes>) {
      equations[r].store_exact(scales.equation(pack, r) + lanes);
    } else {
      lanes.store(equations[r], scales.equation(pack, r));
    }
  }
}

/// Blocks in the units that they are stored in.
template <int n, class T, class Scales>
KOKKOS_FUNCTION void take_inverse_into_units(const Scales& scales, const block::Vector<T, n>& equations,
                                             block::Matrix<T, n>& inverse) {
  for (int c = 0; c < n; ++c) {
    T const reciprocal = power_reciprocal(equations[c]);
    for (int r = 0; r < n; ++r) {
      inverse(r, c) = block::scaled(inverse(r, c), scales.unknown_inverse(r)) * reciprocal;
    }
  }
}
template <int n, class T, class Scales>
KOKKOS_FUNCTION void take_lower_into_units(const Scales& scales, const block::Vector<T, n>& equations,
                                           block::Matrix<T, n>& lower) {
  for (int c = 0; c < n; ++c) {
    for (int r = 0; r < n; ++r) lower(r, c) = block::scaled(lower(r, c), scales.unknown(c)) * equations[r];
  }
}
template <int n, class T, class Scales>
KOKKOS_FUNCTION void take_upper_into_units(const Scales& scales, block::Matrix<T, n>& upper) {
  for (int c = 0; c < n; ++c) {
    for (int r = 0; r < n; ++r) upper(r, c) = block::scaled(upper(r, c), scales.upper_inverse(r, c));
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
