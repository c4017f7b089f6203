// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/cuda/progress.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

/// Messages between devices that have access to one another's memory: a kernel stores values into a slot in the memory
/// of the one that receives, and then the number of the message into a word there. Nobody waits but kernels.
///
/// Numbers are 1, 2, 3, ... Messages with even ones and those with odd ones have a slot each, and a slot is free again
/// when the receiver has stored the number of what he has taken into a word in the memory of the sender. So everybody
/// polls at home.
///
/// Why this cannot deadlock. Put all messages into the order in which the hosts start and finish them, which is the
/// same on all devices: one may be started on some and not yet on others, but none has another order. Putting message e
/// waits for e - 2 to be taken, taking e waits for e to be put: both are earlier in that order, and so have been
/// launched, or are launched without waiting for anything later, and the kernels that go before them in their stream
/// are earlier too. So the earliest kernel that has not ended can end. Kernels of other streams that wait meanwhile do
/// not keep it from the device, because one has at most peer_blocks thread blocks, and a device has room for several
/// times as many. Kernels that wait for other devices and fill theirs, as BlockIlu0Part has them, are in the same
/// stream.
namespace hyperplane::inline HYPERPLANE_ABI::cuda {

inline constexpr int peer_threads = 256;
/// Half a device: as many reach 0.9 of what all of an H200 stores into another one.
inline constexpr int peer_blocks = 64;

/// A message to another device, of `m_count` values.
template <class T>
struct PeerSend {
  T* m_slots[2];                 ///< there
  std::uint64_t* m_arrived;      ///< there
  const std::uint64_t* m_taken;  ///< here
  std::int64_t m_first;          ///< of its values among those of all messages
  std::int64_t m_count;
};

/// A message from another device.
template <class T>
struct PeerReceive {
  const T* m_slots[2];             ///< here
  const std::uint64_t* m_arrived;  ///< here
  std::uint64_t* m_taken;          ///< there
  std::int64_t m_first;            ///< of where its values go
  std::int64_t m_count;
};

/// By all threads of all blocks: whether this is the block that comes last. It sees what the others have done before,
/// and what it publishes, it publishes for them too: thread 0 counts after the barrier of its block, acquires what the
/// blocks before have released, and the second barrier hands it on to the threads of the last block. The scope is the
/// system's, because what blocks have stored is in another device.
__device__ inline bool is_last_block(unsigned int* counter) {
  __shared__ unsigned int before;
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("atom.add.acq_rel.sys.global.u32 %0, [%1], 1;" : "=r"(before) : "l"(counter) : "memory");
    // Nobody counts any more; the next launch does.
    if (before == gridDim.x - 1) *counter = 0;
  }
  __syncthreads();
  return before == gridDim.x - 1;
}

/// store(v, load(v)) for all v below `count`, by the threads of all blocks. Each loads several before it stores them: a
/// load takes longer than anything else here.
template <class T, class Load, class Store>
__device__ __forceinline__ void move_values(std::int64_t count, const Load& load, const Store& store) {
  constexpr int together = 4;
  auto const stride = std::int64_t{gridDim.x} * peer_threads;
  for (auto first = std::int64_t{blockIdx.x} * peer_threads + threadIdx.x; first < count; first += together * stride) {
    T values[together];
#pragma unroll
    for (int b = 0; b < together; ++b) {
      if (first + b * stride < count) values[b] = load(first + b * stride);
    }
#pragma unroll
    for (int b = 0; b < together; ++b) {
      if (first + b * stride < count) store(first + b * stride, values[b]);
    }
  }
}

/// Stores gather(v) for the values v of all messages. `counter` is zero, and is so afterwards.
template <class T, class Gather>
__global__ void __launch_bounds__(peer_threads)
    peer_put_kernel(const __grid_constant__ Gather gather, const PeerSend<T>* messages, int count, std::uint64_t number,
                    unsigned int* counter) {
  // Acquire: what the receiver has loaded from the slot, he has loaded before. The barrier hands that on to the block.
  for (int m = static_cast<int>(threadIdx.x); m < count; m += peer_threads) {
    while (observe_between_devices(messages[m].m_taken) + 2 < number) {
    }
  }
  __syncthreads();
  for (int m = 0; m < count; ++m) {
    auto const& message = messages[m];
    T* const to = message.m_slots[number % 2];
    move_values<T>(
        message.m_count, [&](std::int64_t v) { return gather(message.m_first + v); },
        [&](std::int64_t v, T value) { to[v] = value; });
  }
  if (!is_last_block(counter)) return;
  // Release: who sees the number sees what all blocks have stored, of which this one knows by the counter.
  for (int m = static_cast<int>(threadIdx.x); m < count; m += peer_threads) {
    publish_between_devices(messages[m].m_arrived, number);
  }
}

/// Waits for all messages, and copies their values to where they are to be.
template <class T>
__global__ void __launch_bounds__(peer_threads) peer_take_kernel(T* received, const PeerReceive<T>* messages, int count,
                                                                 std::uint64_t number, unsigned int* counter) {
  // Acquire: what was stored before the number is there. The barrier hands that on to the block.
  for (int m = static_cast<int>(threadIdx.x); m < count; m += peer_threads) {
    while (observe_between_devices(messages[m].m_arrived) < number) {
    }
  }
  __syncthreads();
  for (int m = 0; m < count; ++m) {
    auto const& message = messages[m];
    const T* const from = message.m_slots[number % 2];
    // Not by a cache for what no one writes while the kernel runs: another device does.
    move_values<T>(
        message.m_count, [&](std::int64_t v) { return __ldcg(from + v); },
        [&](std::int64_t v, T value) { received[message.m_first + v] = value; });
  }
  if (!is_last_block(counter)) return;
  // Release: the loads of all blocks come before it, so that the slot may be written again.
  for (int m = static_cast<int>(threadIdx.x); m < count; m += peer_threads) {
    publish_between_devices(messages[m].m_taken, number);
  }
}

inline int peer_blocks_for(std::int64_t values) {
  return static_cast<int>(std::clamp<std::int64_t>((values + peer_threads - 1) / peer_threads, 1, peer_blocks));
}

/// Puts messages with as many values in all.
template <class T, class Gather>
void put_messages(cudaStream_t stream, const Gather& gather, const PeerSend<T>* messages, int count,
                  std::int64_t values, std::uint64_t number, unsigned int* counter) {
  launch(stream, peer_put_kernel<T, Gather>, peer_blocks_for(values), peer_threads, 0, Dependency::complete, gather,
         messages, count, number, counter);
}

template <class T>
void take_messages(cudaStream_t stream, T* received, const PeerReceive<T>* messages, int count, std::int64_t values,
                   std::uint64_t number, unsigned int* counter) {
  launch(stream, peer_take_kernel<T>, peer_blocks_for(values), peer_threads, 0, Dependency::complete, received,
         messages, count, number, counter);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
