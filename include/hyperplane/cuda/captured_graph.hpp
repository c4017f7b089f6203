// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/check.hpp>

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <utility>

namespace hyperplane::inline HYPERPLANE_ABI::cuda {

/// A CUDA graph made by capturing what `record(stream)` launches, to be replayed with new parameters for its first
/// kernel. The one node without predecessors must be a kernel. Replays are ordered one after the other, whatever their
/// streams; one host thread at a time.
class CapturedGraph {
 public:
  CapturedGraph() = default;

  template <class Record>
  explicit CapturedGraph(Record&& record) {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    try {
      check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
      try {
        record(stream);
      } catch (...) {
        cudaStreamEndCapture(stream, &m_graph);
        throw;
      }
      check(cudaStreamEndCapture(stream, &m_graph), "cudaStreamEndCapture");
      check(cudaGraphInstantiate(&m_executable, m_graph, 0), "cudaGraphInstantiate");
      std::size_t roots = 1;
      check(cudaGraphGetRootNodes(m_graph, &m_first, &roots), "cudaGraphGetRootNodes");
      check(cudaGraphKernelNodeGetParams(m_first, &m_parameters), "cudaGraphKernelNodeGetParams");
    } catch (...) {
      cudaStreamDestroy(stream);
      destroy();
      throw;
    }
    cudaStreamDestroy(stream);
  }

  CapturedGraph(CapturedGraph&& other) noexcept { swap(other); }
  CapturedGraph& operator=(CapturedGraph&& other) noexcept {
    swap(other);
    return *this;
  }
  ~CapturedGraph() { destroy(); }

  void upload(cudaStream_t stream) const { check(cudaGraphUpload(m_executable, stream), "cudaGraphUpload"); }

  /// Replays the graph with these parameters of the first kernel, which must have exactly the types it takes.
  template <class... Parameters>
  void launch(cudaStream_t stream, Parameters... parameters) {
    std::array<void*, sizeof...(parameters)> addresses{&parameters...};
    m_parameters.kernelParams = addresses.data();
    m_parameters.extra = nullptr;
    check(cudaGraphExecKernelNodeSetParams(m_executable, m_first, &m_parameters), "cudaGraphExecKernelNodeSetParams");
    check(cudaGraphLaunch(m_executable, stream), "cudaGraphLaunch");
  }

 private:
  void swap(CapturedGraph& other) noexcept {
    std::swap(m_graph, other.m_graph);
    std::swap(m_executable, other.m_executable);
    std::swap(m_first, other.m_first);
    std::swap(m_parameters, other.m_parameters);
  }
  void destroy() {
    if (m_executable != nullptr) cudaGraphExecDestroy(m_executable);
    if (m_graph != nullptr) cudaGraphDestroy(m_graph);
  }

  cudaGraph_t m_graph = nullptr;
  cudaGraphExec_t m_executable = nullptr;
  cudaGraphNode_t m_first = nullptr;
  cudaKernelNodeParams m_parameters{};
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
