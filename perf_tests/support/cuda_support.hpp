// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_CUDA)

#include <source_location>
#include <stdexcept>
#include <string>

namespace hyperplane::perf {

/// Throws where a function of the CUDA runtime reports an error.
inline void check_cuda(cudaError_t code, std::source_location where = std::source_location::current()) {
  if (code == cudaSuccess) return;
  throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(code) + " [" + where.file_name() + ":" +
                           std::to_string(where.line()) + "]");
}

/// Times on the device, from the event before to the event after, so that neither the host's wait nor the time until
/// it returns is in them. An idle device waits for the first launch inside the measured time.
class DeviceTimer {
 public:
  DeviceTimer() {
    check_cuda(cudaEventCreate(&m_before));
    check_cuda(cudaEventCreate(&m_after));
  }
  DeviceTimer(const DeviceTimer&) = delete;
  DeviceTimer& operator=(const DeviceTimer&) = delete;
  ~DeviceTimer() {
    (void)cudaEventDestroy(m_before);
    (void)cudaEventDestroy(m_after);
  }

  /// Seconds that the work takes which `enqueue()` puts into the stream; waits for it.
  template <class Enqueue>
  double seconds(cudaStream_t stream, Enqueue&& enqueue) const {
    check_cuda(cudaEventRecord(m_before, stream));
    enqueue();
    check_cuda(cudaEventRecord(m_after, stream));
    check_cuda(cudaEventSynchronize(m_after));
    float milliseconds = 0.0f;
    check_cuda(cudaEventElapsedTime(&milliseconds, m_before, m_after));
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t m_before = nullptr;
  cudaEvent_t m_after = nullptr;
};

}  // namespace hyperplane::perf

#endif
