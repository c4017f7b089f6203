// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>

/// Copies of single values that a thread starts from global to shared memory, and waits for itself; from 8.0 on.
namespace hyperplane::inline HYPERPLANE_ABI::cuda {

template <class T>
__device__ void copy_async(T* to, const T* from) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(from),
               "n"(static_cast<int>(sizeof(T)))
               : "memory");
}

/// Until all that this thread has started have come.
__device__ inline void wait_for_async_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
