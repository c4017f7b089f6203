// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/check.hpp>
#include <hyperplane/cuda/current_device.hpp>

#include <cuda_runtime_api.h>
#include <Kokkos_Macros.hpp>

#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::cuda {

/// Lets kernels of a device use the memory of another one, also what Kokkos has of its pool. Throws Error where devices
/// cannot.
inline void enable_peer_access(int from, int to) {
  if (from == to) return;
  int possible = 0;
  check(cudaDeviceCanAccessPeer(&possible, from, to), "cudaDeviceCanAccessPeer");
  if (possible == 0) {
    fail("CUDA device " + std::to_string(from) + " has no access to the memory of device " + std::to_string(to));
  }
  CurrentDevice const current(from);
  auto const status = cudaDeviceEnablePeerAccess(to, 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled) {
    cudaGetLastError();  // It is kept as the last error, which it is not.
  } else {
    check(status, "cudaDeviceEnablePeerAccess");
  }
#ifdef KOKKOS_ENABLE_IMPL_CUDA_MALLOC_ASYNC
  // Views are from the pool of the device, whose memory has an access of its own.
  cudaMemPool_t pool = nullptr;
  check(cudaDeviceGetMemPool(&pool, to), "cudaDeviceGetMemPool");
  cudaMemAccessDesc access{};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = from;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  check(cudaMemPoolSetAccess(pool, &access, 1), "cudaMemPoolSetAccess");
#endif
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
