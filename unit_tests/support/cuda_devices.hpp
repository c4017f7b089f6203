// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime_api.h>

#include <Kokkos_Core.hpp>
#include <hyperplane/cuda/check.hpp>
#include <vector>

namespace hyperplane::test {

/// Instances on streams of their own, from device to device and again from the first one on.
class DeviceInstances {
 public:
  static int device_count() {
    int count = 0;
    cuda::check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    return count;
  }

  explicit DeviceInstances(int count) {
    int before = 0;
    cuda::check(cudaGetDevice(&before), "cudaGetDevice");
    for (int e = 0; e < count; ++e) {
      cuda::check(cudaSetDevice(e % device_count()), "cudaSetDevice");
      cudaStream_t stream = nullptr;
      cuda::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
      m_streams.push_back(stream);
      m_instances.emplace_back(stream);
    }
    cuda::check(cudaSetDevice(before), "cudaSetDevice");
  }
  ~DeviceInstances() {
    m_instances.clear();
    for (auto* const stream : m_streams) cudaStreamDestroy(stream);
  }
  DeviceInstances(const DeviceInstances&) = delete;
  DeviceInstances& operator=(const DeviceInstances&) = delete;

  const std::vector<Kokkos::Cuda>& all() const { return m_instances; }

 private:
  std::vector<cudaStream_t> m_streams;
  std::vector<Kokkos::Cuda> m_instances;
};

}  // namespace hyperplane::test
