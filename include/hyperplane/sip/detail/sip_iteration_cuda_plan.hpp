// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/check.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/ilu/detail/pencil_order_cuda.hpp>
#include <hyperplane/ilu/detail/point_recursion_cuda_plan.hpp>
#include <hyperplane/sip/detail/sip_iteration_cuda_kernel.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace hyperplane::detail {

/// Tiles of an upper sweep, and of the lower sweep behind it, whose numbers follow those of all tiles: `order` for
/// both, merged by the time at which they can begin, or one after the other. `lag`: by how many steps a tile of the
/// lower sweep begins later than that of the upper sweep, more than `pencil_lag` and `layer_lag`.
template <int vector_length>
std::vector<int> sip_merged_order(const PencilMap<vector_length>& map, const std::vector<int>& order, int pencil_lag,
                                  int layer_lag, int lag, bool merged) {
  int const tiles = static_cast<int>(order.size());
  std::vector<int> result = order;
  for (int const tile : order) result.push_back(tiles + tile);
  auto const begin = [&](int number) {
    int const tile = number % tiles;
    return std::int64_t{tile % map.pencils()} * pencil_lag + std::int64_t{tile / map.pencils()} * layer_lag +
           (number < tiles ? 0 : lag);
  };
  if (merged) std::stable_sort(result.begin(), result.end(), [&](int a, int b) { return begin(a) < begin(b); });
  return result;
}

/// Plan of a SipIterationLaunch. A call launches one kernel, allocates nothing and waits for nothing. One launch at a
/// time.
template <class Scalar, class Storage, int W>
class SipIterationPlan {
 public:
  using Launch = SipIterationLaunch<Scalar, Storage, W>;
  using Factors = typename Launch::Factors;
  using Map = PencilMap<W>;

  /// Whether the current device can run the kernel, and it was compiled for it.
  static bool suits() {
    if (cuda::device_attribute(cudaDevAttrComputeCapabilityMajor) < 9) return false;
    cudaFuncAttributes attributes{};
    cuda::check(cudaFuncGetAttributes(&attributes, sip_iteration_kernel<Launch>), "cudaFuncGetAttributes");
    return attributes.ptxVersion >= 90 &&
           Launch::shared_bytes(1) + attributes.sharedSizeBytes <= cuda::max_shared_bytes();
  }

  /// Launches no more blocks than `multiprocessors`, so that they occupy no more of them; 0: all.
  SipIterationPlan(cudaStream_t stream, const Map& map, bool alternate, int multiprocessors)
      : m_map(map), m_alternate(alternate) {
    require(suits(), "pipelined SIP: the device, or the kernel that was compiled for it, is older than 9.0");
    auto const& grid = map.grid();
    cudaFuncAttributes attributes{};
    cuda::check(cudaFuncGetAttributes(&attributes, m_kernel), "cudaFuncGetAttributes");
    m_beams = std::min(sip_iteration_max_beams,
                       choose_point_recursion_beams(grid, Recursion::layers, Launch::shared_bytes(1),
                                                    cuda::max_shared_bytes() - attributes.sharedSizeBytes));
    cuda::allow_shared_memory(m_kernel);
    int const tiles_k = Recursion::tiles_k(grid, m_beams);
    m_tiles = tiles_k * map.pencils();
    int const resident = cuda::resident_blocks(m_kernel, Launch::threads(m_beams), Launch::shared_bytes(m_beams));
    m_blocks = std::min(2 * m_tiles, multiprocessors > 0 ? std::min(multiprocessors, resident) : resident);
    m_south_packets = cuda::DeviceArray<Packet>(stream, Recursion::south_packet_count(map));
    m_bottom_packets = cuda::DeviceArray<Packet>(stream, Recursion::bottom_packet_count(map, m_beams));
    int const layer_lag = m_beams * Recursion::layers;
    auto const order = cuda_pencil_order(map, tiles_k, W, layer_lag);
    m_order = cuda::DeviceArray<int>(stream, order);
    // Later ones would occupy multiprocessors longer: measured on an H200, the least that keeps the order topological,
    // and a little, is best.
    int const lag = W + layer_lag;
    m_merged_order = cuda::DeviceArray<int>(stream, sip_merged_order(map, order, W, layer_lag, lag, alternate));
    m_state = cuda::DeviceArray<PointRecursionState>(stream, 1);
    m_progress = cuda::DeviceArray<std::uint64_t>(stream, std::size_t(map.pencils()) * Recursion::beams_k(grid));
    m_cache_bytes = static_cast<std::size_t>(cuda::device_attribute(cudaDevAttrL2CacheSize));
    cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }

  /// `count` iterations of A x = b, which also leave the residual in r. `corrections`: two vectors of working memory,
  /// zero where there is no point.
  void operator()(cudaStream_t stream, const Factors& usual, const Factors& mirrored, const Scalar* a, const Scalar* b,
                  Scalar* x, Scalar* r, Scalar* const (&corrections)[2], int count) const {
    require(std::int64_t{m_tiles} * (2 * count + 1) <= std::numeric_limits<int>::max(),
            "SipIteration: the grid has too many tiles for so many iterations in one launch");
    std::size_t const bytes = static_cast<std::size_t>(m_map.pack_count()) * W *
                              ((m_alternate ? 14 : 7) * sizeof(Storage) + 12 * sizeof(Scalar));
    Recursion const recursion{m_map,          m_south_packets.data(), m_bottom_packets.data(),
                              m_order.data(), m_state.data(),         m_beams,
                              m_tiles,        bytes <= m_cache_bytes};
    Launch const launch{recursion,
                        m_merged_order.data(),
                        {usual, m_alternate ? mirrored : usual},
                        a,
                        b,
                        x,
                        r,
                        {corrections[0], corrections[1]},
                        m_progress.data(),
                        count,
                        m_alternate};
    cuda::launch(stream, m_kernel, m_blocks, Launch::threads(m_beams), Launch::shared_bytes(m_beams),
                 cuda::Dependency::complete, launch);
  }

 private:
  using Recursion = typename Launch::Recursion;
  using Packet = typename Recursion::Packet;

  // Kept, because a kernel template has an address of its own in each translation unit, and what is set for one does
  // not hold for the others.
  void (*m_kernel)(Launch) = sip_iteration_kernel<Launch>;
  Map m_map;
  bool m_alternate;
  int m_beams;
  int m_tiles;
  int m_blocks;
  std::size_t m_cache_bytes;
  cuda::DeviceArray<Packet> m_south_packets;
  cuda::DeviceArray<Packet> m_bottom_packets;
  cuda::DeviceArray<int> m_order;
  cuda::DeviceArray<int> m_merged_order;
  cuda::DeviceArray<PointRecursionState> m_state;
  cuda::DeviceArray<std::uint64_t> m_progress;
};

}  // namespace hyperplane::detail
