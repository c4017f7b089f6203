// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/line/line_set.hpp>
#include <hyperplane/line/line_status.hpp>

#include <cstdint>

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

/// The same of a factorization along lines of the part: line and position are those of the point in the whole grid.
inline LineStatus status_in_whole(LineStatus status, const Grid& whole, const Point& begin) {
  auto const& own = *status.grid_point;
  Point const p{begin.i + own.i, begin.j + own.j, begin.k + own.k};
  int before = 0;
  switch (*status.direction) {
    case LineDirection::i:
      before = begin.i;
      status.line = p.j + std::int64_t{whole.nj()} * p.k;
      break;
    case LineDirection::j:
      before = begin.j;
      status.line = p.i + std::int64_t{whole.ni()} * p.k;
      break;
    case LineDirection::k:
      before = begin.k;
      status.line = p.i + std::int64_t{whole.ni()} * p.j;
      break;
  }
  status.position += before;
  status.block_position += before;
  status.point = whole.index(p);
  status.grid_point = p;
  return status;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
