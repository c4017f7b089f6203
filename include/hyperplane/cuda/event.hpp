// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/check.hpp>

#include <cuda_runtime_api.h>

#include <utility>

namespace hyperplane::inline HYPERPLANE_ABI::cuda {

/// Orders work of different streams. Waiting for an event that was never recorded does nothing.
class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&m_event, cudaEventDisableTiming), "cudaEventCreateWithFlags"); }
  Event(Event&& other) noexcept : m_event(std::exchange(other.m_event, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(m_event, other.m_event);
    return *this;
  }
  ~Event() {
    if (m_event != nullptr) cudaEventDestroy(m_event);
  }

  void record(cudaStream_t stream) const { check(cudaEventRecord(m_event, stream), "cudaEventRecord"); }
  void wait(cudaStream_t stream) const { check(cudaStreamWaitEvent(stream, m_event, 0), "cudaStreamWaitEvent"); }

 private:
  cudaEvent_t m_event = nullptr;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
