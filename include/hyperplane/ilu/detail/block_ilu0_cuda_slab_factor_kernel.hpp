// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>
#include <hyperplane/cuda/warp_copies.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_slab_factor_compute.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_slab_factor_copies.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_slab_factor_layout.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_slab_factor_rows.hpp>

#include <cstddef>
#include <cstdint>

/// The factorization of BILU(0) on CUDA without a grid barrier.
///
/// A block of threads computes a row (a slab in one layer k, see docs/design.md): two warps
/// the blocks of W points per step, the inverse included; one warp keeps the copies of the matrix going, ahead of their
/// use; one warp waits for the progress words of the rows below and to the south and copies what they have computed.
/// West and south neighbours are those of the step before, kept in shared memory, but for the south neighbour of lane
/// 0.
///
/// No deadlock, whatever else runs on the device: rows are taken by ticket in topological order, so that the row of the
/// lowest ticket that has not finished depends on finished rows alone, and the block that drew it is running. Where
/// devices have parts of one box, rows wait for those of the part below, too, which waits for nothing above but that
/// its blocks of the factorization before have been read: so it is with their orders one after the other.
///
/// `Tiles` says which rows there are, of which grid and in which order: CudaGridRows of one, CudaGroupRows of several
/// that do not depend on one another.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <class Tiles_>
struct CudaSlabFactor {
  using Tiles = Tiles_;
  using Layout = typename Tiles::Layout;
  using Shared = typename Layout::Shared;
  using Storage = typename Layout::Storage;
  using Row = typename Layout::Row;
  static constexpr int warps = Layout::warps;
  static constexpr int warp = Layout::warp;
  static constexpr int threads = Layout::threads;
  static constexpr int block = Layout::block;
  static constexpr int stages = Layout::stages;
  static constexpr int neighbour_stages = Layout::neighbour_stages;
  static constexpr int window = Layout::window;

  Tiles m_tiles;

  __device__ void run(std::byte* memory) const {
    Shared const s = Layout::carve(memory);
    int const role = threadIdx.x / warp;
    if (threadIdx.x == 0) {
      for (int b = 0; b < stages + neighbour_stages; ++b) s.given_there[b].initialize(cuda::WarpCopies::arrivals());
      for (int b = 0; b < neighbour_stages; ++b) s.above_free[b].initialize(1);
      for (int b = 0; b < window; ++b) s.done[b].initialize(warps * warp);
      cuda::PhaseBarrier::fence_initialized();
    }
    int const rank = static_cast<int>(cuda::cluster_rank());
    unsigned count = 0;
    unsigned above = 0;
    while (true) {
      cuda::cluster_sync();
      // Not while the tile before is still under way: a cluster that is busy would keep others from the tile.
      if (threadIdx.x == 0 && rank == 0) {
        int const drawn = atomicAdd(&m_tiles.m_state->m_ticket, 1);
        for (int other = 0; other < Layout::layers(); ++other) cuda::store_in_cluster(s.ticket, other, drawn);
      }
      // No point is before the first step.
      for (int e = threadIdx.x; e < 2 * block; e += threads) s.east[e] = Storage(0.0F);
      cuda::cluster_sync();
      int const ticket = *s.ticket;
      if (ticket >= m_tiles.count()) break;
      auto const& [layout, number] = m_tiles.take(ticket, s);
      int const slab = number % layout.map().slabs();
      int const k = number / layout.map().slabs() * Layout::layers() + rank;
      if (k >= layout.map().grid().nk()) continue;
      Row const row{slab,  k,        layout.map().first_pack(slab, k),
                    count, rank > 0, rank + 1 < Layout::layers() && k + 1 < layout.map().grid().nk(),
                    above};
      if (slab == 0) {
        // Nothing is copied there, and lane 0 has no south neighbour.
        for (int e = threadIdx.x; e < neighbour_stages * block; e += threads) {
          s.neighbours[(2 * (e / block) + 1) * block + e % block] = Storage(0.0F);
        }
        cuda::fence_before_copies();
      }
      __syncthreads();
      if (role < warps) {
        CudaSlabFactorComputer(layout).run(s, row);
      } else if (role == warps) {
        CudaSlabFactorMover(layout, m_tiles.m_a).run(s, row);
      } else {
        CudaSlabFactorGatherer(layout).run(s, row);
      }
      count += layout.steps();
      above += row.to_block ? layout.steps() : 0;
    }
    bool is_last = false;
    if (threadIdx.x == 0) {
      // Acquire: nobody reads progress words after he has counted himself.
      __threadfence();
      is_last = atomicAdd(&m_tiles.m_state->m_exited, 1) == static_cast<int>(gridDim.x) - 1;
      __threadfence();
    }
    if (__syncthreads_or(is_last)) {
      for (int r = threadIdx.x; r < m_tiles.row_count(); r += threads) m_tiles.progress()[r] = 0;
      if (threadIdx.x == 0) {
        m_tiles.m_state->m_ticket = 0;
        m_tiles.m_state->m_exited = 0;
      }
    }
  }
};
template <class Factor>
__global__ void __launch_bounds__(Factor::Layout::threads, Factor::Layout::resident_blocks)
    cuda_slab_factor_kernel(const __grid_constant__ Factor factor) {
  extern __shared__ __align__(128) std::byte cuda_slab_factor_memory[];
  // For older devices there is nothing: a plan asks whether the kernel that would run is this one.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
  factor.run(cuda_slab_factor_memory);
#endif
}

/// Tells another device a number.
template <class Word>
__global__ void cuda_publish_kernel(Word* word, Word value) {
  cuda::publish_between_devices(word, value);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
