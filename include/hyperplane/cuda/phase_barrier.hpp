// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <cstring>
#include <hyperplane/core/abi.hpp>

/// Barriers in shared memory that count phases, and asynchronous copies of contiguous global memory into shared memory
/// that complete them (compute capability 9.0 and above).
namespace hyperplane::inline HYPERPLANE_ABI::cuda {

__device__ inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// The same place in the shared memory of another block of the cluster.
__device__ inline std::uint32_t cluster_address(const void* pointer, std::uint32_t rank) {
  std::uint32_t address;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(shared_address(pointer)), "r"(rank));
  return address;
}

/// Stores a word in the same place of another block of the cluster.
__device__ inline void store_in_cluster(const int* place, std::uint32_t rank, int value) {
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(cluster_address(place, rank)), "r"(value) : "memory");
}

/// A barrier of a fixed number of arrivals a phase. Phases alternate: wait() and test() take the parity of the phase
/// that they ask for, 0 at first. An arrival releases and a wait acquires within the block, without the cost of a
/// fence: what the arriving thread wrote to shared memory before is seen after the wait. So every thread that wrote or
/// read arrives by itself, which costs no more than one that arrives for its warp.
class PhaseBarrier {
 public:
  /// By one thread, before fence_initialized() and a barrier of the block.
  __device__ void initialize(std::uint32_t arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&m_word)), "r"(arrivals) : "memory");
  }
  /// Makes initialized barriers visible to the copy engine.
  __device__ static void fence_initialized() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

  __device__ void arrive(std::uint32_t arrivals = 1) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&m_word)), "r"(arrivals)
                 : "memory");
  }

  /// Arrives at the barrier in the same place of another block of the cluster.
  __device__ void arrive_at(std::uint32_t rank, std::uint32_t arrivals = 1) {
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0], %1;" ::"r"(cluster_address(&m_word, rank)), "r"(arrivals)
                 : "memory");
  }

  /// Stores a value of 4 or 8 bytes in another block of the cluster, counted by the barrier in this place of that
  /// block.
  template <class T>
  __device__ void store_at(std::uint32_t rank, const void* place, const T& value) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    if constexpr (sizeof(T) == 8) {
      std::uint64_t bits;
      memcpy(&bits, &value, sizeof(T));
      asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(
                       cluster_address(place, rank)),
                   "l"(bits), "r"(cluster_address(&m_word, rank))
                   : "memory");
    } else {
      std::uint32_t bits;
      memcpy(&bits, &value, sizeof(T));
      asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(
                       cluster_address(place, rank)),
                   "r"(bits), "r"(cluster_address(&m_word, rank))
                   : "memory");
    }
  }

  /// Arrives, and keeps the phase open until this many bytes have been copied. By the thread that then issues copies.
  __device__ void expect(std::uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&m_word)), "r"(bytes)
                 : "memory");
  }

  /// Starts a copy that the barrier counts. Addresses and bytes are multiples of 16.
  __device__ void copy(void* to, const void* from, std::uint32_t bytes, std::uint64_t policy) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" ::
            "r"(shared_address(to)),
        "l"(from), "r"(bytes), "r"(shared_address(&m_word)), "l"(policy)
        : "memory");
  }

  __device__ bool test(std::uint32_t parity) const {
    std::uint32_t done;
    asm volatile(
        "{\n\t.reg .pred p;\n\tmbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
        : "=r"(done)
        : "r"(shared_address(&m_word)), "r"(parity)
        : "memory");
    return done != 0;
  }

  __device__ void wait(std::uint32_t parity) const {
    std::uint32_t done = 0;
    do {
      asm volatile(
          "{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
          : "=r"(done)
          : "r"(shared_address(&m_word)), "r"(parity)
          : "memory");
    } while (done == 0);
  }

 private:
  std::uint64_t m_word;
};

/// Rank of the block in its cluster, and the blocks of a cluster.
__device__ inline std::uint32_t cluster_rank() {
  std::uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ inline std::uint32_t cluster_size() {
  std::uint32_t size;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  return size;
}
/// A barrier of all threads of a cluster.
__device__ inline void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
}

/// Orders this thread's accesses to shared memory before copies into it that other threads start after a barrier.
__device__ inline void fence_before_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

/// Lets copies that this thread starts read what others wrote to global memory, and this thread has acquired.
__device__ inline void fence_before_copies_of_results() { asm volatile("fence.proxy.async.global;" ::: "memory"); }

/// Starts a copy from shared to global memory. Addresses and bytes are multiples of 16.
__device__ inline void bulk_store(void* to, const void* from, std::uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n\tcp.async.bulk.commit_group;" ::"l"(to),
               "r"(shared_address(from)), "r"(bytes)
               : "memory");
}
/// Waits until all copies that this thread started to global memory have read their source.
__device__ inline void wait_for_bulk_reads() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }

/// What the L2 cache should do with what is copied: drop it first, where it is read once.
__device__ inline std::uint64_t evict_first_policy() {
  std::uint64_t policy;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
__device__ inline std::uint64_t evict_normal_policy() {
  std::uint64_t policy;
  asm volatile("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
