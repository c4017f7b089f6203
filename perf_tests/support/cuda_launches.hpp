// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cuda_support.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace hyperplane::perf {

/// Launches with attributes: a programmatic launch, a cooperative one, a cluster.
template <class... Parameters, class... Arguments>
void launch(cudaStream_t stream, void (*kernel)(Parameters...), int blocks, int threads, int shared,
            std::vector<cudaLaunchAttribute> attributes, Arguments... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(shared);
  config.stream = stream;
  config.attrs = attributes.data();
  config.numAttrs = static_cast<unsigned>(attributes.size());
  check_cuda(cudaLaunchKernelEx(&config, kernel, arguments...));
}

inline cudaLaunchAttribute programmatic_launch() {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  return attribute;
}

inline cudaLaunchAttribute cooperative_launch() {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  return attribute;
}

inline cudaLaunchAttribute cluster_launch(int size) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = static_cast<unsigned>(size);
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  return attribute;
}

using Graph = std::shared_ptr<CUgraphExec_st>;

/// What `enqueue()` puts into the stream, as a graph.
template <class Enqueue>
Graph capture(cudaStream_t stream, Enqueue&& enqueue) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  enqueue();
  check_cuda(cudaStreamEndCapture(stream, &graph));
  check_cuda(cudaGraphInstantiate(&executable, graph, 0));
  check_cuda(cudaGraphDestroy(graph));
  return Graph(executable, [](cudaGraphExec_t e) { (void)cudaGraphExecDestroy(e); });
}

}  // namespace hyperplane::perf
