// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/grid_barrier.hpp>
#include <hyperplane/sweep/plane_packs_cuda.hpp>

#include <cooperative_groups.h>

#include <cstdint>

/// How the blocks of one kernel go through all hyperplanes.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

#if defined(__CUDACC__)

/// How the blocks of a persistent kernel share a plane and wait for one another.
enum class PlaneTurns {
  thread_recycling,  ///< batches by an atomic counter, barrier by an atomic word
  cooperative,       ///< batches in turn, barrier of cooperative groups
  self_scheduled     ///< batches of all planes by ticket, a counter of finished batches for each plane
};

/// Words of device memory that persistent kernels synchronise by, zero before the first launch. One launch at a time.
struct PersistentState {
  unsigned int m_barrier;
  unsigned int m_counters[2];
  int m_ticket;
  int m_exited;
};

/// PlanePacks for kernels.
struct PlaneTable {
  const PlanePack* m_packs;
  const std::int64_t* m_first;
  int m_planes;
  int* m_finished;  ///< batches of each turn that are finished, for turns that are self_scheduled; zero before a launch
};

/// The items of a plane: parts of packs, some to each block.
template <class Work>
class PlaneItems {
 public:
  __device__ static int items_per_block() { return blockDim.x / Work::threads_per_item; }
  __device__ static int part(int batch) { return item(batch) % Work::items_per_pack; }

  __device__ PlaneItems(const PlaneTable& table, int plane) {
    if (plane < 0 || plane >= table.m_planes) return;
    m_first_pack = table.m_first[plane];
    m_count = static_cast<int>(table.m_first[plane + 1] - m_first_pack) * Work::items_per_pack;
  }
  __device__ int batches() const { return (m_count + items_per_block() - 1) / items_per_block(); }
  __device__ PlanePack pack(const PlaneTable& table, int batch) const {
    int const number = item(batch);
    return number < m_count ? table.m_packs[m_first_pack + number / Work::items_per_pack] : no_pack();
  }

 private:
  __device__ static int item(int batch) { return batch * items_per_block() + threadIdx.x / Work::threads_per_item; }

  std::int64_t m_first_pack = 0;
  int m_count = 0;
};

/// What the turns of a kernel have in common, from visit to visit: how many there were.
template <PlaneTurns turns>
struct PlaneProgress {
  int m_turn = 0;

  __device__ PlaneProgress(const PlaneTable&, PersistentState*) {}
  __device__ void end(const PlaneTable&, PersistentState*) {}
};

/// What the blocks do in one turn, that is, on one plane; here with a barrier of all blocks after each, for which they
/// have to be resident.
template <PlaneTurns turns, class Work>
class PlaneVisitor {
  static constexpr bool recycling = turns == PlaneTurns::thread_recycling;
  using Items = PlaneItems<Work>;

 public:
  __device__ PlaneVisitor(const PlaneTable& table, PersistentState* state, PlaneProgress<turns>& progress)
      : m_table(table), m_state(state), m_turn(progress.m_turn), m_now(table, -1) {}

  /// Visits the planes first, first + step, ..., last; the grid is synchronised after each, after the last one too only
  /// if `more` follows.
  ///
  /// The tables are read as far ahead as they are needed: the bounds of a plane two turns before, the block's own pack
  /// of it one turn before, its coefficients just before the barrier.
  __device__ void visit(Work& work, int first, int last, int step, bool more) {
    m_now = Items(m_table, first);
    Items next(m_table, first + step);
    work.load(first, m_now.pack(m_table, blockIdx.x), Items::part(blockIdx.x));
    for (int plane = first;; plane += step) {
      bool const is_last = plane == last;
      auto const next_pack = next.pack(m_table, blockIdx.x);
      Items const after_next(m_table, plane + 2 * step);
      bool const ends = is_last && !more;
      visit(work, plane, ends);
      if (ends) return;
      if constexpr (recycling) {
        cuda::GridBarrier const barrier(&m_state->m_barrier);
        auto const token = barrier.arrive();
        if (!is_last) work.load(plane + step, next_pack, Items::part(blockIdx.x));
        barrier.wait(token);
        // All have drawn their last from this turn's counter, and none draws from it again before the next barrier.
        if (blockIdx.x == 0 && threadIdx.x == 0) m_state->m_counters[m_turn % 2] = 0;
      } else {
        __syncthreads();
        if (!is_last) work.load(plane + step, next_pack, Items::part(blockIdx.x));
        cooperative_groups::this_grid().sync();
      }
      ++m_turn;
      if (is_last) return;
      m_now = next;
      next = after_next;
    }
  }

 private:
  /// The first batch of a block is its own, so that its coefficients can be fetched before the barrier; more are drawn
  /// while the batch before is under way, or taken in turn where no barrier follows after which the counter is reset.
  __device__ void visit(Work& work, int plane, bool ends) {
    __shared__ int drawn;
    int const blocks = gridDim.x;
    int const batches = m_now.batches();
    for (int batch = blockIdx.x; batch < batches;) {
      int next = batch + blocks;
      if constexpr (recycling) {
        // Relaxed: the number says only whose batch it is; the data of other planes are ordered by the barrier.
        if (batches > blocks && !ends && threadIdx.x == 0) {
          next = blocks + atomicAdd(&m_state->m_counters[m_turn % 2], 1u);
        }
      }
      work.finish();
      if (batches <= blocks) return;
      __syncthreads();
      if constexpr (recycling) {
        if (threadIdx.x == 0) drawn = next;
        __syncthreads();
        next = drawn;
      }
      if (next < batches) work.load(plane, m_now.pack(m_table, next), Items::part(next));
      batch = next;
    }
  }

  PlaneTable m_table;
  PersistentState* m_state;
  int& m_turn;
  Items m_now;
};

#endif

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
