// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace hyperplane::test {

/// Values in device memory.
template <class T>
class DeviceValues {
 public:
  explicit DeviceValues(const std::vector<T>& values) : m_size(values.size()) {
    EXPECT_EQ(cudaMalloc(&m_data, m_size * sizeof(T)), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(m_data, values.data(), m_size * sizeof(T), cudaMemcpyHostToDevice), cudaSuccess);
  }
  ~DeviceValues() { cudaFree(m_data); }
  DeviceValues(const DeviceValues&) = delete;
  DeviceValues& operator=(const DeviceValues&) = delete;

  T* data() const { return m_data; }
  std::int64_t size() const { return static_cast<std::int64_t>(m_size); }
  std::vector<T> to_host() const {
    std::vector<T> values(m_size);
    EXPECT_EQ(cudaMemcpy(values.data(), m_data, m_size * sizeof(T), cudaMemcpyDeviceToHost), cudaSuccess);
    return values;
  }

 private:
  T* m_data = nullptr;
  std::size_t m_size;
};
using DeviceArray = DeviceValues<double>;

}  // namespace hyperplane::test
