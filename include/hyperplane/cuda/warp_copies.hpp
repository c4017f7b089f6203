// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>

#include <cstddef>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::cuda {

/// Copies between global and shared memory that a warp keeps going ahead of their use. With bulk copies its first
/// thread starts them, for all; without, each thread copies its share, 16 bytes at a time: asynchronously from compute
/// capability 8.0 on, before that through registers. Addresses and bytes are multiples of 16.
///
/// A phase of a barrier that counts copies of the warp begins with begin() and ends with end(), and takes arrivals()
/// arrivals. One in which each of the first threads has a copy of its own is copy_each(), of arrivals_of_each(). Other
/// functions are for threads that take_part().
class WarpCopies {
  static constexpr std::uint32_t warp = 32;
  struct alignas(16) Part {
    std::uint32_t m_words[4];
  };
  static constexpr std::uint32_t part_bytes = sizeof(Part);

 public:
  __device__ WarpCopies() : m_lane(threadIdx.x % warp) {}

  __device__ static constexpr std::uint32_t arrivals() { return has_clusters ? 1 : warp; }
  __device__ bool take_part() const { return !has_clusters || m_lane == 0; }
  __device__ bool first() const { return m_lane == 0; }

  /// So many bytes come in this phase.
  __device__ void begin(PhaseBarrier& barrier, std::uint32_t bytes) const {
    if constexpr (has_clusters) barrier.expect(bytes);
  }
  __device__ void copy(PhaseBarrier& barrier, void* to, const void* from, std::uint32_t bytes,
                       std::uint64_t policy) const {
    if constexpr (has_clusters) {
      barrier.copy(to, from, bytes, policy);
    } else if constexpr (has_barriers) {
      auto const target = shared_address(to);
      for (std::uint32_t b = m_lane * part_bytes; b < bytes; b += warp * part_bytes) {
        asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(target + b),
                     "l"(static_cast<const std::byte*>(from) + b), "l"(policy)
                     : "memory");
      }
    } else {
      copy_parts(to, from, bytes, [](const Part* part) {
        auto const words = __ldcg(reinterpret_cast<const uint4*>(part));
        return Part{{words.x, words.y, words.z, words.w}};
      });
    }
  }
  __device__ void end(PhaseBarrier& barrier) const {
    if constexpr (!has_clusters) barrier.arrive_after_copies();
  }

  __device__ static constexpr std::uint32_t arrivals_of_each(std::uint32_t count) {
    return has_clusters ? count : warp;
  }
  /// Whether the thread calls copy_each(), where the first `count` threads have a copy: without bulk copies all do.
  __device__ bool calls_each(std::uint32_t count) const { return !has_clusters || m_lane < count; }
  /// 0 bytes where there is nothing to copy.
  __device__ void copy_each(PhaseBarrier& barrier, int count, void* to, const void* from, std::uint32_t bytes,
                            std::uint64_t policy) const {
    if constexpr (has_clusters) {
      if (bytes == 0) return barrier.arrive();
      barrier.expect(bytes);
      barrier.copy(to, from, bytes, policy);
    } else {
      // What a thread has acquired, others read.
      __syncwarp();
      for (int c = 0; c < count; ++c) copy(barrier, of(to, c), of(from, c), __shfl_sync(~0u, bytes, c), policy);
      end(barrier);
    }
  }

  /// From shared to global memory.
  __device__ void store(void* to, const void* from, std::uint32_t bytes) const {
    if constexpr (has_clusters) {
      bulk_store(to, from, bytes);
    } else {
      copy_parts(to, from, bytes, [](const Part* part) { return *part; });
    }
  }
  /// Until all that store() was asked for has been read.
  __device__ void wait_for_reads() const {
    if constexpr (has_clusters) {
      wait_for_bulk_reads();
    } else {
      __syncwarp();
    }
  }

 private:
  /// Of another thread of the warp.
  template <class T>
  __device__ static T* of(T* pointer, int lane) {
    return reinterpret_cast<T*>(__shfl_sync(~0u, reinterpret_cast<unsigned long long>(pointer), lane));
  }
  template <class Load>
  __device__ void copy_parts(void* to, const void* from, std::uint32_t bytes, const Load& load) const {
    constexpr std::uint32_t batch = 16;  // under way at once
    std::uint32_t const count = bytes / part_bytes;
    for (std::uint32_t first = m_lane; first < count; first += batch * warp) {
      Part parts[batch];
#pragma unroll
      for (std::uint32_t p = 0; p < batch; ++p) {
        if (first + p * warp < count) parts[p] = load(static_cast<const Part*>(from) + first + p * warp);
      }
#pragma unroll
      for (std::uint32_t p = 0; p < batch; ++p) {
        if (first + p * warp < count) static_cast<Part*>(to)[first + p * warp] = parts[p];
      }
    }
  }

  std::uint32_t m_lane;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
