// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/storage_real.hpp>

#include <cuda_runtime.h>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A value that is read once.
template <class T>
__device__ __forceinline__ T load_streamed(const T* from) {
  if constexpr (ShortReal<T>) {
    T value;
    value.m_bits = __ldcs(&from->m_bits);
    return value;
  } else {
    return __ldcs(from);
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
