// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime_api.h>
#include <hyperplane/core/abi.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::cuda {

/// Barrier of all blocks of a kernel whose blocks are all resident (see require_resident), split into arrive and wait
/// so that work that depends on nothing can be done in between.
///
/// The state is one word, zero before its first use. Every completed barrier flips its highest bit and leaves the rest
/// as it was, so that it is ready for the next barrier, of the next launch too, whatever number of blocks that has. One
/// launch at a time may use it.
class GridBarrier {
 public:
  using Token = unsigned int;

  __host__ __device__ explicit GridBarrier(unsigned int* word) : m_word(word) {}

#if defined(__CUDACC__)
  /// Called by all threads of the block. What any of them wrote before is visible to all threads that come back from
  /// the wait. Only the first thread's token counts.
  __device__ Token arrive() const {
    __syncthreads();
    Token before = 0;
    if (threadIdx.x == 0) {
      unsigned int const share = blockIdx.x == 0 ? flip - (gridDim.x - 1) : 1u;
      // Release, and by the barrier above cumulative over the block: pairs with the acquire of those that wait. Also
      // acquire, for the sake of the chain: a later arrival publishes what the earlier ones released.
      asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], %2;" : "=r"(before) : "l"(m_word), "r"(share) : "memory");
    }
    return before;
  }

  /// Called by all threads of the block, with what arrive returned.
  __device__ void wait(Token token) const {
    if (threadIdx.x == 0) {
      Token now = token;
      do {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(m_word) : "memory");
      } while (((now ^ token) & flip) == 0);
    }
    __syncthreads();
  }
#endif

 private:
  static constexpr unsigned int flip = 0x80000000u;
  unsigned int* m_word;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
