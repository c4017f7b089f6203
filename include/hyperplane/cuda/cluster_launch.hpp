// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/check.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/cuda/requirements.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

namespace hyperplane::inline HYPERPLANE_ABI::cuda {

/// How a kernel whose blocks come in clusters is launched on the current device. Keeps the kernel's address: a kernel
/// template has one of its own in each translation unit, and what is set for one does not hold for the others.
template <class Argument>
class ClusterLaunch {
 public:
  using Kernel = void (*)(Argument);

  /// In clusters of `blocks`; of half as many, and so on, where those are more than `limit` or the device holds none of
  /// that size, as when others use a part of it. Of one where the device, or the kernel as it was compiled, has no
  /// clusters.
  ClusterLaunch(cudaStream_t stream, Kernel kernel, int blocks, int threads, std::size_t shared_bytes, int limit)
      : m_kernel(kernel),
        m_threads(threads),
        m_shared_bytes(shared_bytes),
        m_has_clusters(lacking({clusters, 0}, support_of(kernel)).empty()),
        m_blocks(m_has_clusters ? blocks : 1) {
    allow_shared_memory(m_kernel);
    while (m_blocks > 1 && (m_blocks > limit || max_clusters(stream) == 0)) m_blocks /= 2;
    int const most = max_clusters(stream);
    m_clusters = std::min(most, std::max(1, limit / m_blocks));
  }

  /// Blocks of a cluster.
  int blocks() const { return m_blocks; }

  /// With a cluster for each of these tiles, as far as they can run at once. More would only queue for their tickets.
  void operator()(cudaStream_t stream, int tiles, const Argument& argument) const {
    cudaLaunchAttribute attribute{};
    auto config = configuration(attribute, std::min(tiles, m_clusters));
    config.stream = stream;
    check(cudaLaunchKernelEx(&config, m_kernel, argument), "cudaLaunchKernelEx");
  }

 private:
  /// The compute capability that brought them.
  static constexpr int clusters = 90;

  cudaLaunchConfig_t configuration(cudaLaunchAttribute& attribute, int clusters) const {
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = static_cast<unsigned>(m_blocks);
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(clusters * m_blocks));
    config.blockDim = dim3(static_cast<unsigned>(m_threads));
    config.dynamicSmemBytes = m_shared_bytes;
    config.attrs = &attribute;
    config.numAttrs = m_has_clusters ? 1 : 0;
    return config;
  }

  /// Clusters that an idle device holds at once, as far as the stream may use it.
  int max_clusters(cudaStream_t stream) const {
    if (!m_has_clusters) return resident_blocks(m_kernel, m_threads, m_shared_bytes);
    cudaLaunchAttribute attribute{};
    auto config = configuration(attribute, 1);
    config.stream = stream;
    int clusters = 0;
    check(cudaOccupancyMaxActiveClusters(&clusters, m_kernel, &config), "cudaOccupancyMaxActiveClusters");
    return clusters;
  }

  Kernel m_kernel;
  int m_threads;
  std::size_t m_shared_bytes;
  bool m_has_clusters;
  int m_blocks;
  int m_clusters;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
