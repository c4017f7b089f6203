// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace hyperplane::cuda {

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

}  // namespace hyperplane::cuda
