// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/check.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/sip_iteration/detail/sip_iteration_cuda_kernel.hpp>
#include <hyperplane/sweep/point_recursion_cuda_plan.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Tiles of an upper sweep, and of the lower sweep behind it, whose numbers follow those of all tiles: `order` for
/// both, merged by the time at which they can begin, or one after the other. `lag`: by how many steps a tile of the
/// lower sweep begins later than that of the upper sweep, more than `slab_lag` and `layer_lag`.
template <int vector_length>
std::vector<int> sip_merged_order(const SlabMap<vector_length>& map, const std::vector<int>& order, int slab_lag,
                                  int layer_lag, int lag, bool merged) {
  int const tiles = static_cast<int>(order.size());
  std::vector<int> result = order;
  for (int const tile : order) result.push_back(tiles + tile);
  auto const begin = [&](int number) {
    int const tile = number % tiles;
    return std::int64_t{tile % map.slabs()} * slab_lag + std::int64_t{tile / map.slabs()} * layer_lag +
           (number < tiles ? 0 : lag);
  };
  if (merged) std::stable_sort(result.begin(), result.end(), [&](int a, int b) { return begin(a) < begin(b); });
  return result;
}

/// Plan of a SipIterationLaunch. A call launches one kernel, allocates nothing and waits for nothing. One launch at a
/// time.
template <class Scalar, class Storage, int W>
class SipIterationPlan {
  using Launch = SipIterationLaunch<Scalar, Storage, W>;
  using Plan = PointRecursionPlan<Launch>;

 public:
  using Factors = typename Launch::Factors;
  using Map = SlabMap<W>;

  /// What the current device and the kernel as it was compiled lack; empty where it runs.
  static std::string lacking() { return Plan::lacking(); }

  /// Launches no more blocks than `multiprocessors`, so that they occupy no more of them; 0: all.
  SipIterationPlan(cudaStream_t stream, const Map& map, bool alternate, int multiprocessors)
      : m_map(map), m_alternate(alternate), m_plan(stream, map, multiprocessors) {
    // Later ones would occupy multiprocessors longer: measured on an H200, the least that keeps the order topological,
    // and a little, is best.
    int const lag = W + m_plan.tile_layers();
    m_merged_order =
        cuda::DeviceArray<int>(stream, sip_merged_order(map, m_plan.order(), W, m_plan.tile_layers(), lag, alternate));
    m_progress =
        cuda::DeviceArray<std::uint64_t>(stream, std::size_t(map.slabs()) * Plan::Recursion::beams_k(map.grid()));
    cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }

  /// `count` iterations of A x = b, which also leave the residual in r. `corrections`: two vectors of working memory,
  /// zero where there is no point.
  void operator()(cudaStream_t stream, const Factors& usual, const Factors& mirrored, const Scalar* a, const Scalar* b,
                  Scalar* x, Scalar* r, Scalar* const (&corrections)[2], int count) const {
    require(std::int64_t{m_plan.tiles()} * (2 * count + 1) <= std::numeric_limits<int>::max(),
            "SipIteration: the grid has too many tiles for so many iterations in one launch");
    std::size_t const bytes = static_cast<std::size_t>(m_map.pack_count()) * W *
                              ((m_alternate ? 14 : 7) * sizeof(Storage) + 12 * sizeof(Scalar));
    m_plan(stream, bytes, m_merged_order.data(), usual, m_alternate ? mirrored : usual, a, b, x, r, corrections[0],
           corrections[1], m_progress.data(), count, m_alternate);
  }

 private:
  Map m_map;
  bool m_alternate;
  Plan m_plan;
  cuda::DeviceArray<int> m_merged_order;
  cuda::DeviceArray<std::uint64_t> m_progress;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
