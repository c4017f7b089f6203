// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>
#include <hyperplane/cuda/progress.hpp>
#include <hyperplane/cuda/warp_copies.hpp>
#include <hyperplane/sweep/detail/slab_solve_cuda_compute.hpp>
#include <hyperplane/sweep/detail/slab_solve_cuda_layout.hpp>
#include <hyperplane/sweep/detail/slab_solve_cuda_move.hpp>
#include <hyperplane/sweep/detail/slab_solve_cuda_prepare.hpp>
#include <hyperplane/sweep/detail/slab_solve_cuda_receive.hpp>
#include <hyperplane/sweep/detail/slab_solve_cuda_transposed.hpp>
#include <hyperplane/sweep/detail/slab_tiles_cuda.hpp>
#include <hyperplane/sweep/slab_shape_cuda.hpp>

#include <cstddef>
#include <type_traits>

/// The sweeps on CUDA without a grid barrier.
///
/// A row is the part of a slab in one layer k: I + W - 1 packs of W points (W lanes), one after the other in memory.
/// One warp computes a row, W points per step; its coefficient blocks arrive in shared memory by copies that run
/// ahead, since they depend on nothing. West and south neighbours are those of the step before in the same warp, except
/// the south neighbour of lane 0, which is in the row of the slab before; bottom neighbours are those of the same
/// step in the row of the layer before. A block of threads computes a tile of neighbouring layers of a slab: inside
/// it rows hand values on in shared memory, between tiles in packets (value and stamp in one word), which warps of
/// their own receive and put where a row of the same block would have put them.
///
/// No deadlock, whatever else runs on the device: tiles are taken by ticket, and their order is topological. The tile
/// of the lowest ticket that has not finished depends on finished ones alone, and the block that drew it is running.
/// Where devices have parts of one box, their orders put together are topological, too: that of all forward sweeps from
/// the lowest part to the highest, and of all backward sweeps from the highest to the lowest. So the same argument
/// holds of all of them, if the kernel runs on each device at some time, whatever is there before it: it must not wait
/// for what another device does after this solve.
///
/// The backward sweep is the forward sweep of the mirrored grid, so that the code counts mirrored slabs, layers,
/// steps and lanes, and only addresses turn them back.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// `Tiles` says which tiles there are, of which grid and in which order: CudaGridTiles of one, CudaGroupTiles of
/// several that do not depend on one another.
template <class Tiles_>
struct CudaSlabSolve {
  using Tiles = Tiles_;
  using Layout = typename Tiles::Layout;
  using Counts = typename Layout::Counts;
  using Shared = typename Layout::Shared;
  using Stamp = typename Layout::Stamp;
  using Tile = typename Layout::Tile;
  static constexpr bool transposed = Layout::transposed;
  using Computer = std::conditional_t<transposed, CudaSlabTransposedComputer<Layout>, CudaSlabComputer<Layout>>;
  /// For the row, or with M^T for the row above.
  using Multiplier = std::conditional_t<transposed, CudaSlabRaiser<Layout>, CudaSlabPreparer<Layout>>;
  static constexpr int ring_slot = Layout::ring_slot;
  static constexpr int warp = Layout::warp;
  static constexpr int window = Layout::window;
  static constexpr int arrivals_to_be_ready = Layout::arrivals_to_be_ready;

  Tiles m_tiles;

  __device__ void run(std::byte* memory) const {
    auto const& shape = m_tiles.shape();
    CudaSlabState* const state = m_tiles.state();
    Shared const s = Layout::carve(memory, shape);
    int const layers = shape.layers;
    int const role = threadIdx.x / warp;
    for (int b = threadIdx.x; b < layers * shape.stages; b += blockDim.x)
      s.arrived[b].initialize(cuda::WarpCopies::arrivals());
    for (int b = threadIdx.x; b < (layers + 1) * window; b += blockDim.x) {
      s.done[b].initialize(b < window ? warp : Layout::arrivals_to_be_done);
    }
    for (int b = threadIdx.x; b < layers * window; b += blockDim.x) {
      s.ready[b].initialize(arrivals_to_be_ready);
      s.known[b].initialize(warp);
    }
    cuda::PhaseBarrier::fence_initialized();
    for (int e = threadIdx.x; e < (layers + 1) * window * ring_slot; e += blockDim.x) s.rings[e] = 0;
    auto const epoch = static_cast<Stamp>(2 * state->m_epoch);
    int const receivers = (layers + 1) / 2;
    int const row = role < 3 * layers ? role % layers : -1;
    Counts counts;
    Counts second;  // of the second row of a warp that receives from the south
    while (true) {
      cuda::cluster_sync();
      // Not while the tile before is still under way: a cluster that is busy would keep others from the tile.
      if (threadIdx.x == 0 && cuda::cluster_rank() == 0) {
        int const drawn = m_tiles.first() + atomicAdd(&state->m_ticket, 1);
        for (unsigned rank = 0; rank < cuda::cluster_size(); ++rank) {
          cuda::store_in_cluster(s.ticket, rank, drawn);
        }
      }
      cuda::cluster_sync();
      int const ticket = *s.ticket;
      if (ticket >= m_tiles.end()) break;
      auto const& [layout, number, forward] = m_tiles.take(ticket, s);
      Tile const t = layout.tile(number, forward);
      Stamp const stamp = epoch + (forward ? 1 : 2);
      if (row >= 0) {
        if (row < t.rows) {
          if (role < layers) {
            forward ? Computer(layout).template run<true>(s, t, row, stamp, counts)
                    : Computer(layout).template run<false>(s, t, row, stamp, counts);
          } else if (role < 2 * layers) {
            forward ? Multiplier(layout).template run<true>(s, t, row, stamp, counts)
                    : Multiplier(layout).template run<false>(s, t, row, stamp, counts);
          } else {
            CudaSlabMover const mover(layout, m_tiles.vectors());
            forward ? mover.template run<true>(s, t, row, counts, false)
                    : mover.template run<false>(s, t, row, counts, m_tiles.sweeps() == Sweeps::both);
          }
        }
        layout.count(counts, t, row);
      } else if (role < 3 * layers + receivers) {
        int const first_row = 2 * (role - 3 * layers);
        if (t.slab > 0 && first_row < t.rows)
          CudaSlabReceiver(layout).receive_south(s, t, first_row, stamp, counts, second);
        layout.count(counts, t, first_row);
        layout.count(second, t, first_row + 1);
      } else {
        if (t.from_packets) CudaSlabReceiver(layout).receive_bottom(s, t, stamp, counts);
        if (t.from_block) CudaSlabReceiver(layout).admit_bottom(s, counts);
        counts.bottom += t.from_block || t.from_packets ? layout.steps() : 0;
        counts.own += t.rows > 0 ? layout.steps() : 0;
        // The last row of the block before exists wherever this block could have rows.
        counts.remote += cuda::cluster_rank() > 0 && t.first_layer <= layout.map().grid().nk() ? layout.steps() : 0;
      }
      if (forward) {
        // Release: what all warps of the block wrote comes before the count, by the barrier.
        __syncthreads();
        if (threadIdx.x == 0) cuda::add_release(layout.m_forward_finished, 1);
      }
    }
    if (threadIdx.x == 0) {
      __threadfence();
      bool const is_last = atomicAdd(&state->m_exited, 1) == static_cast<int>(gridDim.x) - 1;
      __threadfence();
      if (is_last) {
        // All other blocks have drawn their last ticket.
        m_tiles.reset_finished();
        state->m_ticket = 0;
        state->m_exited = 0;
        state->m_epoch += 1;
      }
    }
  }
};

/// For thread blocks of at most `threads`.
template <class Solve, int threads = cuda_slab_max_threads>
__global__ void __launch_bounds__(threads, 1) cuda_slab_solve_kernel(const __grid_constant__ Solve solve) {
  extern __shared__ __align__(128) std::byte cuda_slab_memory[];
  // For older devices there is nothing: a plan asks whether the kernel that would run is this one.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
  solve.run(cuda_slab_memory);
#endif
}

/// The one for thread blocks of this shape.
template <class Solve>
auto cuda_slab_kernel([[maybe_unused]] const CudaSlabShape& shape) {
  if constexpr (Solve::Layout::tall_from > 0) {
    if (shape.layers > cuda_slab_max_layers) return cuda_slab_solve_kernel<Solve, cuda_slab_tall_threads>;
  }
  return cuda_slab_solve_kernel<Solve>;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
