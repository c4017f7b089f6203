// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/check.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>
#include <hyperplane/cuda/progress.hpp>
#include <hyperplane/sweep/group_order_cuda.hpp>
#include <hyperplane/sweep/point_recursion_cuda_kernel.hpp>
#include <hyperplane/sweep/point_recursion_cuda_plan.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

/// Recursions over the points of several grids that do not depend on one another, in one launch. Blocks take the tiles
/// of all grids by ticket. Those of each grid are in topological order, those of a second recursion after those of the
/// first, so the order of all is topological, however they are mixed.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A grid of a group. `m_given` is what its works are made of; it has the grid's TriangularFactors, m_factors.
template <class Recursion_, class Given_>
struct PointRecursionMember {
  using Recursion = Recursion_;
  using Given = Given_;
  Recursion m_recursion;
  Given m_given;
  int* m_first_finished;  ///< tiles of its first recursion that have finished, where the second one waits for them
};

/// The work of one launch. Works: First and Second, the works of a grid's recursions, which are first(given) and
/// second(given), and waits(), whether a launch has both. Where there is one alone, First is Second.
template <class Member_, class Works_>
struct PointRecursionGroupLaunch {
  using Member = Member_;
  using Works = Works_;
  using Recursion = typename Member::Recursion;
  using First = typename Works::First;
  using Second = typename Works::Second;
  static constexpr bool has_second = !std::is_same_v<First, Second>;
  using Block = PointRecursionBlock<Recursion, First>;
  using Beam = typename Block::Beam;
  using Stamp = typename Block::Stamp;
  static constexpr int max_beams = point_recursion_max_beams;

  const Member* m_members;
  int m_member_count;
  const CudaGroupTile* m_order;
  int m_tiles;  ///< of all grids
  int m_beams;
  PointRecursionState* m_state;
  Works m_works;

  static constexpr int threads(int beams) { return Block::threads(beams); }
  static constexpr std::size_t shared_bytes(int beams) { return Block::shared_bytes(beams); }

  __device__ void run(std::byte* memory) const {
    __shared__ int drawn;
    auto* const beams = reinterpret_cast<Beam*>(memory);
    Block::initialize(beams, m_beams);
    auto const epoch = static_cast<Stamp>(m_state->m_epoch);
    int const role = threadIdx.x / Block::warp;
    unsigned chunks = 0;  // as those of PointRecursionLaunch
    unsigned next_chunks = 0;
    std::uint32_t ring_stamp = 1;
    while (true) {
      __syncthreads();
      if (threadIdx.x == 0) {
        drawn = atomicAdd(&m_state->m_ticket, 1);
        if (drawn < m_tiles) await_first(m_order[drawn]);
      }
      __syncthreads();
      int const ticket = drawn;
      if (ticket >= m_tiles) break;
      auto const [grid, number] = m_order[ticket];
      auto const member = m_members[grid];
      auto const& r = member.m_recursion;
      bool const first = number < r.m_tiles;
      int const tile = first ? number : number - r.m_tiles;
      typename Block::Tile const t{tile % r.m_map.slabs(), tile / r.m_map.slabs(), epoch + (first ? 1 : 2), ring_stamp};
      ring_stamp += r.steps() + Block::window;
      if (first) {
        work_on_tile<Block>(r, m_works.first(member.m_given), t, role, beams, chunks, next_chunks);
      } else if constexpr (has_second) {
        // What the first recursion has written is read by copies.
        cuda::fence_before_copies_of_results();
        work_on_tile<Block>(r, m_works.second(member.m_given), t, role, beams, chunks, next_chunks);
      }
      if (first && waits()) {
        // Release: what all warps of the block wrote comes before the count, by the barrier.
        __syncthreads();
        if (threadIdx.x == 0) cuda::add_release(member.m_first_finished, 1);
      }
    }
    if (threadIdx.x == 0 && m_state->leave(2)) {
      for (int g = 0; g < m_member_count; ++g) *m_members[g].m_first_finished = 0;
    }
  }

 private:
  __device__ bool waits() const {
    if constexpr (has_second) {
      return m_works.waits();
    } else {
      return false;
    }
  }
  __device__ void await_first(const CudaGroupTile& tile) const {
    auto const& member = m_members[tile.grid];
    int const tiles = member.m_recursion.m_tiles;
    if (!waits() || tile.number < tiles) return;
    while (cuda::observe(member.m_first_finished) < tiles) {
    }
  }
};

/// Plan of a group: packets, orders and state. A call launches one kernel, allocates nothing and waits for nothing. One
/// launch at a time.
template <class Recursion, class Given, class Works>
class PointRecursionGroupPlan {
  using Member = PointRecursionMember<Recursion, Given>;
  using Launch = PointRecursionGroupLaunch<Member, Works>;
  using Map = typename Recursion::Map;
  using Memory = PointRecursionMemory<typename Recursion::Scalar>;

 public:
  /// What the current device and the kernel as it was compiled lack; empty where it runs.
  static std::string lacking() {
    return cuda::lacking({point_recursion_capability, Launch::shared_bytes(1)},
                         cuda::support_of(point_recursion_kernel<Launch>));
  }

  static PointRecursionPackets packets(const std::vector<Given>& given) {
    PointRecursionPackets result{0, 0};
    int const beams_of_all = beams(given);
    for (auto const& map : maps(given)) {
      result.south += Recursion::south_packet_count(map);
      result.bottom += Recursion::bottom_packet_count(map, beams_of_all);
    }
    return result;
  }

  PointRecursionGroupPlan(cudaStream_t stream, const std::vector<Given>& given, std::size_t bytes_a_point,
                          int multiprocessors)
      : PointRecursionGroupPlan(stream, given, bytes_a_point, multiprocessors,
                                std::make_shared<Memory>(stream, packets(given))) {}

  /// `bytes_a_point`: what the recursions read. Launches no more blocks than `multiprocessors`; 0: all.
  PointRecursionGroupPlan(cudaStream_t stream, const std::vector<Given>& given, std::size_t bytes_a_point,
                          int multiprocessors, const std::shared_ptr<Memory>& memory)
      : m_beams(beams(given)), m_memory(memory), m_finished(stream, given.size()) {
    if (auto const missing = lacking(); !missing.empty()) fail("Path slab " + missing);
    cuda::allow_shared_memory(m_kernel);
    std::size_t bytes = 0;
    int tiles = 0;
    for (auto const& map : maps(given)) {
      bytes += bytes_a_point * as_size(map.pack_count()) * Recursion::W;
      tiles += tiles_of(map);
    }
    int const resident = cuda::resident_blocks(m_kernel, Launch::threads(m_beams), Launch::shared_bytes(m_beams));
    m_blocks = std::min(tiles, multiprocessors > 0 ? std::min(multiprocessors, resident) : resident);
    auto const cache = static_cast<std::size_t>(cuda::device_attribute(cudaDevAttrL2CacheSize));
    m_members = cuda::DeviceArray<Member>(stream, members(given, bytes <= cache));
    set_orders(stream, given);
    cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }

  /// Both recursions, or one of them.
  void operator()(cudaStream_t stream, Sweeps sweeps, const Works& works) const {
    auto const& order = m_orders[as_size(static_cast<int>(sweeps))];
    cuda::launch(stream, m_kernel, m_blocks, Launch::threads(m_beams), Launch::shared_bytes(m_beams),
                 cuda::Dependency::complete,
                 Launch{m_members.data(), static_cast<int>(m_members.size()), order.data(),
                        static_cast<int>(order.size()), m_beams, m_memory->state(), works});
  }

 private:
  static std::vector<Map> maps(const std::vector<Given>& given) {
    std::vector<Map> result;
    for (auto const& each : given) result.push_back(each.m_factors.m_map);
    return result;
  }

  /// Those of the grid that has most.
  static int beams(const std::vector<Given>& given) {
    int result = 1;
    for (auto const& map : maps(given)) {
      result =
          std::max(result, choose_point_recursion_beams(map.grid(), Recursion::layers, Launch::shared_bytes(1),
                                                        cuda::support_of(point_recursion_kernel<Launch>).m_shared_bytes,
                                                        Launch::max_beams));
    }
    return result;
  }

  int tiles_of(const Map& map) const { return Recursion::tiles_k(map.grid(), m_beams) * map.slabs(); }

  std::vector<Member> members(const std::vector<Given>& given, bool keep) const {
    std::vector<Member> result;
    auto* south = m_memory->south();
    auto* bottom = m_memory->bottom();
    auto* finished = m_finished.data();
    for (auto const& each : given) {
      auto const& map = each.m_factors.m_map;
      result.push_back(
          {Recursion{map, south, bottom, nullptr, m_memory->state(), m_beams, tiles_of(map), keep}, each, finished++});
      south += Recursion::south_packet_count(map);
      bottom += Recursion::bottom_packet_count(map, m_beams);
    }
    return result;
  }

  void set_orders(cudaStream_t stream, const std::vector<Given>& given) {
    int const layers = m_beams * Recursion::layers;
    CudaGroupOrder<Recursion::W> const order(maps(given), layers, m_blocks);
    auto const set = [&](Sweeps sweeps, const std::vector<CudaGroupTile>& tiles) {
      m_orders[as_size(static_cast<int>(sweeps))] = cuda::DeviceArray<CudaGroupTile>(stream, tiles);
    };
    auto half = order.list(false);
    set(Sweeps::forward, half);
    if (!Launch::has_second) return;
    set(Sweeps::both, order.list(true));
    for (auto& [grid, number] : half) number += tiles_of(given[as_size(grid)].m_factors.m_map);
    set(Sweeps::backward, half);
  }

  // Kept, as PointRecursionPlan keeps it.
  void (*m_kernel)(Launch) = point_recursion_kernel<Launch>;
  int m_beams;
  int m_blocks = 0;
  std::shared_ptr<Memory> m_memory;
  cuda::DeviceArray<int> m_finished;  ///< for each grid
  cuda::DeviceArray<Member> m_members;
  std::array<cuda::DeviceArray<CudaGroupTile>, 3> m_orders;  ///< by Sweeps
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
