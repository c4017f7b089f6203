// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/check.hpp>
#include <hyperplane/swept/detail/swept_rows.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A line of points into another; component by component, because a line may be longer than a pitch can be.
template <class Problem>
void swept_copy(cudaStream_t stream, const SweptRow<Problem>& from, const SweptRow<Problem>& to, std::int64_t points) {
  auto const bytes = static_cast<std::size_t>(points) * sizeof(typename Problem::scalar_type);
  for (int c = 0; c < Problem::components; ++c) {
    cuda::check(cudaMemcpyAsync(to.m_data + c * to.m_stride, from.m_data + c * from.m_stride, bytes,
                                cudaMemcpyDeviceToDevice, stream),
                "cudaMemcpyAsync");
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
