// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/check.hpp>
#include <hyperplane/cuda/cluster_launch.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/sweep/detail/scalar_solve_cuda_plan.hpp>
#include <hyperplane/sweep/detail/slab_solve_cuda_kernel.hpp>
#include <hyperplane/sweep/factor_scales.hpp>
#include <hyperplane/sweep/slab_device_cuda.hpp>
#include <hyperplane/sweep/slab_order_cuda.hpp>
#include <hyperplane/sweep/slab_shape_cuda.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Plan of the solve for blocks: packets, order and state. A call launches one kernel, allocates nothing and waits for
/// nothing. One launch at a time. Of a part of a box, see BlockIlu0Part, calls are for both sweeps.
template <class Scalar, int n, class Storage, int vector_length, bool is_part = false>
class CudaSlabBlockSolve {
  using Layout = CudaSlabLayout<Scalar, n, Storage, vector_length, is_part>;
  using Solve = CudaSlabSolve<CudaGridTiles<Layout>>;
  using TransposedLayout = CudaSlabLayout<Scalar, n, Storage, vector_length, is_part, true>;
  using TransposedSolve = CudaSlabSolve<CudaGridTiles<TransposedLayout>>;
  using Packet = typename Layout::Packet;

 public:
  using Map = SlabMap<vector_length>;
  using Factors = TriangularFactors<Storage, n, vector_length>;
  using Vector = BlockVectorRef<Scalar, n, vector_length>;
  using Outside = decltype(Layout::m_outside);

  /// What the current device and the kernel as it was compiled lack; empty where it runs.
  static std::string lacking() {
    return cuda::lacking({is_part ? cuda_part_capability : cuda_slab_capability, Layout::memory.total(1, 1)},
                         cuda::support_of(cuda_slab_solve_kernel<Solve>));
  }

  CudaSlabBlockSolve(cudaStream_t stream, const Map& map, int multiprocessors, int /*right_hand_sides*/,
                     const Outside& outside = {})
      : CudaSlabBlockSolve(stream, map, CudaSlabDevice::limited(multiprocessors), outside) {}

  /// One vector after another.
  template <int count>
  void operator()(cudaStream_t stream, Sweeps sweeps, const Factors& factors, const VectorRefs<Vector, count>& rhs,
                  const VectorRefs<Vector, count>& x) const {
    for (int v = 0; v < count; ++v) launch<Solve>(m_launch, stream, sweeps, factors, rhs[v], x[v]);
  }

  /// What solve_transposed() does when it is called for the first time: the launch of another kernel.
  void prepare_transposed(cudaStream_t stream) {
    static_assert(TransposedLayout::memory == Layout::memory);
    if (m_transposed) return;
    cuda::ClusterLaunch<TransposedSolve> const transposed(
        stream, cuda_slab_solve_kernel<TransposedSolve>, m_shape.blocks, Layout::threads(m_shape.layers),
        Layout::memory.total(m_shape.layers, m_shape.stages), m_multiprocessors);
    require(transposed.blocks() == m_shape.blocks, "path slab: the device has changed under a plan");
    m_transposed = transposed;
  }

  /// With M^T. Packets, order and state are those of the plain sweeps, which do not run at the same time.
  void solve_transposed(cudaStream_t stream, Sweeps sweeps, const Factors& factors, const Vector& rhs,
                        const Vector& x) {
    prepare_transposed(stream);
    launch<TransposedSolve>(*m_transposed, stream, sweeps, factors, rhs, x);
  }

 private:
  template <class S>
  void launch(const cuda::ClusterLaunch<S>& run, cudaStream_t stream, Sweeps sweeps, const Factors& factors,
              const Vector& rhs, const Vector& x) const {
    std::size_t const values = std::size_t{7} * n * n * static_cast<std::size_t>(m_map.pack_count()) * vector_length;
    auto const& y = sweeps == Sweeps::backward ? rhs : x;
    run(stream, m_tiles,
        {{{factors, 0, m_south_packets.data(), m_bottom_packets.data(), &m_state.data()->m_forward_finished, m_shape,
           m_tiles, values * sizeof(Storage) <= m_cache_bytes, m_outside},
          {rhs.packs(), y.packs(), x.packs()},
          m_order.data(),
          m_state.data(),
          sweeps}});
  }

  static bool by_slabs(const Map& map, const CudaSlabDevice& device) {
    return is_part || cuda_tiles_by_slabs(map.grid(), vector_length, std::size_t{7} * n * n * sizeof(Storage),
                                          device.multiprocessors);
  }

  CudaSlabBlockSolve(cudaStream_t stream, const Map& map, const CudaSlabDevice& device, const Outside& outside)
      : m_map(map),
        m_outside(outside),
        m_cache_bytes(device.cache_bytes),
        m_multiprocessors(device.multiprocessors),
        m_shape(choose_cuda_slab_shape(map.grid(), vector_length, Layout::memory, device.multiprocessors,
                                       device.shared_bytes, by_slabs(map, device))),
        m_launch(stream, cuda_slab_solve_kernel<Solve>, m_shape.blocks, Layout::threads(m_shape.layers),
                 Layout::memory.total(m_shape.layers, m_shape.stages), device.multiprocessors) {
    m_shape.blocks = m_launch.blocks();
    int const layers = m_shape.layers * m_shape.blocks;
    int const tiles_k = (map.grid().nk() + layers - 1) / layers;
    m_tiles = tiles_k * map.slabs();
    m_south_packets = cuda::DeviceArray<Packet>(stream, Layout::south_packet_count(map));
    m_bottom_packets = cuda::DeviceArray<Packet>(stream, Layout::bottom_packet_count(map, layers));
    // Tiles by the time at which they can begin: a slab is as many steps behind the one before as it has lanes, a
    // layer one step and the way there.
    m_order =
        cuda::DeviceArray<int>(stream, by_slabs(map, device) ? cuda_order_by_slabs(map, tiles_k)
                                                             : cuda_slab_order(map, tiles_k, vector_length, layers));
    m_state = cuda::DeviceArray<CudaSlabState>(stream, 1);
    cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }

  Map m_map;
  Outside m_outside;
  std::size_t m_cache_bytes;
  int m_multiprocessors;
  CudaSlabShape m_shape;
  cuda::ClusterLaunch<Solve> m_launch;
  std::optional<cuda::ClusterLaunch<TransposedSolve>> m_transposed;
  int m_tiles;
  cuda::DeviceArray<Packet> m_south_packets;
  cuda::DeviceArray<Packet> m_bottom_packets;
  cuda::DeviceArray<int> m_order;
  cuda::DeviceArray<CudaSlabState> m_state;
};

/// Plan of SweepPath::slab: one launch for a vector. Recursions over points know no units.
template <class Scalar, int n, class Storage, int vector_length>
using CudaSlabSweeps =
    std::conditional_t<n == 1 && !has_scales<Storage>, CudaScalarSolve<Scalar, Storage, vector_length>,
                       CudaSlabBlockSolve<Scalar, n, Storage, vector_length>>;

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
