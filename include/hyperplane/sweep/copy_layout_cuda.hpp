// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

#include <cstddef>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Shared memory for copy_cuda_layout().
template <class Layout>
inline constexpr std::size_t cuda_layout_bytes = (sizeof(Layout) + 15) / 16 * 16;

/// A copy of what kernels are told of one of several grids, in shared memory, where it is read as fast as arguments of
/// a kernel. By all threads of a block, when none of them uses the copy before.
template <class Layout>
__device__ const Layout& copy_cuda_layout(const Layout& from, std::byte* to) {
  using Word = unsigned long long;
  constexpr unsigned warp = 32;
  static_assert(sizeof(Layout) % sizeof(Word) == 0 && alignof(Layout) == alignof(Word));
  if (threadIdx.x < warp) {
    for (unsigned w = threadIdx.x; w < sizeof(Layout) / sizeof(Word); w += warp) {
      reinterpret_cast<Word*>(to)[w] = reinterpret_cast<const Word*>(&from)[w];
    }
  }
  __syncthreads();
  return *reinterpret_cast<const Layout*>(to);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
