// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <string>

#include "objects.hpp"

namespace hyperplane::run_time {

/// Throws Error where the execution space has no device memory, or the address is not of it.
template <class Exec>
void check_device_memory([[maybe_unused]] const void* values) {
  if constexpr (HostExecutionSpace<Exec>) {
    throw Error(std::string(Exec::name()) + " has no device memory");
  } else {
#ifdef KOKKOS_ENABLE_CUDA
    cudaPointerAttributes attributes{};
    // Where devices reach all of the host's memory, that has a device's address too, but is not registered.
    if (cudaPointerGetAttributes(&attributes, values) == cudaSuccess && attributes.devicePointer != nullptr &&
        attributes.type != cudaMemoryTypeUnregistered) {
      return;
    }
    static_cast<void>(cudaGetLastError());
    throw Error("an array that is said to be in device memory is not");
#endif
  }
}

}  // namespace hyperplane::run_time
