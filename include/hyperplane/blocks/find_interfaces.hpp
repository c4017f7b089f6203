// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/detail/cell_faces.hpp>
#include <hyperplane/blocks/detail/join_cell_faces.hpp>
#include <hyperplane/blocks/detail/match_cell_faces.hpp>
#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/grid.hpp>

#include <array>
#include <cmath>
#include <concepts>
#include <span>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

struct FindInterfacesOptions {
  /// How far apart vertices may be that are one and the same: 0 or more, and far less than any cell.
  double tolerance = 0;
  /// Of a grid that repeats itself: what leads from one side to the other.
  std::vector<std::array<double, 3>> translations{};
};

/// The interfaces of grid blocks of a cell-centred code, found by the positions of vertices: two faces of cells on
/// faces of grid blocks meet where their four vertices do. A grid block of I x J x K cells has (I+1) x (J+1) x (K+1)
/// vertices; position(b, v), a std::array<double, 3>, is the place of vertex v = (i, j, k) of grid block b.
///
/// Axes may lie in any way, and a face may meet several grid blocks, or its own: the cut of an O- or C-grid. What meets
/// nothing is a boundary. Faces of cells that are a line or a point, as on an axis, are boundaries; triangles are not.
/// Each interface is given from one side, in the order of the grid blocks and their faces west, east, south, north,
/// bottom, top; a part of a face that is no rectangle is several. A wall without thickness looks like a cut: it is an
/// interface until its points are taken out.
///
/// Throws Error, which names the grid block, the face and the range, where a face of a cell meets several, where a
/// vertex is not finite, and where the tolerance is not far less than cells, as far as that shows. On the host; time
/// and memory are those of a sort of all cells on faces.
template <std::invocable<int, const Point&> PositionOf>
std::vector<Interface> find_interfaces(std::span<const Grid> blocks, const PositionOf& position,
                                       const FindInterfacesOptions& options = {}) {
  if (!(options.tolerance >= 0) || !std::isfinite(options.tolerance)) {
    fail("find_interfaces: tolerance is " + detail::shortest(options.tolerance) + ", expected at least 0");
  }
  for (auto const& [x, y, z] : options.translations) {
    if (double const length = std::hypot(x, y, z); !(length > 2 * options.tolerance) || !std::isfinite(length)) {
      fail("find_interfaces: translation (" + detail::shortest(x) + ", " + detail::shortest(y) + ", " +
           detail::shortest(z) + ") is not longer than twice the tolerance, or not finite");
    }
  }
  auto const faces = detail::collect_cell_faces(blocks, position);
  detail::check_short_edges(faces, options.tolerance);
  auto const matches = detail::match_cell_faces(faces, options.translations, options.tolerance);
  return detail::JoinCellFaces(faces, matches).run();
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
