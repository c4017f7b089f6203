// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid_on_devices_cuda.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <Kokkos_Core.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The first failure from the lowest part on, with the point of the box. `of_part(p)` is what part p says of itself.
template <class Exec, class OfPart>
FactorStatus status_on_devices(const GridOnDevices<Exec>& grid, const OfPart& of_part) {
  FactorStatus first;
  std::int64_t first_number = 0;
  grid.for_parts([&](int p) {
    FactorStatus found = of_part(p);
    if (found.ok()) return;
    int const below = grid.first_layer(p);
    found.point.k += below;
    // What a part leaves to the one above it shows at a point of the latter, which may have failures before it.
    auto const number = grid.box().index(found.point);
    if (!first.ok() && number >= first_number) return;
    if (found.block) {
      found.block->point.k += below;
      found.points_out = !grid.box().contains(neighbour(found.block->point, found.block->direction));
    }
    first = found;
    first_number = number;
  });
  return first;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
