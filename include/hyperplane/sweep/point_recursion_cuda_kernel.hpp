// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>
#include <hyperplane/cuda/progress.hpp>
#include <hyperplane/sweep/point_recursion_cuda.hpp>
#include <hyperplane/sweep/point_recursion_cuda_inputs.hpp>
#include <hyperplane/sweep/point_recursion_cuda_steps.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// The kernel of recursions over points, see point_recursion_cuda.hpp.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A tile of a recursion, each warp in its role. `chunks` and `next_chunks` are those of the warp, see the kernel.
template <class Block, class Work>
__device__ void work_on_tile(const typename Block::Recursion& r, const Work& work, const typename Block::Tile& t,
                             int role, typename Block::Beam* beams, unsigned& chunks, unsigned& next_chunks) {
  int const count = r.m_beams;
  if (role < count) {
    compute_points<Block>(r, work, t, role, beams[role], beams + role + 1, chunks, next_chunks);
  } else if (role < 2 * count) {
    move_for_points<Block>(r, work, t, role - count, beams[role - count], chunks);
  } else {
    receive_for_points<Block, Work>(r, t, role - 2 * count, beams, chunks);
  }
}

/// The work of one launch: one recursion, or two of which the second begins when the first is complete.
template <class Recursion_, class First_, class Second_>
struct PointRecursionLaunch {
  using Recursion = Recursion_;
  using First = First_;
  using Second = Second_;
  static constexpr bool has_second = !std::is_same_v<First, Second>;
  using Block =
      PointRecursionBlock<Recursion, std::conditional_t<(First::coefficients >= Second::coefficients), First, Second>>;
  using Beam = typename Block::Beam;
  using Stamp = typename Block::Stamp;
  static constexpr int max_beams = point_recursion_max_beams;
  static constexpr int sweeps_at_once = 1;

  Recursion m_recursion;
  First m_first;
  Second m_second;

  static constexpr int threads(int beams) { return Block::threads(beams); }
  static constexpr std::size_t shared_bytes(int beams) { return Block::shared_bytes(beams); }

  __device__ void run(std::byte* memory) const {
    __shared__ int drawn;
    auto* const beams = reinterpret_cast<Beam*>(memory);
    auto const& r = m_recursion;
    Block::initialize(beams, r.m_beams);
    auto const epoch = static_cast<Stamp>(r.m_state->m_epoch);
    int const role = threadIdx.x / Block::warp;
    unsigned chunks = 0;       // that the barriers of the beam that this warp serves have counted
    unsigned next_chunks = 0;  // and those of the beam below it
    std::uint32_t ring_stamp = 1;
    while (true) {
      __syncthreads();
      // Not while the tile before is still under way: a block that is busy would keep others from the tile.
      if (threadIdx.x == 0) {
        drawn = atomicAdd(&r.m_state->m_ticket, 1);
        if (has_second && drawn >= r.m_tiles && drawn < 2 * r.m_tiles) {
          while (cuda::observe(&r.m_state->m_first_finished) < r.m_tiles) {
          }
        }
      }
      __syncthreads();
      int const ticket = drawn;
      if (ticket >= (has_second ? 2 : 1) * r.m_tiles) break;
      bool const first = ticket < r.m_tiles;
      int const number = r.m_order[first ? ticket : ticket - r.m_tiles];
      typename Block::Tile const t{number % r.m_map.slabs(), number / r.m_map.slabs(), epoch + (first ? 1 : 2),
                                   ring_stamp};
      ring_stamp += r.steps() + Block::window;
      if (first) {
        work_on_tile<Block>(r, m_first, t, role, beams, chunks, next_chunks);
      } else if constexpr (has_second) {
        // What the first recursion has written is read by copies.
        cuda::fence_before_copies_of_results();
        work_on_tile<Block>(r, m_second, t, role, beams, chunks, next_chunks);
      }
      if (has_second && first) {
        // Release: what all warps of the block wrote comes before the count, by the barrier.
        __syncthreads();
        if (threadIdx.x == 0) cuda::add_release(&r.m_state->m_first_finished, 1);
      }
    }
    if (threadIdx.x == 0) r.m_state->leave(2);
  }
};

/// Of a PointRecursionLaunch, or of another Launch that runs recursions.
template <class Launch>
__global__ void __launch_bounds__(Launch::threads(Launch::max_beams), 1)
    point_recursion_kernel(const __grid_constant__ Launch launch) {
  extern __shared__ __align__(128) std::byte point_recursion_memory[];
  // For older devices there is nothing: a plan asks whether the kernel that would run is this one.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
  launch.run(point_recursion_memory);
#endif
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
