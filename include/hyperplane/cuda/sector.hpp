// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::cuda {

/// Memory is written in sectors of so many bytes.
inline constexpr int sector_bytes = 32;

/// For a row that is about to be written: brings the sector of its first or last `element` into the L2 cache, unless
/// the row's `edge` on that side is the sector's. If a sector is not in the cache when a part of it is written, it has
/// to be merged with the rest on its way to memory, which costs more than to have read it before. Only a hint: nothing
/// on other devices.
template <class T>
HYPERPLANE_FUNCTION void prefetch_partial_sector([[maybe_unused]] const T* edge, [[maybe_unused]] const T* element) {
#if defined(__CUDA_ARCH__)
  if (reinterpret_cast<std::uintptr_t>(edge) % sector_bytes != 0) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(element));
  }
#endif
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
