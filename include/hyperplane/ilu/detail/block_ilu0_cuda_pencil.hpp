// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_pencil_factor.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_pencil_solve.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_shape.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hyperplane::detail {

/// What the current device has that the pencil path needs.
struct CudaPencilDevice {
  int multiprocessors;
  std::size_t shared_bytes;  ///< of a block, at most
  std::size_t cache_bytes;   ///< L2
  int capability_major;      ///< 9 brings bulk copies and clusters

  static CudaPencilDevice current() {
    return {cuda::multiprocessor_count(), cuda::max_shared_bytes(),
            static_cast<std::size_t>(cuda::device_attribute(cudaDevAttrL2CacheSize)),
            cuda::device_attribute(cudaDevAttrComputeCapabilityMajor)};
  }
};

/// Plan of the pencil path on CUDA: packets, orders and states of both kernels. factor() and solve() launch one kernel
/// each, allocate nothing and wait for nothing. One launch at a time.
template <class Scalar, int n, class Storage, int vector_length>
class BlockIlu0CudaPencil {
  using Solve = CudaPencilSolve<Scalar, n, Storage, vector_length>;
  using Packet = typename Solve::Packet;

 public:
  using Map = PencilMap<vector_length>;
  using Factors = BlockIlu0Factors<Storage, n, vector_length>;
  using Vector = BlockVectorRef<Scalar, n, vector_length>;

  /// Whether the current device can run both kernels, and they were compiled for it.
  static bool suits() {
    auto const device = CudaPencilDevice::current();
    if (device.capability_major < 9) return false;
    cudaFuncAttributes attributes{};
    cuda::check(cudaFuncGetAttributes(&attributes, cuda_pencil_solve_kernel<Solve>), "cudaFuncGetAttributes");
    constexpr std::size_t factor_bytes = CudaPencilFactor<Scalar, n, Storage, Scalar, vector_length>::shared_bytes;
    return attributes.ptxVersion >= 90 && factor_bytes <= device.shared_bytes &&
           Solve::memory.total(1, 1) <= device.shared_bytes;
  }

  /// Launches no more blocks than `multiprocessors`, so that they occupy no more of them; 0: all.
  BlockIlu0CudaPencil(cudaStream_t stream, const Map& map, int multiprocessors)
      : m_device(CudaPencilDevice::current()), m_map(map), m_limited(multiprocessors > 0) {
    if (m_limited) m_device.multiprocessors = std::min(m_device.multiprocessors, multiprocessors);
    m_shape = choose_cuda_pencil_shape(map.grid(), vector_length, Solve::memory, m_device.multiprocessors,
                                       m_device.shared_bytes);
    cuda::allow_shared_memory(m_solve_kernel);
    // A device of which others use a part may not hold clusters of that size.
    while (m_shape.blocks > 1 && (m_shape.blocks > m_device.multiprocessors || max_clusters() == 0)) {
      m_shape.blocks /= 2;
    }
    int const layers = m_shape.layers * m_shape.blocks;
    m_tiles_k = (map.grid().nk() + layers - 1) / layers;
    m_south_packets = cuda::DeviceArray<Packet>(stream, Solve::south_packet_count(map));
    m_bottom_packets = cuda::DeviceArray<Packet>(stream, Solve::bottom_packet_count(map, layers));
    // Tiles by the time at which they can begin: a pencil is as many steps behind the one before as it has lanes, a
    // layer one step and the way there.
    m_tile_order = cuda::DeviceArray<int>(stream, order(m_tiles_k, vector_length, layers));
    m_row_order = cuda::DeviceArray<int>(stream, order(map.grid().nk(), vector_length, 1));
    m_solve_state = cuda::DeviceArray<CudaPencilState>(stream, 1);
    m_factor_state = cuda::DeviceArray<CudaFactorState>(stream, 1);
    m_progress = cuda::DeviceArray<int>(stream, std::size_t(map.pencils()) * map.grid().nk());
    cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    int const tiles = m_tiles_k * map.pencils();
    m_clusters = std::min({tiles, max_clusters(), std::max(1, m_device.multiprocessors / m_shape.blocks)});
  }

  const CudaPencilShape& shape() const { return m_shape; }

  template <class MatrixStorage>
  void factor(cudaStream_t stream, const BlockStencil7Ref<MatrixStorage, n, vector_length>& a, const Factors& factors,
              unsigned long long* singular) const {
    using Factor = CudaPencilFactor<Scalar, n, Storage, MatrixStorage, vector_length>;
    constexpr auto kernel = cuda_pencil_factor_kernel<Factor>;
    cuda::allow_shared_memory(kernel);
    int blocks = 0;
    cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, Factor::threads, Factor::shared_bytes),
                "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    int const rows = m_map.pencils() * m_map.grid().nk();
    int const grid = std::min(rows, (m_limited ? 1 : blocks) * m_device.multiprocessors);
    cuda::launch(stream, kernel, grid, Factor::threads, Factor::shared_bytes, cuda::Dependency::complete,
                 Factor{a, factors, singular, m_progress.data(), m_row_order.data(), m_factor_state.data()});
  }

  void solve(cudaStream_t stream, const Factors& factors, const Vector& rhs, const Vector& x) const {
    std::size_t const values = std::size_t{7} * n * n * static_cast<std::size_t>(m_map.pack_count()) * vector_length;
    Solve const solve{factors,
                      rhs,
                      x,
                      m_south_packets.data(),
                      m_bottom_packets.data(),
                      m_tile_order.data(),
                      m_solve_state.data(),
                      m_shape,
                      m_tiles_k * m_map.pencils(),
                      values * sizeof(Storage) <= m_device.cache_bytes};
    cudaLaunchAttribute attribute{};
    auto config = solve_config(attribute, m_clusters * m_shape.blocks);
    config.stream = stream;
    cuda::check(cudaLaunchKernelEx(&config, m_solve_kernel, solve), "BlockIlu0: launch of the solve");
  }

 private:
  std::size_t solve_bytes() const { return Solve::memory.total(m_shape.layers, m_shape.stages); }

  cudaLaunchConfig_t solve_config(cudaLaunchAttribute& attribute, int blocks) const {
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = static_cast<unsigned>(m_shape.blocks);
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(static_cast<unsigned>(Solve::threads(m_shape.layers)));
    config.dynamicSmemBytes = solve_bytes();
    config.attrs = &attribute;
    config.numAttrs = 1;
    return config;
  }

  /// Clusters that an idle device holds at once. More would only queue for their tickets.
  int max_clusters() const {
    cudaLaunchAttribute attribute{};
    auto const config = solve_config(attribute, m_shape.blocks);
    int clusters = 0;
    cuda::check(cudaOccupancyMaxActiveClusters(&clusters, m_solve_kernel, &config), "cudaOccupancyMaxActiveClusters");
    return clusters;
  }

  /// Numbers pencil + pencils * layer, sorted by pencil * pencil_lag + layer * layer_lag: topological, since every
  /// neighbour on which another depends has a smaller sum.
  std::vector<int> order(int layers, int pencil_lag, int layer_lag) const {
    std::vector<int> result(std::size_t(m_map.pencils()) * layers);
    for (std::size_t e = 0; e < result.size(); ++e) result[e] = static_cast<int>(e);
    auto const begin = [&](int number) {
      return std::int64_t{number % m_map.pencils()} * pencil_lag + std::int64_t{number / m_map.pencils()} * layer_lag;
    };
    std::stable_sort(result.begin(), result.end(), [&](int a, int b) { return begin(a) < begin(b); });
    return result;
  }

  // Kept, because a kernel template has an address of its own in each translation unit, and what is set for one does
  // not hold for the others.
  void (*m_solve_kernel)(Solve) = cuda_pencil_solve_kernel<Solve>;
  CudaPencilDevice m_device;
  Map m_map;
  bool m_limited;
  CudaPencilShape m_shape;
  int m_tiles_k;
  int m_clusters;
  cuda::DeviceArray<Packet> m_south_packets;
  cuda::DeviceArray<Packet> m_bottom_packets;
  cuda::DeviceArray<int> m_tile_order;
  cuda::DeviceArray<int> m_row_order;
  cuda::DeviceArray<CudaPencilState> m_solve_state;
  cuda::DeviceArray<CudaFactorState> m_factor_state;
  cuda::DeviceArray<int> m_progress;
};

}  // namespace hyperplane::detail
