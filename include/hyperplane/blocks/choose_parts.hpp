// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/detail/cut_cost.hpp>
#include <hyperplane/blocks/detail/parts_that_pay.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/concurrency.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/simd/vector_length.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

inline void check_strengths(const std::array<double, 3>& strengths) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (std::isfinite(strengths[axis]) && strengths[axis] >= 0) continue;
    fail(std::string("choose_parts: the strength along ") + "ijk"[axis] + " is " + shortest(strengths[axis]) +
         ", expected a finite number of at least 0");
  }
}

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
  detail::check_strengths(strengths);
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

/// As many parts as pay where BILU(0) or SSOR with blocks of n x n of double runs on the instance, and where to cut:
/// one part where cutting does not pay, and no cut across the strong direction unless nothing else is left. A pure
/// function of the grid, n, the strengths and the instance's threads; docs/blocks.md has the rule, and what was
/// measured. Throws Error where n is less than 1, and where a strength is less than 0 or not finite.
template <ExecutionSpace Exec>
std::array<int, 3> choose_parts(const Exec& exec, const Grid& grid, int n,
                                const std::array<double, 3>& strengths = {1, 1, 1}) {
  if (n < 1) fail("choose_parts: blocks of " + std::to_string(n) + " unknowns, expected at least 1");
  detail::check_strengths(strengths);
  detail::PartsMachine const machine{HostExecutionSpace<Exec>, detail::concurrency_of(exec),
                                     vector_length_v<double, Exec>};
  return detail::PartsThatPay(grid, n, strengths, machine).choose();
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
