// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>
#include <hyperplane/cuda/progress.hpp>
#include <hyperplane/sip_iteration/detail/sip_iteration_cuda_residual.hpp>
#include <hyperplane/sip_iteration/detail/sip_iteration_cuda_sweep.hpp>
#include <hyperplane/sweep/point_recursion_cuda_kernel.hpp>

#include <cstddef>
#include <cstdint>

/// Several iterations of SIP in one launch of the kernel of recursions over points, with warps for the residual beside
/// its beams.
///
/// Iteration m has a lower sweep L(m) and an upper sweep U(m) over the tiles of the grid. With alternating orderings
/// the ordering of iteration m + 1 is the mirrored one of iteration m, so that L(m + 1) goes over the grid in the
/// direction of U(m), from the same corner, and follows close behind it: a tile of L(m + 1) begins as soon as the first
/// steps of U(m) are there in it and in the tiles next to it, computes the residual of a chunk of steps (which needs
/// corrections at the neighbours of its points, before and after them), and then those steps. U(m) turns round where
/// L(m) has ended, and begins when L(m) is complete.
///
/// No deadlock, whatever else runs on the device: tiles are taken by ticket, and each waits for tiles of lower tickets
/// alone. Tickets are the tiles of L(0) in topological order, then for each m those of U(m) and L(m + 1), merged such
/// that a tile of L(m + 1) comes after those of U(m) at and next to it, and otherwise in topological order both. Where
/// orderings do not alternate, L(m + 1) comes after all of U(m) and waits for all of it.
///
/// What is written again has been read before. Packets: U(m) begins when L(m) is complete, and a step of L(m + 1) is
/// sent when U(m) is past that step in the tile that receives. Corrections: L(m + 2) overwrites the corrections of
/// L(m), U(m) in a tile when U(m + 1) has begun there, which it does when L(m + 1) is complete, and with it all
/// residuals that read them. Residual and x: only the tile itself reads them, apart from x in L(0), which is complete
/// when U(0) begins.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <class Scalar_, class Storage, int W>
struct SipIterationLaunch {
  using Scalar = Scalar_;
  using Recursion = PointRecursion<Scalar, W, 1>;
  template <Sweep sweep, bool forward>
  using SweepOf = CudaSipSweep<sweep, forward, Scalar, Storage, W>;
  using Block = PointRecursionBlock<Recursion, SweepOf<Sweep::forward, true>>;
  using Beam = typename Block::Beam;
  using Stamp = typename Block::Stamp;
  static constexpr int max_beams = sip_iteration_max_beams;
  static constexpr int sweeps_at_once = 2;

  /// Of one ordering, in the order of the steps of its sweeps.
  struct Factors {
    const Storage* m_lower;
    const Storage* m_upper;
  };

  Recursion m_recursion;
  const int* m_merged_order;  ///< numbers of tiles of U(m), and of those of L(m + 1) plus that of all tiles
  Factors m_factors[2];       ///< of iterations of even and of odd number
  const Scalar* m_a;
  const Scalar* m_b;
  Scalar* m_x;
  Scalar* m_r;
  Scalar* m_corrections[2];  ///< of iterations of even and of odd number
  std::uint64_t* m_progress;
  int m_count;
  bool m_alternate;

  HYPERPLANE_FUNCTION static constexpr int sweep_threads(int beams) { return Block::threads(beams); }
  static constexpr int threads(int beams) { return sweep_threads(beams) + sip_residual_warps * Block::warp; }
  static constexpr std::size_t shared_bytes(int beams) { return Block::shared_bytes(beams); }

  __device__ void run(std::byte* memory) const {
    __shared__ int drawn;
    __shared__ SipTileProgress progress;
    auto* const beams = reinterpret_cast<Beam*>(memory);
    auto const& r = m_recursion;
    Block::initialize(beams, r.m_beams);
    auto const epoch = static_cast<Stamp>(r.m_state->m_epoch) + 1;
    int const role = threadIdx.x / Block::warp;
    unsigned chunks = 0;       // that the barriers of the beam that this warp serves have counted
    unsigned next_chunks = 0;  // and those of the beam below it
    std::uint32_t ring_stamp = 1;
    while (true) {
      __syncthreads();
      if (threadIdx.x == 0) {
        drawn = atomicAdd(&r.m_state->m_ticket, 1);
        if (drawn < ticket_count()) {
          Task const task = task_of(drawn);
          for (auto& stored : progress.m_stored) stored = 0;
          for (auto& prepared : progress.m_prepared) prepared = 0;
          if (!task.m_lower) {
            await(&r.m_state->m_first_finished, task.m_iteration + 1);
          } else if (!m_alternate) {
            await(&r.m_state->m_second_finished, task.m_iteration);
          }
        }
      }
      __syncthreads();
      if (drawn >= ticket_count()) break;
      Task const task = task_of(drawn);
      int const m = task.m_iteration;
      typename Block::Tile const t{task.m_tile % r.m_map.slabs(), task.m_tile / r.m_map.slabs(),
                                   static_cast<Stamp>(epoch + 2 * m + (task.m_lower ? 0 : 1)), ring_stamp};
      ring_stamp += r.steps() + Block::window;
      // What other sweeps have written is read by copies.
      cuda::fence_before_copies_of_results();
      bool const mirrored = m_alternate && m % 2 == 1;
      if (task.m_lower) {
        if (mirrored) {
          lower<false>(m, t, role, beams, progress, chunks, next_chunks);
        } else {
          lower<true>(m, t, role, beams, progress, chunks, next_chunks);
        }
      } else {
        if (mirrored) {
          upper<true>(m, t, role, beams, progress, chunks, next_chunks);
        } else {
          upper<false>(m, t, role, beams, progress, chunks, next_chunks);
        }
      }
      // Release: what all warps of the block wrote comes before the count, by the barrier.
      __syncthreads();
      if (threadIdx.x == 0) {
        cuda::add_release(task.m_lower ? &r.m_state->m_first_finished : &r.m_state->m_second_finished, 1);
      }
    }
    if (threadIdx.x == 0) r.m_state->leave(2 * m_count);
  }

 private:
  struct Task {
    int m_iteration;
    int m_tile;
    bool m_lower;
  };

  /// The lower sweep after the last upper one has residuals alone, and with them the last update of x.
  __device__ int ticket_count() const { return m_recursion.m_tiles * (2 * m_count + 1); }
  __device__ Task task_of(int ticket) const {
    int const tiles = m_recursion.m_tiles;
    if (ticket < tiles) return {0, m_recursion.m_order[ticket], true};
    int const iteration = (ticket - tiles) / (2 * tiles);
    int const number = m_merged_order[(ticket - tiles) % (2 * tiles)];
    return number < tiles ? Task{iteration, number, false} : Task{iteration + 1, number - tiles, true};
  }
  /// Waits until so many sweeps are complete.
  __device__ void await(const int* finished, int sweeps) const {
    while (cuda::observe(finished) < sweeps * m_recursion.m_tiles) {
    }
  }
  __device__ int residual_thread() const { return static_cast<int>(threadIdx.x) - sweep_threads(m_recursion.m_beams); }

  template <bool forward>
  __device__ void lower(int m, const typename Block::Tile& t, int role, Beam* beams, SipTileProgress& progress,
                        unsigned& chunks, unsigned& next_chunks) const {
    auto const& factors = m_factors[m % 2];
    if (residual_thread() >= 0) {
      SipSweepProgress const before{m_progress, static_cast<std::uint32_t>(t.stamp - 1)};
      SipResidual<Scalar> const residual{m_a, m == 0 ? m_b : m_r, m == 0 ? m_x : m_corrections[(m + 1) % 2], m_r,
                                         m == 0 ? nullptr : m_x};
      int const warp = residual_thread() / Block::warp;
      SipTileResidual<Block, forward, Scalar>(m_recursion, t, warp, residual_thread() % Block::warp, residual,
                                              m_alternate && m > 0 ? &before : nullptr)
          .run(progress.m_prepared[warp]);
    } else if (m < m_count) {
      SweepOf<Sweep::forward, forward> const work{{},  factors.m_lower,      m_recursion.m_map.pack_count(),
                                                  m_r, m_corrections[m % 2], &progress};
      work_on_tile<Block>(m_recursion, work, t, role, beams, chunks, next_chunks);
    }
  }

  template <bool forward>
  __device__ void upper(int m, const typename Block::Tile& t, int role, Beam* beams, SipTileProgress& progress,
                        unsigned& chunks, unsigned& next_chunks) const {
    if (residual_thread() >= 0) {
      if (residual_thread() < Block::warp) {
        SipSweepProgress const mine{m_progress, static_cast<std::uint32_t>(t.stamp)};
        sip_publish_progress<Block>(m_recursion, t, residual_thread(), mine, progress);
      }
    } else {
      Scalar* const x = m_corrections[m % 2];
      SweepOf<Sweep::backward, forward> const work{
          {}, m_factors[m % 2].m_upper, m_recursion.m_map.pack_count(), x, x, &progress};
      work_on_tile<Block>(m_recursion, work, t, role, beams, chunks, next_chunks);
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
