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
  grid.for_parts([&](int p) {
    FactorStatus found = of_part(p);
    if (found.ok() || !first.ok()) return;
    int const below = grid.first_layer(p);
    found.point.k += below;
    if (found.block) {
      found.block->point.k += below;
      found.points_out = !grid.box().contains(neighbour(found.block->point, found.block->direction));
    }
    first = found;
  });
  return first;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
