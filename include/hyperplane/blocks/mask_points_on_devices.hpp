// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/mask_points.hpp>
#include <hyperplane/blocks/multi_block_grid_on_devices.hpp>
#include <hyperplane/blocks/multi_block_stencil7_on_devices.hpp>
#include <hyperplane/blocks/multi_block_vector_on_devices.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/stencil/mask_points.hpp>

#include <Kokkos_Core.hpp>

namespace hyperplane::inline HYPERPLANE_ABI {

/// Leaves the masked points out of A, as mask_points() of a MultiBlockStencil7 does, with its bits.
///
/// The mask is that of all points, one grid block after the other as in the whole grid, in memory that all devices
/// read, as what is allocated on the device of the lowest part is. A launch for each grid block and one for the
/// interfaces of each part; no allocation; asynchronous on the given instance, see MultiBlockGridOnDevices. Throws
/// Error where the mask has not a value for each point.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
void mask_points(const Exec& exec, const PointMask<Exec>& mask,
                 const MultiBlockStencil7OnDevices<Scalar, n, Exec, Storage>& a) {
  constexpr int W = MultiBlockStencil7OnDevices<Scalar, n, Exec, Storage>::vector_length;
  auto const& grid = a.grid();
  detail::check_mask_size(mask.extent(0), grid.whole().size());
  grid.run(exec, [&](int p) {
    auto const& part = a.part(p);
    for (int const b : grid.blocks(p)) {
      auto const block = a.block(b);
      detail::mask_stencil(grid.exec(p), mask.data() + grid.whole().first_point(b), block.map(), n,
                           {false, false, false}, block.flat().data());
    }
    detail::mask_couplings<n, W>(grid.exec(p), part.couplings().all(),
                                 detail::MaskOfBlocks<W>{part.numbers().data(), mask.data()}, part.flat().data());
  });
}

/// Sets a vector to zero at the masked points, whatever is there. Mask, launches and errors as for a matrix.
template <class Scalar, int n, ExecutionSpace Exec>
void mask_points(const Exec& exec, const PointMask<Exec>& mask,
                 const MultiBlockVectorOnDevices<Scalar, n, Exec>& vector) {
  auto const& grid = vector.grid();
  detail::check_mask_size(mask.extent(0), grid.whole().size());
  grid.run(exec, [&](int p) {
    for (int const b : grid.blocks(p)) {
      auto const block = vector.block(b);
      detail::mask_vector(grid.exec(p), mask.data() + grid.whole().first_point(b), block.map(), n, block.flat().data());
    }
  });
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
