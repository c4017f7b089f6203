// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/check.hpp>
#include <hyperplane/cuda/occupancy.hpp>

#include <cuda_runtime_api.h>

namespace hyperplane::inline HYPERPLANE_ABI::cuda {

/// Makes a device that of the calling thread, until it goes out of scope.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) : m_before(current_device()) {
    if (device != m_before) check(cudaSetDevice(device), "cudaSetDevice");
  }
  ~CurrentDevice() { cudaSetDevice(m_before); }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int m_before;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
