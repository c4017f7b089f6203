// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hyperplane/grid/grid_on_devices_cuda.hpp>
#include <hyperplane/stencil/block_stencil7_on_devices_cuda.hpp>
#include <hyperplane/stencil/block_vector_on_devices_cuda.hpp>
#include <vector>

#include "cuda_devices.hpp"
#include "serial_reference.hpp"
#include "transfer.hpp"

// Boxes over devices, from and to the host. Where there are fewer devices than parts, these share one.
namespace hyperplane::test::on_devices {

using Exec = Kokkos::Cuda;

/// Multiprocessors for each of `parts`: all where each has a device.
inline int share(int parts) {
  int const sharing = (parts + DeviceInstances::device_count() - 1) / DeviceInstances::device_count();
  return sharing == 1 ? 0 : Exec().cuda_device_prop().multiProcessorCount / sharing;
}

inline ReferenceStencil layers_of(const ReferenceStencil& whole, const GridOnDevices<Exec>& grid, int p) {
  return layers_of(whole, grid.first_layer(p), grid.first_layer(p + 1));
}

/// The first value of part p, of vectors of the box on the host.
inline std::int64_t place(const GridOnDevices<Exec>& grid, int p, int n) {
  return std::int64_t{grid.box().ni()} * grid.box().nj() * grid.first_layer(p) * n;
}

/// What part p has of a vector of the box.
inline std::vector<double> values_of(const std::vector<double>& whole, const GridOnDevices<Exec>& grid, int p, int n) {
  return {whole.begin() + place(grid, p, n), whole.begin() + place(grid, p + 1, n)};
}

/// The values of the box from a range of the vectors of its parts.
template <class Parts>
std::vector<double> from_parts(const GridOnDevices<Exec>& grid, const Parts& parts) {
  std::vector<double> result;
  int p = 0;
  for (auto const& part : parts) {
    auto const values = to_host(grid.exec(p++), part);
    result.insert(result.end(), values.begin(), values.end());
  }
  return result;
}

/// Copies of what to_device() makes for each part, on the instances of the parts, for which nobody waits.
template <int n, class Storage = double>
BlockStencil7OnDevices<double, n, Exec, Storage> to_devices(const Exec& exec, const GridOnDevices<Exec>& grid,
                                                            const ReferenceStencil& system) {
  BlockStencil7OnDevices<double, n, Exec, Storage> result(exec, grid);
  grid.for_parts([&](int p) {
    auto const part = to_device<double, n, Storage>(grid.exec(p), layers_of(system, grid, p));
    Kokkos::deep_copy(grid.exec(p), result.part(p).flat(), part.flat());
  });
  return result;
}
template <int n>
BlockVectorOnDevices<double, n, Exec> to_devices(const Exec& exec, const GridOnDevices<Exec>& grid,
                                                 const std::vector<double>& values) {
  BlockVectorOnDevices<double, n, Exec> result(exec, grid);
  grid.for_parts([&](int p) {
    auto const part = to_device<double, n>(grid.exec(p), grid.part(p), values_of(values, grid, p, n));
    Kokkos::deep_copy(grid.exec(p), result.part(p).flat(), part.flat());
  });
  return result;
}

}  // namespace hyperplane::test::on_devices
