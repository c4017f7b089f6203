// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/grid.hpp>

#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// The points begin.i <= i < end.i, begin.j <= j < end.j, begin.k <= k < end.k. Empty where an end is not above its
/// beginning. A value: trivially copyable, usable in kernels.
struct Box {
  Point begin;
  Point end;

  /// All points of a grid.
  static constexpr Box of(const Grid& grid) { return {{0, 0, 0}, {grid.ni(), grid.nj(), grid.nk()}}; }

  HYPERPLANE_FUNCTION constexpr std::int64_t size() const {
    return empty() ? 0 : (std::int64_t{end.i} - begin.i) * (end.j - begin.j) * (end.k - begin.k);
  }
  HYPERPLANE_FUNCTION constexpr bool empty() const { return end.i <= begin.i || end.j <= begin.j || end.k <= begin.k; }

  /// Without `layers` layers of points on all six sides; without points where there are not enough.
  HYPERPLANE_FUNCTION constexpr Box without_boundary(int layers) const {
    return {{begin.i + layers, begin.j + layers, begin.k + layers}, {end.i - layers, end.j - layers, end.k - layers}};
  }

  friend HYPERPLANE_FUNCTION constexpr bool operator==(const Box& a, const Box& b) {
    return a.begin == b.begin && a.end == b.end;
  }

  /// "[0, 5) x [1, 4) x [0, 3)"
  friend std::string to_string(const Box& box) {
    auto const range = [](int first, int last) {
      return "[" + std::to_string(first) + ", " + std::to_string(last) + ")";
    };
    return range(box.begin.i, box.end.i) + " x " + range(box.begin.j, box.end.j) + " x " +
           range(box.begin.k, box.end.k);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
