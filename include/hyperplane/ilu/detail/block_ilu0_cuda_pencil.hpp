// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/cluster_launch.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_pencil_factor.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_pencil_solve.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_scalar.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_shape.hpp>
#include <hyperplane/ilu/detail/pencil_order_cuda.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

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
  /// Of which a plan may use so many multiprocessors; 0: all.
  static CudaPencilDevice limited(int multiprocessors) {
    auto device = current();
    if (multiprocessors > 0) device.multiprocessors = std::min(device.multiprocessors, multiprocessors);
    return device;
  }
};

/// Plan of the solve for blocks: packets, order and state. A call launches one kernel, allocates nothing and waits for
/// nothing. One launch at a time.
template <class Scalar, int n, class Storage, int vector_length>
class CudaPencilBlockSolve {
  using Solve = CudaPencilSolve<Scalar, n, Storage, vector_length>;
  using Packet = typename Solve::Packet;

 public:
  using Map = PencilMap<vector_length>;

  /// Whether the current device can run the kernel, and it was compiled for it.
  static bool suits() {
    auto const device = CudaPencilDevice::current();
    if (device.capability_major < 9) return false;
    cudaFuncAttributes attributes{};
    cuda::check(cudaFuncGetAttributes(&attributes, cuda_pencil_solve_kernel<Solve>), "cudaFuncGetAttributes");
    return attributes.ptxVersion >= 90 && Solve::memory.total(1, 1) <= device.shared_bytes;
  }

  CudaPencilBlockSolve(cudaStream_t stream, const Map& map, int multiprocessors, int /*right_hand_sides*/)
      : CudaPencilBlockSolve(stream, map, CudaPencilDevice::limited(multiprocessors)) {}

  /// One vector after another.
  template <int count>
  void operator()(cudaStream_t stream, Sweeps sweeps, const BlockIlu0Factors<Storage, n, vector_length>& factors,
                  const VectorRefs<BlockVectorRef<Scalar, n, vector_length>, count>& rhs,
                  const VectorRefs<BlockVectorRef<Scalar, n, vector_length>, count>& x) const {
    std::size_t const values = std::size_t{7} * n * n * static_cast<std::size_t>(m_map.pack_count()) * vector_length;
    for (int v = 0; v < count; ++v) {
      auto const& y = sweeps == Sweeps::backward ? rhs[v] : x[v];
      m_launch(stream, m_tiles,
               {factors, rhs[v], y, x[v], m_south_packets.data(), m_bottom_packets.data(), m_order.data(),
                m_state.data(), m_shape, m_tiles, values * sizeof(Storage) <= m_cache_bytes, sweeps});
    }
  }

 private:
  CudaPencilBlockSolve(cudaStream_t stream, const Map& map, const CudaPencilDevice& device)
      : m_map(map),
        m_cache_bytes(device.cache_bytes),
        m_shape(choose_cuda_pencil_shape(map.grid(), vector_length, Solve::memory, device.multiprocessors,
                                         device.shared_bytes)),
        m_launch(stream, cuda_pencil_solve_kernel<Solve>, m_shape.blocks, Solve::threads(m_shape.layers),
                 Solve::memory.total(m_shape.layers, m_shape.stages), device.multiprocessors) {
    m_shape.blocks = m_launch.blocks();
    int const layers = m_shape.layers * m_shape.blocks;
    int const tiles_k = (map.grid().nk() + layers - 1) / layers;
    m_tiles = tiles_k * map.pencils();
    m_south_packets = cuda::DeviceArray<Packet>(stream, Solve::south_packet_count(map));
    m_bottom_packets = cuda::DeviceArray<Packet>(stream, Solve::bottom_packet_count(map, layers));
    // Tiles by the time at which they can begin: a pencil is as many steps behind the one before as it has lanes, a
    // layer one step and the way there.
    m_order = cuda::DeviceArray<int>(stream, cuda_pencil_order(map, tiles_k, vector_length, layers));
    m_state = cuda::DeviceArray<CudaPencilState>(stream, 1);
    cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }

  Map m_map;
  std::size_t m_cache_bytes;
  CudaPencilShape m_shape;
  cuda::ClusterLaunch<Solve> m_launch;
  int m_tiles;
  cuda::DeviceArray<Packet> m_south_packets;
  cuda::DeviceArray<Packet> m_bottom_packets;
  cuda::DeviceArray<int> m_order;
  cuda::DeviceArray<CudaPencilState> m_state;
};

/// Plan of the pencil path on CUDA. factor() launches one kernel, and so does solve() for one vector; they allocate
/// nothing and wait for nothing. One call at a time.
template <class Scalar, int n, class Storage, int vector_length>
class BlockIlu0CudaPencil {
  using Solve = std::conditional_t<n == 1, CudaScalarSolve<Scalar, Storage, vector_length>,
                                   CudaPencilBlockSolve<Scalar, n, Storage, vector_length>>;

 public:
  using Map = PencilMap<vector_length>;
  using Factors = BlockIlu0Factors<Storage, n, vector_length>;
  using Vector = BlockVectorRef<Scalar, n, vector_length>;

  /// Whether the current device can run both kernels, and they were compiled for it.
  static bool suits() {
    constexpr std::size_t factor_bytes = CudaPencilFactor<Scalar, n, Storage, Scalar, vector_length>::shared_bytes;
    return Solve::suits() && factor_bytes <= cuda::max_shared_bytes();
  }

  /// Launches no more blocks than `multiprocessors`, so that they occupy no more of them; 0: all.
  BlockIlu0CudaPencil(cudaStream_t stream, const Map& map, int multiprocessors, int right_hand_sides)
      : m_map(map),
        m_solve(stream, map, multiprocessors, right_hand_sides),
        m_limit(multiprocessors > 0 ? CudaPencilDevice::limited(multiprocessors).multiprocessors
                                    : std::numeric_limits<int>::max()),
        m_factor(choose_cuda_factor_shape(map.grid(), vector_length,
                                          CudaPencilDevice::limited(multiprocessors).multiprocessors)) {
    m_factor.blocks = factor_launch<Scalar>(stream).blocks();
    m_factor_order = cuda::DeviceArray<int>(stream, cuda_pencil_order(map, tiles_k(), vector_length, m_factor.blocks));
    m_factor_state = cuda::DeviceArray<CudaFactorState>(stream, 1);
    m_progress = cuda::DeviceArray<int>(stream, std::size_t(map.pencils()) * map.grid().nk());
    cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }

  template <class MatrixStorage>
  void factor(cudaStream_t stream, const BlockStencil7Ref<MatrixStorage, n, vector_length>& a, const Factors& factors,
              unsigned long long* singular) const {
    auto const launch = factor_launch<MatrixStorage>(stream);
    require(launch.blocks() == m_factor.blocks, "BlockIlu0: the device holds no cluster of the size it had before");
    launch(stream, tiles_k() * m_map.pencils(),
           {a, factors, singular, m_progress.data(), m_factor_order.data(), m_factor_state.data(),
            m_factor.steps_to_pencil});
  }

  template <int count>
  void solve(cudaStream_t stream, Sweeps sweeps, const Factors& factors, const VectorRefs<Vector, count>& rhs,
             const VectorRefs<Vector, count>& x) const {
    m_solve(stream, sweeps, factors, rhs, x);
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
            m_limit};
  }

  /// Tiles of a pencil of the factorization.
  int tiles_k() const { return (m_map.grid().nk() + m_factor.blocks - 1) / m_factor.blocks; }

  Map m_map;
  Solve m_solve;
  int m_limit;  ///< of multiprocessors
  CudaFactorShape m_factor;
  cuda::DeviceArray<int> m_factor_order;
  cuda::DeviceArray<CudaFactorState> m_factor_state;
  cuda::DeviceArray<int> m_progress;
};

}  // namespace hyperplane::detail
