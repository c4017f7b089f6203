// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <hyperplane/core/abi.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::cuda {

/// Progress words in global memory, between blocks.
__device__ inline int observe(const int* word) {
  int value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}
__device__ inline void publish(int* word, int value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}
__device__ inline void add_release(int* word, int value) {
  asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

/// Adds 1 and returns what was there: whoever counts last sees what the others had stored before they counted.
__device__ inline unsigned int count(unsigned int* word) {
  unsigned int before;
  asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], 1;" : "=r"(before) : "l"(word) : "memory");
  return before;
}

/// Words of 64 bits, which say what progress is of too.
__device__ inline std::uint64_t observe(const std::uint64_t* word) {
  std::uint64_t value;
  asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}
__device__ inline void publish(std::uint64_t* word, std::uint64_t value) {
  asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

/// The same between devices: the word is in the memory of the one that observes it.
__device__ inline std::uint64_t observe_between_devices(const std::uint64_t* word) {
  std::uint64_t value;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}
__device__ inline void publish_between_devices(std::uint64_t* word, std::uint64_t value) {
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

/// Progress words in shared memory, between the warps of a block.
__device__ inline int observe_in_block(const int* word) {
  int value;
  asm volatile("ld.acquire.cta.shared.u32 %0, [%1];"
               : "=r"(value)
               : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(word)))
               : "memory");
  return value;
}
__device__ inline void publish_in_block(int* word, int value) {
  asm volatile("st.release.cta.shared.u32 [%0], %1;" ::"r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(word))),
               "r"(value)
               : "memory");
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
