// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/cluster_launch.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_pencil_factor.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_pencil_solve.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_shape.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
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
    auto const shape = choose_cuda_pencil_shape(map.grid(), vector_length, Solve::memory, m_device.multiprocessors,
                                                m_device.shared_bytes);
    m_layers = shape.layers;
    m_stages = shape.stages;
    m_solve.emplace(stream, cuda_pencil_solve_kernel<Solve>, shape.blocks, Solve::threads(m_layers),
                    Solve::memory.total(m_layers, m_stages), m_device.multiprocessors);
    m_factor = choose_cuda_factor_shape(map.grid(), vector_length, m_device.multiprocessors);
    m_factor.blocks = factor_launch<Scalar>(stream).blocks();
    m_south_packets = cuda::DeviceArray<Packet>(stream, Solve::south_packet_count(map));
    m_bottom_packets = cuda::DeviceArray<Packet>(stream, Solve::bottom_packet_count(map, solve_layers()));
    // Tiles by the time at which they can begin: a pencil is as many steps behind the one before as it has lanes, a
    // layer one step and the way there.
    m_solve_order = cuda::DeviceArray<int>(stream, order(tiles_k(solve_layers()), vector_length, solve_layers()));
    m_factor_order = cuda::DeviceArray<int>(stream, order(tiles_k(m_factor.blocks), vector_length, m_factor.blocks));
    m_solve_state = cuda::DeviceArray<CudaPencilState>(stream, 1);
    m_factor_state = cuda::DeviceArray<CudaFactorState>(stream, 1);
    m_progress = cuda::DeviceArray<int>(stream, std::size_t(map.pencils()) * map.grid().nk());
    cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }

  template <class MatrixStorage>
  void factor(cudaStream_t stream, const BlockStencil7Ref<MatrixStorage, n, vector_length>& a, const Factors& factors,
              unsigned long long* singular) const {
    auto const launch = factor_launch<MatrixStorage>(stream);
    require(launch.blocks() == m_factor.blocks, "BlockIlu0: the device holds no cluster of the size it had before");
    launch(stream, tiles_k(m_factor.blocks) * m_map.pencils(),
           {a, factors, singular, m_progress.data(), m_factor_order.data(), m_factor_state.data(),
            m_factor.steps_to_pencil});
  }

  void solve(cudaStream_t stream, const Factors& factors, const Vector& rhs, const Vector& x) const {
    std::size_t const values = std::size_t{7} * n * n * static_cast<std::size_t>(m_map.pack_count()) * vector_length;
    int const tiles = tiles_k(solve_layers()) * m_map.pencils();
    (*m_solve)(stream, tiles,
               {factors,
                rhs,
                x,
                m_south_packets.data(),
                m_bottom_packets.data(),
                m_solve_order.data(),
                m_solve_state.data(),
                {m_layers, m_stages, m_solve->blocks()},
                tiles,
                values * sizeof(Storage) <= m_device.cache_bytes});
  }

 private:
  template <class MatrixStorage>
  using Factor = CudaPencilFactor<Scalar, n, Storage, MatrixStorage, vector_length>;

  template <class MatrixStorage>
  cuda::ClusterLaunch<Factor<MatrixStorage>> factor_launch(cudaStream_t stream) const {
    return {stream,
            cuda_pencil_factor_kernel<Factor<MatrixStorage>>,
            m_factor.blocks,
            Factor<MatrixStorage>::threads,
            Factor<MatrixStorage>::shared_bytes,
            m_limited ? m_device.multiprocessors : std::numeric_limits<int>::max()};
  }

  /// Layers of a tile of the solve.
  int solve_layers() const { return m_layers * m_solve->blocks(); }
  /// Tiles of a pencil.
  int tiles_k(int layers) const { return (m_map.grid().nk() + layers - 1) / layers; }

  /// Numbers pencil + pencils * k of tiles, sorted by pencil * pencil_lag + k * layer_lag: topological, since every
  /// neighbour on which another depends has a smaller sum.
  std::vector<int> order(int tiles_k, int pencil_lag, int layer_lag) const {
    std::vector<int> result(std::size_t(m_map.pencils()) * tiles_k);
    for (std::size_t e = 0; e < result.size(); ++e) result[e] = static_cast<int>(e);
    auto const begin = [&](int number) {
      return std::int64_t{number % m_map.pencils()} * pencil_lag + std::int64_t{number / m_map.pencils()} * layer_lag;
    };
    std::stable_sort(result.begin(), result.end(), [&](int a, int b) { return begin(a) < begin(b); });
    return result;
  }

  CudaPencilDevice m_device;
  Map m_map;
  bool m_limited;
  int m_layers;  ///< of a block of the solve
  int m_stages;
  std::optional<cuda::ClusterLaunch<Solve>> m_solve;
  CudaFactorShape m_factor;
  cuda::DeviceArray<Packet> m_south_packets;
  cuda::DeviceArray<Packet> m_bottom_packets;
  cuda::DeviceArray<int> m_solve_order;
  cuda::DeviceArray<int> m_factor_order;
  cuda::DeviceArray<CudaPencilState> m_solve_state;
  cuda::DeviceArray<CudaFactorState> m_factor_state;
  cuda::DeviceArray<int> m_progress;
};

}  // namespace hyperplane::detail
