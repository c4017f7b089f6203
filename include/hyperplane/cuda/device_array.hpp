// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/check.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::cuda {

/// Owner of an array in device memory. Freeing it waits for the device, so that no kernel loses what it works on.
template <class T>
  requires std::is_trivially_copyable_v<T>
class DeviceArray {
 public:
  DeviceArray() = default;

  /// `size` values of which every byte is zero once the stream has come to here.
  DeviceArray(cudaStream_t stream, std::size_t size) : m_size(size) {
    if (size == 0) return;
    void* data = nullptr;
    check(cudaMalloc(&data, size * sizeof(T)), "cudaMalloc");
    m_data = static_cast<T*>(data);
    if (auto const status = cudaMemsetAsync(data, 0, size * sizeof(T), stream); status != cudaSuccess) {
      cudaFree(std::exchange(m_data, nullptr));
      check(status, "cudaMemsetAsync");
    }
  }

  /// A copy of the values; they may change as soon as this returns.
  DeviceArray(cudaStream_t stream, const std::vector<T>& values) : DeviceArray(stream, values.size()) {
    if (values.empty()) return;
    check(cudaMemcpyAsync(m_data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice, stream),
          "cudaMemcpyAsync");
  }

  DeviceArray(DeviceArray&& other) noexcept
      : m_data(std::exchange(other.m_data, nullptr)), m_size(std::exchange(other.m_size, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(m_data, other.m_data);
    std::swap(m_size, other.m_size);
    return *this;
  }
  ~DeviceArray() {
    if (m_data != nullptr) cudaFree(m_data);
  }

  T* data() const { return m_data; }
  std::size_t size() const { return m_size; }

 private:
  T* m_data = nullptr;
  std::size_t m_size = 0;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
