// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/grid.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

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

}  // namespace detail

/// How to cut a grid into so many parts, along i, j and k, for cut_grid(), Parted and cuts over ranks: of all that fit,
/// the one that cuts the least, couplings counted by how strong they are along i, j and k, as coupling_strengths() of
/// the matrix has it. So it does not cut across the strong direction of stretched cells, and where all are as strong
/// parts are as cubic as they can be. Of equal ones it is the one with more parts along k, then along j. Throws Error
/// where there are fewer parts than one, where a strength is less than 0 or not finite, and where no parts[0] *
/// parts[1] * parts[2] of that number fit.
inline std::array<int, 3> choose_parts(const Grid& grid, int count,
                                       const std::array<double, 3>& strengths = {1, 1, 1}) {
  if (count < 1) fail("choose_parts: " + std::to_string(count) + " parts, expected at least 1");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (std::isfinite(strengths[axis]) && strengths[axis] >= 0) continue;
    fail(std::string("choose_parts: the strength along ") + "ijk"[axis] + " is " + detail::shortest(strengths[axis]) +
         ", expected a finite number of at least 0");
  }
  std::array<int, 3> best{};
  for (int i = 1; i <= grid.ni() && i <= count; ++i) {
    if (count % i != 0) continue;
    for (int j = 1; j <= grid.nj() && j <= count / i; ++j) {
      int const k = count / i / j;
      if (count / i % j != 0 || k > grid.nk()) continue;
      std::array<int, 3> const parts{i, j, k};
      if (best[0] == 0 || detail::CutCost(grid, parts, strengths).less_than(detail::CutCost(grid, best, strengths))) {
        best = parts;
      }
    }
  }
  if (best[0] == 0) {
    fail("choose_parts: a grid of " + to_string(grid) + " points cannot be cut into " + std::to_string(count) +
         " parts: no numbers of parts along i, j and k that fit have this product");
  }
  return best;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
