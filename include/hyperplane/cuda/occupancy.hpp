// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/check.hpp>
#include <hyperplane/cuda/requirements.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace hyperplane::inline HYPERPLANE_ABI::cuda {

inline int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

/// An attribute of the current device.
inline int device_attribute(cudaDeviceAttr attribute) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, attribute, current_device()), "cudaDeviceGetAttribute");
  return value;
}

/// Multiprocessors of the current device that this process may use.
inline int multiprocessor_count() { return device_attribute(cudaDevAttrMultiProcessorCount); }

/// Dynamic shared memory that a block may have at most on the current device.
inline std::size_t max_shared_bytes() {
  return static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
}

/// Lets the kernel have all of that: above 48 kB it must be asked for. The limit belongs to the kernel, not to a
/// launch, so that one for each launch would be changed by others.
template <class... Arguments>
void allow_shared_memory(void (*kernel)(Arguments...)) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel)), "cudaFuncGetAttributes");
  check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(max_shared_bytes() - attributes.sharedSizeBytes)),
        "cudaFuncSetAttribute(cudaFuncAttributeMaxDynamicSharedMemorySize)");
}

/// What the current device has for the kernel.
template <class... Arguments>
Support support_of(void (*kernel)(Arguments...)) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel)), "cudaFuncGetAttributes");
  return {
      10 * device_attribute(cudaDevAttrComputeCapabilityMajor) + device_attribute(cudaDevAttrComputeCapabilityMinor),
      attributes.ptxVersion, max_shared_bytes() - attributes.sharedSizeBytes};
}

/// Blocks of the kernel that an otherwise idle device holds at the same time.
template <class... Arguments>
int resident_blocks(void (*kernel)(Arguments...), int threads, std::size_t shared_bytes) {
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reinterpret_cast<const void*>(kernel), threads,
                                                      shared_bytes),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return blocks * multiprocessor_count();
}

/// Throws Error where a grid of this size could not be resident as a whole: blocks that wait for one another would
/// then wait for ever.
template <class... Arguments>
void require_resident(std::string_view name, void (*kernel)(Arguments...), int blocks, int threads,
                      std::size_t shared_bytes) {
  int const resident = resident_blocks(kernel, threads, shared_bytes);
  if (blocks >= 1 && blocks <= resident) return;
  fail(std::string(name) + ": " + std::to_string(blocks) + " blocks of " + std::to_string(threads) + " threads and " +
       std::to_string(shared_bytes) + " bytes of shared memory wait for one another, but the device holds " +
       std::to_string(resident) + " of them at the same time");
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
