// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/occupancy.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What the current device has that the slab path needs.
struct CudaSlabDevice {
  int multiprocessors;
  std::size_t shared_bytes;  ///< of a block, at most
  std::size_t cache_bytes;   ///< L2

  static CudaSlabDevice current() {
    return {cuda::multiprocessor_count(), cuda::max_shared_bytes(),
            static_cast<std::size_t>(cuda::device_attribute(cudaDevAttrL2CacheSize))};
  }
  /// Of which a plan may use so many multiprocessors; 0: all.
  static CudaSlabDevice limited(int multiprocessors) {
    auto device = current();
    if (multiprocessors > 0) device.multiprocessors = std::min(device.multiprocessors, multiprocessors);
    return device;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
