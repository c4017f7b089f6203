// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/progress.hpp>
#include <hyperplane/sweep/comparison/plane_turns_cuda.hpp>

/// Turns without a barrier: blocks draw batches of points by ticket, plane after plane, and count for each plane the
/// batches that are finished. Source: E. Dufrechou, P. Ezzatti, G. Usera, "Avoiding synchronization to accelerate a CFD
/// solver in GPU", where a block draws one ticket and goes through all planes with it; here it draws a ticket for each
/// batch, so that blocks need not be resident.
///
/// No deadlock, whatever else runs on the device and however few blocks it holds: tickets are drawn in the order of the
/// planes, and a block finishes its tickets in the order in which it drew them. A batch waits for the batches of the
/// plane before alone, whose tickets are lower. So the batch of the lowest ticket that is not finished waits for
/// nothing that is not finished, the block that holds it runs, since it drew it, and has no lower one left to do: it
/// ends.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

#if defined(__CUDACC__)

template <>
struct PlaneProgress<PlaneTurns::self_scheduled> {
  int m_turn = 0;          ///< that of the ticket, as soon as a visit has found it
  int m_visited = 0;       ///< turns of the visits that are over
  int m_first_ticket = 0;  ///< of the turn
  int m_batches_before = 0;
  int m_ticket;

  /// Draws the first ticket.
  __device__ PlaneProgress(const PlaneTable&, PersistentState* state) {
    __shared__ int drawn;
    // Relaxed, as every draw: a ticket only says whose batch it is. What the batch needs is ordered by the counters.
    if (threadIdx.x == 0) drawn = atomicAdd(&state->m_ticket, 1);
    __syncthreads();
    m_ticket = drawn;
  }

  /// The last block to leave makes the words ready for the next launch.
  __device__ void end(const PlaneTable& table, PersistentState* state) const {
    bool is_last = false;
    if (threadIdx.x == 0) {
      // The fences make the addition a release and an acquire: what all blocks did to the words, each through its first
      // thread, comes before the addition that finds all others gone, and that before the zeros.
      __threadfence();
      is_last = atomicAdd(&state->m_exited, 1) == static_cast<int>(gridDim.x) - 1;
      __threadfence();
    }
    if (!__syncthreads_or(is_last)) return;
    for (int turn = threadIdx.x; turn < m_visited; turn += blockDim.x) table.m_finished[turn] = 0;
    if (threadIdx.x == 0) {
      state->m_ticket = 0;
      state->m_exited = 0;
    }
  }
};

template <class Work>
class PlaneVisitor<PlaneTurns::self_scheduled, Work> {
  using Items = PlaneItems<Work>;
  using Progress = PlaneProgress<PlaneTurns::self_scheduled>;

 public:
  __device__ PlaneVisitor(const PlaneTable& table, PersistentState* state, Progress& progress)
      : m_table(table), m_state(state), m_progress(progress) {}

  /// Works on those batches of the planes first, first + step, ..., last whose tickets the block draws, and returns
  /// with a ticket of a later turn. A batch's coefficients are under way while it waits.
  __device__ void visit(Work& work, int first, int last, int step, bool) {
    __shared__ int drawn;
    auto& p = m_progress;
    int const begin = p.m_visited;
    p.m_visited += (last - first) * step + 1;
    while (load(work, first, step, begin)) {
      if (threadIdx.x == 0) {
        // Drawn before the wait, which hides the way there and back.
        int const next = atomicAdd(&m_state->m_ticket, 1);
        // Acquire, and for the block by the barrier below: what the batches of the turn before stored before they were
        // counted is visible. Every addition is one to the same word, so that the value read carries the releases of
        // all of them, and as each was counted after such a wait, those of all turns before.
        if (p.m_turn > 0) {
          while (cuda::observe(m_table.m_finished + p.m_turn - 1) < p.m_batches_before) {
          }
        }
        drawn = next;
      }
      __syncthreads();
      p.m_ticket = drawn;
      work.finish();
      // The first thread counts the batch for all. Release: their stores come before, by the barrier, which also lets
      // nobody write the next ticket or shared memory of the next batch while others read that of this one.
      __syncthreads();
      if (threadIdx.x == 0) cuda::add_release(m_table.m_finished + p.m_turn, 1);
    }
  }

 private:
  /// Finds the ticket's batch and loads what it has without other planes; false if it is one of a later visit.
  __device__ bool load(Work& work, int first, int step, int begin) {
    auto& p = m_progress;
    for (; p.m_turn < p.m_visited; ++p.m_turn) {
      int const plane = first + (p.m_turn - begin) * step;
      Items const items(m_table, plane);
      int const batch = p.m_ticket - p.m_first_ticket;
      if (batch < items.batches()) {
        work.load(plane, items.pack(m_table, batch), Items::part(batch));
        return true;
      }
      p.m_batches_before = items.batches();
      p.m_first_ticket += p.m_batches_before;
    }
    return false;
  }

  PlaneTable m_table;
  PersistentState* m_state;
  Progress& m_progress;
};

#endif

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
