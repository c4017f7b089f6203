// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/cuda/check.hpp>
#include <hyperplane/cuda/cluster_launch.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/sweep/detail/slab_solve_cuda_kernel.hpp>
#include <hyperplane/sweep/group_order_cuda.hpp>
#include <hyperplane/sweep/slab_device_cuda.hpp>
#include <hyperplane/sweep/slab_shape_cuda.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Plan of the solves on several grids that do not depend on one another, for blocks: packets, order and state. A call
/// launches one kernel, allocates nothing and waits for nothing. One launch at a time.
template <class Scalar, int n, class Storage, int vector_length>
class CudaSlabGroupSolve {
  using Layout = CudaSlabLayout<Scalar, n, Storage, vector_length>;
  using Tiles = CudaGroupTiles<Layout>;
  using Solve = CudaSlabSolve<Tiles>;
  using Packet = typename Layout::Packet;
  using Vector = typename Layout::Vectors::Vector;

 public:
  using Map = SlabMap<vector_length>;
  /// The factors of a grid, and where its values begin in vectors: a number of SIMD groups.
  struct Member {
    TriangularFactors<Storage, n, vector_length> factors;
    std::int64_t first_pack;
  };

  /// What the current device and the kernel as it was compiled lack; empty where it runs.
  static std::string lacking() {
    return cuda::lacking({cuda_slab_capability, memory.total(1, 1)}, cuda::support_of(cuda_slab_solve_kernel<Solve>));
  }

  CudaSlabGroupSolve(cudaStream_t stream, const std::vector<Member>& members, int multiprocessors)
      : CudaSlabGroupSolve(stream, members, CudaSlabDevice::limited(multiprocessors)) {}

  /// Vectors have the values of all grids; x may be rhs.
  void operator()(cudaStream_t stream, Sweeps sweeps, Scalar* rhs, Scalar* x) const {
    auto const& order = m_orders[as_size(static_cast<int>(sweeps))];
    m_launch(stream, static_cast<int>(order.size()),
             {{m_layouts.data(),
               {Vector(rhs), Vector(sweeps == Sweeps::backward ? rhs : x), Vector(x)},
               order.data(),
               m_state.data(),
               m_forward_finished.data(),
               m_shape,
               static_cast<int>(m_layouts.size()),
               static_cast<int>(order.size()),
               sweeps}});
  }

 private:
  static constexpr CudaSlabMemory memory{Layout::memory.stage, Layout::memory.row,
                                         Layout::memory.block + Tiles::shared_bytes};

  CudaSlabGroupSolve(cudaStream_t stream, const std::vector<Member>& members, const CudaSlabDevice& device)
      : m_shape(choose_cuda_group_shape(maps(members), memory, device.multiprocessors, device.shared_bytes,
                                        Layout::tall_from)),
        m_launch(stream, cuda_slab_kernel<Solve>(m_shape), m_shape.blocks, Layout::threads(m_shape.layers),
                 memory.total(m_shape.layers, m_shape.stages), device.multiprocessors) {
    m_shape.blocks = m_launch.blocks();
    std::size_t values = 0;
    std::size_t south_packets = 0;
    std::size_t bottom_packets = 0;
    for (auto const& map : maps(members)) {
      values += std::size_t{7} * n * n * as_size(map.pack_count()) * vector_length;
      south_packets += Layout::south_packet_count(map);
      bottom_packets += Layout::bottom_packet_count(map, tile_layers());
    }
    m_south_packets = cuda::DeviceArray<Packet>(stream, south_packets);
    m_bottom_packets = cuda::DeviceArray<Packet>(stream, bottom_packets);
    m_forward_finished = cuda::DeviceArray<int>(stream, members.size());
    m_state = cuda::DeviceArray<CudaSlabState>(stream, 1);
    m_layouts = cuda::DeviceArray<Layout>(stream, layouts(members, values * sizeof(Storage) <= device.cache_bytes));
    set_orders(stream, members, std::max(1, device.multiprocessors / m_shape.blocks));
    cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }

  static std::vector<Map> maps(const std::vector<Member>& members) {
    std::vector<Map> result;
    for (auto const& member : members) result.push_back(member.factors.m_map);
    return result;
  }

  int tile_layers() const { return m_shape.layers * m_shape.blocks; }

  /// What the kernel is told of each grid, with its part of the packets.
  std::vector<Layout> layouts(const std::vector<Member>& members, bool keep_factors) const {
    std::vector<Layout> result;
    auto* south_packets = m_south_packets.data();
    auto* bottom_packets = m_bottom_packets.data();
    auto* forward_finished = m_forward_finished.data();
    for (auto const& [factors, first_pack] : members) {
      auto const& map = factors.m_map;
      int const tiles = (map.grid().nk() + tile_layers() - 1) / tile_layers() * map.slabs();
      result.push_back(
          {factors, first_pack, south_packets, bottom_packets, forward_finished++, m_shape, tiles, keep_factors});
      south_packets += Layout::south_packet_count(map);
      bottom_packets += Layout::bottom_packet_count(map, tile_layers());
    }
    return result;
  }

  void set_orders(cudaStream_t stream, const std::vector<Member>& members, int clusters) {
    CudaGroupOrder<vector_length> const order(maps(members), tile_layers(), clusters);
    auto const set = [&](Sweeps sweeps, const std::vector<CudaGroupTile>& tiles) {
      m_orders[as_size(static_cast<int>(sweeps))] = cuda::DeviceArray<CudaGroupTile>(stream, tiles);
    };
    set(Sweeps::both, order.list(true));
    auto half = order.list(false);
    set(Sweeps::forward, half);
    for (auto& [grid, number] : half) {
      auto const& map = members[as_size(grid)].factors.m_map;
      number += (map.grid().nk() + tile_layers() - 1) / tile_layers() * map.slabs();
    }
    set(Sweeps::backward, half);
  }

  CudaSlabShape m_shape;
  cuda::ClusterLaunch<Solve> m_launch;
  cuda::DeviceArray<Packet> m_south_packets;
  cuda::DeviceArray<Packet> m_bottom_packets;
  cuda::DeviceArray<int> m_forward_finished;
  cuda::DeviceArray<CudaSlabState> m_state;
  cuda::DeviceArray<Layout> m_layouts;
  std::array<cuda::DeviceArray<CudaGroupTile>, 3> m_orders;  ///< by Sweeps
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
