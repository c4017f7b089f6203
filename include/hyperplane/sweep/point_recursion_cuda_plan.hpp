// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/check.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/sweep/point_recursion_cuda_kernel.hpp>
#include <hyperplane/sweep/slab_order_cuda.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Beams of a tile: a pure function, from measurements on an H200. Many beams wait for one another in shared memory
/// alone, as far as the shared memory of a multiprocessor has room for their stages.
constexpr int choose_point_recursion_beams(const Grid& grid, int layers, std::size_t beam_bytes,
                                           std::size_t shared_bytes, int max_beams) {
  int const most = static_cast<int>(shared_bytes / beam_bytes);
  return std::clamp(std::min((grid.nk() + layers - 1) / layers, most), 1, max_beams);
}

/// Packets that a plan needs.
struct PointRecursionPackets {
  std::size_t south;
  std::size_t bottom;
  friend PointRecursionPackets most(const PointRecursionPackets& a, const PointRecursionPackets& b) {
    return {std::max(a.south, b.south), std::max(a.bottom, b.bottom)};
  }
};

/// Packets and state, which plans may share that never run at the same time: no stamp comes twice.
template <class Scalar>
class PointRecursionMemory {
 public:
  using Packet = cuda::Packet<Scalar>;

  PointRecursionMemory(cudaStream_t stream, const PointRecursionPackets& packets)
      : m_south(stream, packets.south), m_bottom(stream, packets.bottom), m_state(stream, 1) {}

  Packet* south() const { return m_south.data(); }
  Packet* bottom() const { return m_bottom.data(); }
  PointRecursionState* state() const { return m_state.data(); }

 private:
  cuda::DeviceArray<Packet> m_south;
  cuda::DeviceArray<Packet> m_bottom;
  cuda::DeviceArray<PointRecursionState> m_state;
};

/// Plan of a Launch, see point_recursion_kernel: order, and memory of its own or shared. A call launches one kernel,
/// allocates nothing and waits for nothing. One launch at a time.
template <class Launch>
class PointRecursionPlan {
 public:
  using Recursion = typename Launch::Recursion;
  using Map = typename Recursion::Map;
  using Memory = PointRecursionMemory<typename Recursion::Scalar>;

  /// What the current device and the kernel as it was compiled lack; empty where it runs.
  static std::string lacking() {
    return cuda::lacking({point_recursion_capability, Launch::shared_bytes(1)},
                         cuda::support_of(point_recursion_kernel<Launch>));
  }

  static PointRecursionPackets packets(const Map& map) {
    return {Recursion::south_packet_count(map), Recursion::bottom_packet_count(map, beams(map.grid()))};
  }

  PointRecursionPlan(cudaStream_t stream, const Map& map, int multiprocessors)
      : PointRecursionPlan(stream, map, multiprocessors, std::make_shared<Memory>(stream, packets(map))) {}

  /// Launches no more blocks than `multiprocessors`, so that they occupy no more of them; 0: all.
  PointRecursionPlan(cudaStream_t stream, const Map& map, int multiprocessors, const std::shared_ptr<Memory>& memory)
      : PointRecursionPlan(map, multiprocessors, memory) {
    // By the time at which they can begin: a slab is as many steps behind the one before as it has lanes, a tile of a
    // slab as many as it has layers.
    m_order = std::make_shared<const cuda::DeviceArray<int>>(stream, order());
    cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }

  /// With order and memory of another plan, which has as much to copy for a point and does not run at the same time. So
  /// nothing is allocated.
  template <class Other>
  explicit PointRecursionPlan(const PointRecursionPlan<Other>& other)
      : PointRecursionPlan(other.m_map, other.m_multiprocessors, other.m_memory) {
    require(m_beams == other.m_beams, "path slab: plans that share their order have different tiles");
    m_order = other.m_order;
  }

  /// `bytes`: what the recursions read. `rest`: what a Launch has after its Recursion.
  template <class... Rest>
  void operator()(cudaStream_t stream, std::size_t bytes, const Rest&... rest) const {
    Recursion const recursion{m_map,   m_memory->south(), m_memory->bottom(),    m_order->data(), m_memory->state(),
                              m_beams, m_tiles,           bytes <= m_cache_bytes};
    cuda::launch(stream, m_kernel, m_blocks, Launch::threads(m_beams), Launch::shared_bytes(m_beams),
                 cuda::Dependency::complete, Launch{recursion, rest...});
  }

  int tiles() const { return m_tiles; }
  int tile_layers() const { return m_beams * Recursion::layers; }
  std::vector<int> order() const {
    return cuda_slab_order(m_map, Recursion::tiles_k(m_map.grid(), m_beams), Recursion::W, tile_layers());
  }

 private:
  template <class Other>
  friend class PointRecursionPlan;

  /// Without an order.
  PointRecursionPlan(const Map& map, int multiprocessors, const std::shared_ptr<Memory>& memory)
      : m_map(map), m_multiprocessors(multiprocessors), m_beams(beams(map.grid())), m_memory(memory) {
    if (auto const missing = lacking(); !missing.empty()) fail("Path slab " + missing);
    cuda::allow_shared_memory(m_kernel);
    m_tiles = Recursion::tiles_k(map.grid(), m_beams) * map.slabs();
    int const resident = cuda::resident_blocks(m_kernel, Launch::threads(m_beams), Launch::shared_bytes(m_beams));
    // More would only queue for their tickets.
    m_blocks = std::min(Launch::sweeps_at_once * m_tiles,
                        multiprocessors > 0 ? std::min(multiprocessors, resident) : resident);
    m_cache_bytes = static_cast<std::size_t>(cuda::device_attribute(cudaDevAttrL2CacheSize));
  }

  static int beams(const Grid& grid) {
    return choose_point_recursion_beams(grid, Recursion::layers, Launch::shared_bytes(1),
                                        cuda::support_of(point_recursion_kernel<Launch>).m_shared_bytes,
                                        Launch::max_beams);
  }

  // Kept, because a kernel template has an address of its own in each translation unit, and what is set for one does
  // not hold for the others.
  void (*m_kernel)(Launch) = point_recursion_kernel<Launch>;
  Map m_map;
  int m_multiprocessors;
  int m_beams;
  int m_tiles;
  int m_blocks;
  std::size_t m_cache_bytes;
  std::shared_ptr<Memory> m_memory;
  std::shared_ptr<const cuda::DeviceArray<int>> m_order;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
