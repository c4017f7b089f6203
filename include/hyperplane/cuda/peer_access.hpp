// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/check.hpp>
#include <hyperplane/cuda/current_device.hpp>

#include <cuda_runtime_api.h>

#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::cuda {

/// Lets kernels of a device use the memory of another one. Throws Error where devices cannot.
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
    return;
  }
  check(status, "cudaDeviceEnablePeerAccess");
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
