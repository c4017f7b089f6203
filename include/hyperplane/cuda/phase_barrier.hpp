// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <cstring>
#include <hyperplane/core/abi.hpp>

/// Barriers in shared memory that count phases, asynchronous copies of contiguous global memory into shared memory that
/// complete them, and clusters of blocks. Code for older devices has as much of it as they have.
namespace hyperplane::inline HYPERPLANE_ABI::cuda {

/// What the device code is compiled for; the host's part goes by what newer devices have.
#if defined(__CUDA_ARCH__)
inline constexpr int compiled_architecture = __CUDA_ARCH__;
#else
inline constexpr int compiled_architecture = 900;
#endif
/// Clusters of blocks, and bulk copies. Without them a block is a cluster of its own.
inline constexpr bool has_clusters = compiled_architecture >= 900;
/// Instructions for barriers, and copies by single threads that they count. Without them barriers are made of atomic
/// additions.
inline constexpr bool has_barriers = compiled_architecture >= 800;

__device__ inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// The same place in the shared memory of another block of the cluster.
__device__ inline std::uint32_t cluster_address(const void* pointer, std::uint32_t rank) {
  std::uint32_t address;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(shared_address(pointer)), "r"(rank));
  return address;
}

/// Stores a word in the same place of a block of the cluster.
__device__ inline void store_in_cluster(int* place, std::uint32_t rank, int value) {
  if constexpr (has_clusters) {
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(cluster_address(place, rank)), "r"(value) : "memory");
  } else {
    *place = value;
  }
}

/// A barrier of a fixed number of arrivals a phase, a power of two where barriers are made of additions. Phases
/// alternate: wait() and test() take the parity of the phase that they ask for, 0 at first. An arrival releases and a
/// wait acquires within the block, without the cost of a fence where there are instructions for barriers: what the
/// arriving thread wrote to shared memory before is seen after the wait. So every thread that wrote or read arrives by
/// itself, which costs no more than one that arrives for its warp.
class PhaseBarrier {
 public:
  /// By one thread, before fence_initialized() and a barrier of the block.
  __device__ void initialize(std::uint32_t arrivals) {
    if constexpr (has_barriers) {
      asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(&m_word)), "r"(arrivals) : "memory");
    } else {
      m_word = std::uint64_t{31u - __clz(static_cast<int>(arrivals))} << 32;
    }
  }
  /// Makes initialized barriers visible to the copy engine.
  __device__ static void fence_initialized() {
    if constexpr (has_clusters) asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }

  __device__ void arrive(std::uint32_t arrivals = 1) {
    if constexpr (has_clusters) {
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&m_word)), "r"(arrivals)
                   : "memory");
    } else if constexpr (has_barriers) {
      // Several at once must not be the last ones.
      if (arrivals > 1) {
        asm volatile("{\n\t.reg .b64 state;\n\tmbarrier.arrive.noComplete.shared.b64 state, [%0], %1;\n\t}" ::"r"(
                         shared_address(&m_word)),
                     "r"(arrivals - 1)
                     : "memory");
      }
      asm volatile(
          "{\n\t.reg .b64 state;\n\tmbarrier.arrive.shared.b64 state, [%0];\n\t}" ::"r"(shared_address(&m_word))
          : "memory");
    } else {
      asm volatile("red.release.cta.shared.add.u32 [%0], %1;" ::"r"(shared_address(&m_word)), "r"(arrivals) : "memory");
    }
  }

  /// Arrives when all copies have come that this thread has started by WarpCopies.
  __device__ void arrive_after_copies() {
    if constexpr (has_barriers) {
      asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(&m_word)) : "memory");
    } else {
      arrive();
    }
  }

  /// Arrives at the barrier in the same place of another block of the cluster, if it can have others.
  __device__ void arrive_at(std::uint32_t rank, std::uint32_t arrivals = 1) {
    if constexpr (has_clusters) {
      asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0], %1;" ::"r"(cluster_address(&m_word, rank)),
                   "r"(arrivals)
                   : "memory");
    }
  }

  /// Stores a value of 4 or 8 bytes in another block of the cluster, if it can have others, counted by the barrier in
  /// this place of that block.
  template <class T>
  __device__ void store_at(std::uint32_t rank, const void* place, const T& value) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    if constexpr (!has_clusters) {
      return;
    } else if constexpr (sizeof(T) == 8) {
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

  /// Arrives, and keeps the phase open until this many bytes have been copied, if there are bulk copies. By the thread
  /// that then issues them.
  __device__ void expect(std::uint32_t bytes) {
    if constexpr (has_clusters) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&m_word)), "r"(bytes)
                   : "memory");
    }
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
    if constexpr (has_barriers) {
      std::uint32_t done;
      asm volatile(
          "{\n\t.reg .pred p;\n\tmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
          : "=r"(done)
          : "r"(shared_address(&m_word)), "r"(parity)
          : "memory");
      return done != 0;
    } else {
      std::uint32_t arrived, shift;
      asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];"
                   : "=r"(arrived), "=r"(shift)
                   : "r"(shared_address(&m_word))
                   : "memory");
      bool const done = (arrived >> shift & 1) != parity;
      if (done) asm volatile("fence.acq_rel.cta;" ::: "memory");
      return done;
    }
  }

  __device__ void wait(std::uint32_t parity) const {
    if constexpr (has_clusters) {
      std::uint32_t done = 0;
      do {
        asm volatile(
            "{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
            : "=r"(done)
            : "r"(shared_address(&m_word)), "r"(parity)
            : "memory");
      } while (done == 0);
    } else {
      while (!test(parity)) {
      }
    }
  }

 private:
  std::uint64_t m_word;
};

/// Rank of the block in its cluster, and the blocks of a cluster.
__device__ inline std::uint32_t cluster_rank() {
  std::uint32_t rank = 0;
  if constexpr (has_clusters) asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ inline std::uint32_t cluster_size() {
  std::uint32_t size = 1;
  if constexpr (has_clusters) asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  return size;
}
/// A barrier of all threads of a cluster.
__device__ inline void cluster_sync() {
  if constexpr (has_clusters) {
    asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
  } else {
    __syncthreads();
  }
}

/// Orders this thread's accesses to shared memory before copies into it that other threads start after a barrier.
__device__ inline void fence_before_copies() {
  if constexpr (has_clusters) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Lets copies that this thread starts read what others wrote to global memory, and this thread has acquired.
__device__ inline void fence_before_copies_of_results() {
  if constexpr (has_clusters) asm volatile("fence.proxy.async.global;" ::: "memory");
}

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
  std::uint64_t policy = 0;
  if constexpr (has_barriers) asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
__device__ inline std::uint64_t evict_normal_policy() {
  std::uint64_t policy = 0;
  if constexpr (has_barriers) asm volatile("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
