// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/grid.hpp>

#include <array>
#include <cstddef>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What a cut of a grid costs a preconditioner that leaves couplings between parts out.
struct CutCost {
  double strength = 0;  ///< sum of the strengths of the couplings that are cut
  double couplings = 0;

  CutCost(const Grid& grid, const std::array<int, 3>& parts, const std::array<double, 3>& strengths) {
    std::array<double, 3> const extents{static_cast<double>(grid.ni()), static_cast<double>(grid.nj()),
                                        static_cast<double>(grid.nk())};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double const cut = (parts[axis] - 1) * extents[(axis + 1) % 3] * extents[(axis + 2) % 3];
      strength += strengths[axis] * cut;
      couplings += cut;
    }
  }
  /// By more than rounding; those of a number that does not matter by the number of couplings.
  bool less_than(const CutCost& other) const {
    constexpr double rounding = 1e-9;
    if (strength < other.strength * (1 - rounding)) return true;
    return strength <= other.strength * (1 + rounding) && couplings < other.couplings;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
