// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/check.hpp>

#include <cuda_runtime_api.h>

#include <utility>

namespace hyperplane::inline HYPERPLANE_ABI::cuda {

/// Owner of a stream beside that of an execution space instance, which does not wait for the default stream. Giving it
/// up waits for what is in it.
class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags"); }
  Stream(Stream&& other) noexcept : m_stream(std::exchange(other.m_stream, nullptr)) {}
  Stream& operator=(Stream&& other) noexcept {
    std::swap(m_stream, other.m_stream);
    return *this;
  }
  ~Stream() {
    if (m_stream == nullptr) return;
    cudaStreamSynchronize(m_stream);
    cudaStreamDestroy(m_stream);
  }

  cudaStream_t get() const { return m_stream; }

 private:
  cudaStream_t m_stream = nullptr;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
