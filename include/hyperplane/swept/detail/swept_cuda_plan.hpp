// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/check.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/event.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/swept/detail/swept_cuda_copy.hpp>
#include <hyperplane/swept/detail/swept_cuda_shape.hpp>
#include <hyperplane/swept/detail/swept_cuda_tiles.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

#if defined(__CUDACC__)

/// The kernels that a problem has tiles in registers with. Kept as pointers, because a kernel template has an address
/// of its own in each translation unit, and what is set for one does not hold for the others.
template <class Problem>
struct SweptTileEntry {
  using Packet = SweptPacket<Problem>;
  int m_lane_points;
  int m_warps;
  std::size_t m_shared_bytes;
  void (*m_tiles)(Problem, SweptCut, SweptRow<Problem>, SweptRow<Problem>, std::int64_t);
  void (*m_resident)(Problem, SweptCut, SweptRow<Problem>, Packet*, typename Packet::Stamp, std::int64_t);

  int threads() const { return warp_lanes * m_warps; }
};

template <class Problem>
const std::vector<SweptTileEntry<Problem>>& swept_tile_entries() {
  // The states of a lane's points have about half of its registers.
  constexpr int values = Problem::components * (Problem::sub_steps > 1 ? 2 : 1);
  constexpr int least = std::max(4, Problem::half_width + 1);
  constexpr int most = std::max(least, std::min(32 / values / 4 * 4, 16));
  constexpr int between = std::clamp(8, least, most);
  static const auto entries = [] {
    std::vector<SweptTileEntry<Problem>> result;
    auto const add = [&](auto lane_points, auto warps) {
      constexpr int p = decltype(lane_points)::value;
      constexpr int w = decltype(warps)::value;
      for (auto const& entry : result) {
        if (entry.m_lane_points == p && entry.m_warps == w) return;
      }
      result.push_back({p, w, sizeof(typename SweptTileTypes<Problem, p, w>::Shared), swept_tiles<Problem, p, w>,
                        swept_resident<Problem, p, w>});
    };
    using std::integral_constant;
    add(integral_constant<int, least>{}, integral_constant<int, 1>{});
    add(integral_constant<int, between>{}, integral_constant<int, 1>{});
    add(integral_constant<int, most>{}, integral_constant<int, 1>{});
    add(integral_constant<int, between>{}, integral_constant<int, 4>{});
    add(integral_constant<int, between>{}, integral_constant<int, 8>{});
    add(integral_constant<int, most>{}, integral_constant<int, 8>{});
    add(integral_constant<int, most>{}, integral_constant<int, 16>{});
    return result;
  }();
  return entries;
}

/// What the current device and the kernels as they were compiled lack of what the variant `resident` needs: packets of
/// doubles are exchanged by accesses of 128 bits. Empty where it runs.
template <class Problem>
std::string swept_resident_lacking() {
  constexpr int wide_accesses = 90;
  return cuda::lacking({wide_accesses, 0}, cuda::support_of(swept_tile_entries<Problem>().front().m_resident));
}

/// The best shape of the variant `tiles` or `resident`, with such tiles as the options ask for.
template <class Problem>
SweptTileShape choose_swept_shape(std::int64_t points, SweptVariant variant, const SweptOptions& options) {
  bool const resident = variant == SweptVariant::resident;
  SweptCosts const costs{Problem::half_width, Problem::sub_steps, Problem::components, swept_operations<Problem>(),
                         cuda::multiprocessor_count()};
  std::vector<SweptTileKernel> kernels;
  for (auto const& entry : swept_tile_entries<Problem>()) {
    SweptTileKernel kernel{entry.m_lane_points, entry.m_warps, 0};
    if (options.tile_points == 0 || kernel.tile_points() == options.tile_points) {
      // For this plan's device: the limit belongs to the kernel and the device.
      if (resident) {
        cuda::allow_shared_memory(entry.m_resident);
      } else {
        cuda::allow_shared_memory(entry.m_tiles);
      }
      int const blocks = resident ? cuda::resident_blocks(entry.m_resident, entry.threads(), entry.m_shared_bytes)
                                  : cuda::resident_blocks(entry.m_tiles, entry.threads(), entry.m_shared_bytes);
      kernel.m_resident_blocks = blocks / costs.m_multiprocessors;
    }
    kernels.push_back(kernel);
  }
  return resident ? choose_resident_shape(points, costs, kernels, options.tile_steps)
                  : choose_tiles_shape(points, costs, kernels, options.tile_steps);
}

/// The variants `tiles` and `resident`.
template <class Problem>
class SweptTilePlan {
 public:
  SweptTilePlan(cudaStream_t stream, const Problem& problem, std::int64_t points, SweptVariant variant,
                const SweptOptions& options)
      : m_problem(problem), m_points(points), m_shape(choose_swept_shape<Problem>(points, variant, options)) {
    if (!m_shape.possible()) {
      fail(std::string("SweptRule: no tiles of the variant ") + name(variant) + " fit " + std::to_string(points) +
           " points" +
           (options.tile_points > 0 ? " with " + std::to_string(options.tile_points) + " points a tile"
                                    : std::string()));
    }
    if (variant == SweptVariant::resident) {
      cuda::require_resident("SweptRule", entry().m_resident, static_cast<int>(m_shape.m_tiles), entry().threads(),
                             entry().m_shared_bytes);
      m_packets =
          cuda::DeviceArray<SweptPacket<Problem>>(stream, static_cast<std::size_t>(2 * Problem::components * points));
      m_done.record(stream);
    }
  }

  const SweptTileShape& shape() const { return m_shape; }

  void advance(cudaStream_t stream, const SweptRows<Problem>& rows, std::int64_t steps) {
    if (m_shape.m_variant == SweptVariant::resident) return advance_at_once(stream, rows.m_rows[0], steps);
    advance_in_turn(stream, rows.m_rows[0], rows.m_rows[1], steps);
  }

 private:
  const SweptTileEntry<Problem>& entry() const { return swept_tile_entries<Problem>()[m_shape.m_kernel]; }
  SweptCut cut() const { return {m_points, m_shape.m_tiles, m_shape.m_steps}; }

  void advance_at_once(cudaStream_t stream, const SweptRow<Problem>& u, std::int64_t steps) {
    // The packets serve one launch at a time.
    m_done.wait(stream);
    cuda::launch(stream, entry().m_resident, static_cast<int>(m_shape.m_tiles), entry().threads(),
                 entry().m_shared_bytes, cuda::Dependency::cooperative, m_problem, cut(), u, m_packets.data(), m_stamp,
                 steps);
    m_done.record(stream);
    m_stamp += static_cast<typename SweptPacket<Problem>::Stamp>((steps + m_shape.m_steps - 1) / m_shape.m_steps);
  }

  void advance_in_turn(cudaStream_t stream, const SweptRow<Problem>& u, const SweptRow<Problem>& spare,
                       std::int64_t steps) {
    // An even number of launches ends where it began.
    auto launches = (steps + m_shape.m_steps - 1) / m_shape.m_steps;
    if (launches % 2 == 1 && steps > launches) ++launches;
    for (std::int64_t number = 0; number < launches; ++number) {
      auto const now = (number + 1) * steps / launches - number * steps / launches;
      cuda::launch(stream, entry().m_tiles, static_cast<int>(m_shape.m_tiles), entry().threads(),
                   entry().m_shared_bytes, cuda::Dependency::complete, m_problem, cut(), number % 2 == 0 ? u : spare,
                   number % 2 == 0 ? spare : u, now);
    }
    if (launches % 2 == 1) swept_copy(stream, spare, u, m_points);
  }

  Problem m_problem;
  std::int64_t m_points;
  SweptTileShape m_shape;
  cuda::DeviceArray<SweptPacket<Problem>> m_packets;
  typename SweptPacket<Problem>::Stamp m_stamp = 1;
  cuda::Event m_done;
};

#endif

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
