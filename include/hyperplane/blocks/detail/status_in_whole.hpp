// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The status of a part of a grid, which begins at a point of it, with points of the whole grid.
inline FactorStatus status_in_whole(FactorStatus status, const Grid& whole, const Point& begin) {
  auto const in_whole = [&](const Point& p) { return Point{begin.i + p.i, begin.j + p.j, begin.k + p.k}; };
  status.point = in_whole(status.point);
  if (status.block) {
    status.block->point = in_whole(status.block->point);
    status.points_out = !whole.contains(neighbour(status.block->point, status.block->direction));
  }
  return status;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
