// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <array>
#include <cstddef>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// How the axes of one grid lie in another: a signed permutation, as the Transform of CGNS (GridConnectivity1to1_t,
/// https://cgns.github.io/CGNS_docs_current/sids/cnct.html). Entry 0 says along which axis of the other grid i runs:
/// 1 for i, 2 for j, 3 for k, negative where it runs backwards; entries 1 and 2 say it of j and k.
///
/// A value. The default leaves axes as they are.
struct AxisTransform {
  std::array<int, 3> axes{1, 2, 3};

  /// Whether it is one: each of 1, 2, 3 once, with either sign.
  constexpr bool valid() const {
    int seen = 0;
    for (int const axis : axes) {
      int const number = axis < 0 ? -axis : axis;
      if (number < 1 || number > 3) return false;
      seen |= 1 << number;
    }
    return seen == 0b1110;
  }

  /// A difference of two points, in the other grid's indices.
  constexpr Point operator()(const Point& difference) const {
    std::array<int, 3> result{};
    std::array<int, 3> const given{difference.i, difference.j, difference.k};
    for (std::size_t d = 0; d < 3; ++d) {
      int const axis = axes[d];
      result[static_cast<std::size_t>((axis < 0 ? -axis : axis) - 1)] = axis < 0 ? -given[d] : given[d];
    }
    return {result[0], result[1], result[2]};
  }

  /// A direction, as the other grid calls it.
  constexpr Direction operator()(Direction direction) const {
    Direction result = Direction::center;
    find_direction({}, (*this)(offset(direction)), result);
    return result;
  }

  constexpr AxisTransform inverse() const {
    AxisTransform result{};
    for (int d = 0; d < 3; ++d) {
      int const axis = axes[static_cast<std::size_t>(d)];
      result.axes[static_cast<std::size_t>((axis < 0 ? -axis : axis) - 1)] = axis < 0 ? -(d + 1) : d + 1;
    }
    return result;
  }

  friend constexpr bool operator==(const AxisTransform&, const AxisTransform&) = default;

  /// "(+1, -3, +2)"
  friend std::string to_string(const AxisTransform& transform) {
    std::string result;
    for (int const axis : transform.axes) {
      result += (result.empty() ? "(" : ", ") + std::string(axis < 0 ? "" : "+") + std::to_string(axis);
    }
    return result + ")";
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
