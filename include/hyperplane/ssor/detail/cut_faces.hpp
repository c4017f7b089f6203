// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Points on the cuts of a part of a box have neighbours outside of it.
struct CutFaces {
  static constexpr bool exists = true;
  bool m_below;
  bool m_above;
  /// Not negative where a point on that face has such a neighbour.
  HYPERPLANE_FUNCTION int number(Direction direction, const Point&) const {
    return (direction == Direction::bottom && m_below) || (direction == Direction::top && m_above) ? 0 : -1;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
