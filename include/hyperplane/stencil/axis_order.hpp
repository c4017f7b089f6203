// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

namespace hyperplane::inline HYPERPLANE_ABI {

/// Which index of an array comes first: i, or k. It says nothing about memory, which is the affair of the array's
/// layout and strides.
enum class AxisOrder { ijk, kji };

/// Layers of points at either end of an axis of an array that are not points of the grid: as many along each axis, or
/// a number for each, such as {2, 2, 0} on a plane.
struct GhostLayers {
  int i;
  int j;
  int k;

  constexpr GhostLayers(int width) : GhostLayers(width, width, width) {}  // NOLINT(google-explicit-constructor)
  constexpr GhostLayers(int along_i, int along_j, int along_k) : i(along_i), j(along_j), k(along_k) {}
};

namespace detail {

/// An order that has to be said: there is no default.
class StatedAxisOrder {
 public:
  constexpr StatedAxisOrder(AxisOrder order) : m_order(order) {}  // NOLINT(google-explicit-constructor)
  constexpr operator AxisOrder() const { return m_order; }        // NOLINT(google-explicit-constructor)

 private:
  AxisOrder m_order;
};

}  // namespace detail

/// What pack() and unpack() have to know of an array that is indexed by the axes of the grid:
/// `{.axes = AxisOrder::kji, .ghost_layers = 2}`. The axes have to be said, since the extents of a cube tell nothing.
struct ArrayOptions {
  detail::StatedAxisOrder axes;
  GhostLayers ghost_layers = 0;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
