// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::cuda {

/// The least value that a thread of the warp has; of all threads together.
__device__ inline int warp_min(int value) {
  constexpr unsigned all_lanes = 0xffffffffu;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  return __reduce_min_sync(all_lanes, value);
#else
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) value = min(value, __shfl_xor_sync(all_lanes, value, distance));
  return value;
#endif
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
