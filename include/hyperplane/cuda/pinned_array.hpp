// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/check.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace hyperplane::inline HYPERPLANE_ABI::cuda {

/// Owner of an array in host memory that kernels read and write at the same address. Freeing it waits for the device.
template <class T>
  requires std::is_trivially_copyable_v<T>
class PinnedArray {
 public:
  PinnedArray() = default;
  /// The values are not set.
  explicit PinnedArray(std::size_t size) {
    if (size == 0) return;
    void* data = nullptr;
    check(cudaHostAlloc(&data, size * sizeof(T), cudaHostAllocMapped), "cudaHostAlloc");
    m_data = static_cast<T*>(data);
  }
  PinnedArray(PinnedArray&& other) noexcept : m_data(std::exchange(other.m_data, nullptr)) {}
  PinnedArray& operator=(PinnedArray&& other) noexcept {
    std::swap(m_data, other.m_data);
    return *this;
  }
  ~PinnedArray() {
    if (m_data != nullptr) cudaFreeHost(m_data);
  }

  T* data() const { return m_data; }

 private:
  T* m_data = nullptr;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
