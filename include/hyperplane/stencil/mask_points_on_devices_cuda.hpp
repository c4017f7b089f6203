// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/grid_on_devices_cuda.hpp>
#include <hyperplane/stencil/block_stencil7_on_devices_cuda.hpp>
#include <hyperplane/stencil/block_vector_on_devices_cuda.hpp>
#include <hyperplane/stencil/mask_points.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI {

/// Leaves the masked points out of A, as mask_points() of a BlockStencil7 does, with the bits of the whole box on one
/// device.
///
/// The mask is that of the box, in memory that all devices read, as what is allocated on the device of the lowest part
/// is. A launch for each part; no allocation, no fence; asynchronous on the given instance, see GridOnDevices. Throws
/// Error where the mask has not a value for each point of the box.
template <class Scalar, int n, CudaExecutionSpace Exec, class Storage>
void mask_points(const Exec& exec, const PointMask<Exec>& mask,
                 const BlockStencil7OnDevices<Scalar, n, Exec, Storage>& a) {
  auto const& grid = a.grid();
  detail::check_mask_size(mask.extent(0), grid.box().size());
  grid.run(exec, [&](int p) {
    auto const& part = a.part(p);
    detail::mask_layers(grid.exec(p), mask.data(), part.map(), grid.first_layer(p), grid.box().nk(), n,
                        std::array{false, false, false}, part.flat().data());
  });
}

/// Sets a vector to zero at the masked points. Mask, launches and errors as for a matrix.
template <class Scalar, int n, CudaExecutionSpace Exec>
void mask_points(const Exec& exec, const PointMask<Exec>& mask, const BlockVectorOnDevices<Scalar, n, Exec>& vector) {
  auto const& grid = vector.grid();
  detail::check_mask_size(mask.extent(0), grid.box().size());
  std::int64_t const layer = std::int64_t{grid.box().ni()} * grid.box().nj();
  grid.run(exec, [&](int p) {
    auto const& part = vector.part(p);
    detail::mask_vector(grid.exec(p), mask.data() + layer * grid.first_layer(p), part.map(), n, part.flat().data());
  });
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
