// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cuda_channels.hpp"

#include <cooperative_groups.h>

#include <cstdint>

/// The chains of bench_cuda_latency: kernels of which each step needs the one before.
namespace hyperplane::perf {

using Value = std::uint64_t;

/// One step of a chain: a block adds one to what the next block wrote in the step before. Two arrays take turns, so
/// that one barrier per step is enough; after s steps every value of array s % 2 is s.
struct ChainStep {
  __device__ explicit ChainStep(Value* values)
      : m_own(address(values + blockIdx.x)), m_next(address(values + (blockIdx.x + 1) % gridDim.x)) {}

  __device__ void operator()(int step) const {
    auto const size = static_cast<unsigned>(sizeof(Value)) * gridDim.x;
    auto const before = step % 2 == 0 ? 0 : size;
    channel::DeviceMemory::store(m_own + (size - before), channel::DeviceMemory::load(m_next + before) + 1);
  }

 private:
  static __device__ char* address(Value* value) { return reinterpret_cast<char*>(value); }
  char* m_own;
  char* m_next;
};

template <bool programmatic>
__global__ void launch_step(Value* values, int step) {
  if constexpr (programmatic) {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    asm volatile("griddepcontrol.wait;" ::: "memory");
  }
  if (threadIdx.x == 0) ChainStep{values}(step);
}

struct AtomicBarrier {
  /// Barrier number `step` of this launch; `counter` was zero before it. False where it gave up.
  static __device__ bool wait(unsigned* counter, int step) {
    __shared__ int looks;
    __syncthreads();
    if (threadIdx.x == 0) {
      auto const target = gridDim.x * static_cast<unsigned>(step + 1);
      asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
      unsigned seen = 0;
      looks = 0;
      do {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(counter) : "memory");
      } while (seen < target && ++looks < channel::patience);
    }
    __syncthreads();
    return looks < channel::patience;
  }
};

struct CooperativeBarrier {
  static __device__ bool wait(unsigned*, int) {
    cooperative_groups::this_grid().sync();
    return true;
  }
};

template <class Barrier, bool with_values>
__global__ void grid_chain(Value* values, unsigned* counter, int steps) {
  ChainStep const chain_step(values);
  for (int step = 0; step < steps; ++step) {
    if (with_values && threadIdx.x == 0) chain_step(step);
    if (!Barrier::wait(counter, step)) return;
  }
}

__device__ inline unsigned cluster_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ inline unsigned cluster_size() {
  unsigned size;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  return size;
}
__device__ inline unsigned multiprocessor() {
  unsigned number;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return number;
}
__device__ inline void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
/// The address of a place of the own shared memory in that of another block of the cluster.
__device__ inline std::uint32_t in_block(std::uint32_t address, unsigned rank) {
  std::uint32_t mapped;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}

template <bool with_values>
__global__ void cluster_chain(Value* values, int steps) {
  __shared__ Value slots[2];
  auto const rank = cluster_rank();
  auto const address = static_cast<std::uint32_t>(__cvta_generic_to_shared(slots));
  auto const neighbour = in_block(address, (rank + 1) % cluster_size());
  if (threadIdx.x == 0) slots[0] = slots[1] = 0;
  cluster_barrier();
  for (int step = 0; step < steps; ++step) {
    if (with_values && threadIdx.x == 0) {
      Value value;
      asm volatile("ld.relaxed.cluster.shared::cluster.u64 %0, [%1];"
                   : "=l"(value)
                   : "r"(neighbour + 8 * (step % 2))
                   : "memory");
      channel::ClusterMemory::store(address + 8 * ((step + 1) % 2), value + 1);
    }
    cluster_barrier();
  }
  if (threadIdx.x == 0) values[rank] = slots[steps % 2];
}

/// With values, every warp reads what another one wrote.
template <bool with_values>
__global__ void block_chain(Value* values, int steps) {
  __shared__ Value slots[2][32];
  int const warps = static_cast<int>(blockDim.x) / 32;
  int const warp = static_cast<int>(threadIdx.x) / 32;
  int const neighbour = (warp + 1) % warps;
  bool const works = threadIdx.x % 32 == 0;
  if (works) slots[0][warp] = slots[1][warp] = 0;
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    if (with_values && works) slots[(step + 1) % 2][warp] = slots[step % 2][neighbour] + 1;
    __syncthreads();
  }
  if (works) values[warp] = slots[steps % 2][warp];
}

/// What a ring leaves: each lane of block 0 its value, and each block its multiprocessor after them. No value where a
/// block gave up.
__device__ inline void report_ring(Value* values, unsigned block, int lanes, bool ok, Value value) {
  if (block == 0) values[threadIdx.x] = ok ? value : 0;
  if (threadIdx.x == 0) values[lanes + block] = multiprocessor();
}

/// A token goes `rounds` times round all blocks, and every block adds one: block 0 sends first and receives last.
template <class Channel, int lanes>
__device__ bool pass_round(typename Channel::Address own, typename Channel::Address next, bool first, Value first_stamp,
                           int rounds, Value& value) {
  int const lane = static_cast<int>(threadIdx.x);
  bool ok = true;
  for (int round = 0; ok && round < rounds; ++round) {
    if (first) Channel::send(next, lane, first_stamp + round, value + 1);
    ok = Channel::receive(own, lane, first_stamp + round, value);
    if (!first) Channel::send(next, lane, first_stamp + round, value + 1);
  }
  return ok;
}

template <class Channel, int lanes>
__global__ void device_ring(char* boxes, Value* values, Value first_stamp, int rounds) {
  extern __shared__ char whole_multiprocessor[];
  if (threadIdx.x >= lanes) return;
  Value value = threadIdx.x;
  bool const ok = pass_round<Channel, lanes>(boxes + blockIdx.x * channel::box_bytes,
                                             boxes + (blockIdx.x + 1) % gridDim.x * channel::box_bytes, blockIdx.x == 0,
                                             first_stamp, rounds, value);
  report_ring(values, blockIdx.x, lanes, ok, value);
}

template <class Channel, int lanes>
__global__ void cluster_ring(Value* values, int rounds) {
  extern __shared__ __align__(128) char box[];
  auto const rank = cluster_rank();
  auto const own = static_cast<std::uint32_t>(__cvta_generic_to_shared(box));
  auto const next = in_block(own, (rank + 1) % cluster_size());
  for (unsigned i = threadIdx.x; i < channel::box_bytes / sizeof(Value); i += blockDim.x) {
    reinterpret_cast<Value*>(box)[i] = 0;
  }
  __syncthreads();
  if (threadIdx.x == 0) Channel::prepare(own);
  cluster_barrier();
  Value value = threadIdx.x;
  if (threadIdx.x < lanes) {
    bool const ok = pass_round<Channel, lanes>(own, next, rank == 0, 1, rounds, value);
    report_ring(values, rank, lanes, ok, value);
  }
  // Nobody leaves while another one may still write into its memory.
  cluster_barrier();
}

}  // namespace hyperplane::perf
