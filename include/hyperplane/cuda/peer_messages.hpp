// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/cuda/progress.hpp>
#include <hyperplane/cuda/vector.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

/// Messages between devices that have access to one another's memory: a kernel stores values into a slot in the memory
/// of the one that receives, and then the number of the message into words there. Nobody waits but kernels.
///
/// Numbers are 1, 2, 3, ... Messages with even ones and those with odd ones have a slot each, and a slot is free again
/// when the receiver has stored the number of what he has taken into words in the memory of the sender. So everybody
/// polls at home. A message is cut into shares, each with words of its own: a thread block puts or takes one after the
/// other, and waits for no other block of its device.
///
/// Why this cannot deadlock. Put all messages into the order in which the hosts start and finish them, which is the
/// same on all devices: one may be started on some and not yet on others, but none has another order. Putting message e
/// waits for e - 2 to be taken, taking e waits for e to be put: both are earlier in that order, and so have been
/// launched, or are launched without waiting for anything later, and the kernels that go before them in their stream
/// are earlier too, but for a put and the take behind it, which may begin when all blocks of the put have. So the
/// earliest kernel that has not ended can end. Kernels of other streams that wait meanwhile do not keep it from the
/// device, because one has at most two thread blocks for each multiprocessor, which has room for more. Kernels that
/// wait for other devices and fill theirs, as BlockIlu0Part has them, are in the same stream.
namespace hyperplane::inline HYPERPLANE_ABI::cuda {

inline constexpr int peer_threads = 256;
/// Groups of values that a thread loads before it stores them.
inline constexpr int peer_groups = 2;
/// A message has at most as many shares.
inline constexpr std::int64_t peer_shares = 256;
/// Thread blocks for each multiprocessor.
inline constexpr int peer_blocks_each = 2;

/// Neighbouring values that a thread moves together.
template <class T>
inline constexpr int peer_width = 16 / sizeof(T);
template <class T>
using PeerGroup = Vector<T, peer_width<T>>;
/// Values that a thread block moves together.
template <class T>
inline constexpr std::int64_t peer_pass = peer_threads * peer_groups * peer_width<T>;

/// Values of each share of a message but the last: whole passes.
template <class T>
std::int64_t share_size(std::int64_t values) {
  auto const up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  return std::max<std::int64_t>(up(up(values, peer_pass<T>), peer_shares), 1) * peer_pass<T>;
}
/// Shares of a message of so many values; it has one at least.
template <class T>
int share_count(std::int64_t values) {
  return static_cast<int>(std::max<std::int64_t>((values + share_size<T>(values) - 1) / share_size<T>(values), 1));
}

/// A share of a message to another device, of `m_count` values. Slots are as long as its groups.
template <class T>
struct PeerSend {
  T* m_slots[2];                 ///< there
  std::uint64_t* m_arrived;      ///< there
  const std::uint64_t* m_taken;  ///< here
  std::int64_t m_first;          ///< of its values among those of all messages
  std::int64_t m_count;
};

/// A share of a message from another device.
template <class T>
struct PeerReceive {
  const T* m_slots[2];             ///< here
  const std::uint64_t* m_arrived;  ///< here
  std::uint64_t* m_taken;          ///< there
  std::int64_t m_first;            ///< of where its values go
  std::int64_t m_count;
};

/// store(v, load(v)) for the groups of values v, v + 1, ... of `count`, by the threads of a block, which call
/// before_stores() together when they have loaded the first ones. Each loads several before it stores them: a load
/// takes longer than anything else here.
template <class T, class Load, class BeforeStores, class Store>
__device__ __forceinline__ void move_values(std::int64_t count, const Load& load, const BeforeStores& before_stores,
                                            const Store& store) {
  constexpr int stride = peer_threads * peer_width<T>;
  std::int64_t pass = 0;
  do {
    auto const first = pass + static_cast<std::int64_t>(threadIdx.x) * peer_width<T>;
    PeerGroup<T> groups[peer_groups];
#pragma unroll
    for (int b = 0; b < peer_groups; ++b) {
      if (first + b * stride < count) groups[b] = load(first + b * stride);
    }
    if (pass == 0) before_stores();
#pragma unroll
    for (int b = 0; b < peer_groups; ++b) {
      if (first + b * stride < count) store(first + b * stride, groups[b]);
    }
    pass += peer_pass<T>;
  } while (pass < count);
}

/// Not by a cache for what no one writes while the kernel runs: another device does.
template <class T>
__device__ __forceinline__ PeerGroup<T> load_from_slot(const T* from) {
  auto const bits = __ldcg(reinterpret_cast<const int4*>(from));
  PeerGroup<T> group;
  memcpy(&group, &bits, sizeof(bits));
  return group;
}

/// Stores gather(v) for the values v of all shares.
template <class T, class Gather>
__global__ void __launch_bounds__(peer_threads)
    peer_put_kernel(const __grid_constant__ Gather gather, const PeerSend<T>* shares, int count, std::uint64_t number) {
  allow_next_kernel();
  for (int s = static_cast<int>(blockIdx.x); s < count; s += static_cast<int>(gridDim.x)) {
    auto const share = shares[s];
    T* const to = shares[s].m_slots[number % 2];
    move_values<T>(
        share.m_count,
        [&](std::int64_t v) {
          PeerGroup<T> group{};
#pragma unroll
          for (int w = 0; w < peer_width<T>; ++w) {
            if (v + w < share.m_count) group.m_values[w] = gather(share.m_first + v + w);
          }
          return group;
        },
        [&] {
          // Acquire: what the receiver has loaded from the slot, he has loaded before. The barrier hands that on.
          if (threadIdx.x == 0) {
            while (observe_between_devices(share.m_taken) + 2 < number) {
            }
          }
          __syncthreads();
        },
        [&](std::int64_t v, const PeerGroup<T>& group) { *reinterpret_cast<PeerGroup<T>*>(to + v) = group; });
    // Release: who sees the number sees what all threads have stored, of which this one knows by the barrier.
    __syncthreads();
    if (threadIdx.x == 0) publish_between_devices(share.m_arrived, number);
  }
}

/// Waits for all shares, and copies their values to where they are to be. Where the kernel before puts, it runs
/// beside that one.
template <class T>
__global__ void __launch_bounds__(peer_threads)
    peer_take_kernel(T* received, const PeerReceive<T>* shares, int count, std::uint64_t number) {
  for (int s = static_cast<int>(blockIdx.x); s < count; s += static_cast<int>(gridDim.x)) {
    auto const share = shares[s];
    // Acquire: what was stored before the number is there. The barrier hands that on to the block.
    if (threadIdx.x == 0) {
      while (observe_between_devices(share.m_arrived) < number) {
      }
    }
    __syncthreads();
    const T* const from = shares[s].m_slots[number % 2];
    T* const to = received + share.m_first;
    bool const in_groups = reinterpret_cast<std::uintptr_t>(to) % sizeof(PeerGroup<T>) == 0;
    move_values<T>(
        share.m_count, [&](std::int64_t v) { return load_from_slot(from + v); }, [] {},
        [&](std::int64_t v, const PeerGroup<T>& group) {
          if (in_groups && v + peer_width<T> <= share.m_count) {
            *reinterpret_cast<PeerGroup<T>*>(to + v) = group;
          } else {
#pragma unroll
            for (int w = 0; w < peer_width<T>; ++w) {
              if (v + w < share.m_count) to[v + w] = group.m_values[w];
            }
          }
        });
    // Release: the loads of all threads come before it, so that the slot may be written again.
    __syncthreads();
    if (threadIdx.x == 0) publish_between_devices(share.m_taken, number);
  }
  // Kernels that are launched behind this one are behind that before it, too.
  wait_for_results_before();
}

/// Thread blocks for so many shares.
inline int peer_blocks(int shares) { return std::min(shares, peer_blocks_each * multiprocessor_count()); }

/// Puts the shares of messages.
template <class T, class Gather>
void put_messages(cudaStream_t stream, const Gather& gather, const PeerSend<T>* shares, int count,
                  std::uint64_t number) {
  launch(stream, peer_put_kernel<T, Gather>, peer_blocks(count), peer_threads, 0, Dependency::complete, gather, shares,
         count, number);
}

/// Takes those of others. With Dependency::programmatic, messages were put in the same stream since somebody has read
/// what was received before.
template <class T>
void take_messages(cudaStream_t stream, T* received, const PeerReceive<T>* shares, int count, std::uint64_t number,
                   Dependency dependency) {
  launch(stream, peer_take_kernel<T>, peer_blocks(count), peer_threads, 0, dependency, received, shares, count, number);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
