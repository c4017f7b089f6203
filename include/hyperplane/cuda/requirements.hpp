// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <hyperplane/core/abi.hpp>
#include <string>

/// What kernels need of a device, and what there is. Compute capabilities are numbers: 90 is 9.0.
namespace hyperplane::inline HYPERPLANE_ABI::cuda {

struct Requirements {
  int m_capability;
  std::size_t m_shared_bytes;  ///< of a block
};

/// Of the current device and a kernel as it was compiled.
struct Support {
  int m_device;    ///< compute capability of the device
  int m_compiled;  ///< for which the kernel was compiled: devices run what was compiled to PTX for older ones, and then
                   ///< it has the instructions of those, and what is guarded by __CUDA_ARCH__ is left out
  std::size_t m_shared_bytes;  ///< that a block may have
};

inline std::string capability_name(int capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

/// What is not there, as the rest of a sentence whose subject needs it; empty where the kernel can run.
inline std::string lacking(const Requirements& needed, const Support& there) {
  if (there.m_device < needed.m_capability || there.m_compiled < needed.m_capability) {
    return "needs compute capability " + capability_name(needed.m_capability) + ": the device has " +
           capability_name(there.m_device) + ", and the code was compiled for " + capability_name(there.m_compiled);
  }
  if (there.m_shared_bytes < needed.m_shared_bytes) {
    return "needs " + std::to_string(needed.m_shared_bytes) + " bytes of shared memory for a block: the device has " +
           std::to_string(there.m_shared_bytes);
  }
  return {};
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
