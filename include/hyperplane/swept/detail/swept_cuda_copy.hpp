// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/cuda/check.hpp>
#include <hyperplane/swept/detail/swept_rows.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace hyperplane::detail {

/// A line of points into another.
template <class Problem>
void swept_copy(cudaStream_t stream, const SweptRow<Problem>& from, const SweptRow<Problem>& to, std::int64_t points) {
  auto const bytes = [](std::int64_t values) {
    return static_cast<std::size_t>(values) * sizeof(typename Problem::scalar_type);
  };
  cuda::check(cudaMemcpy2DAsync(to.m_data, bytes(to.m_stride), from.m_data, bytes(from.m_stride), bytes(points),
                                Problem::components, cudaMemcpyDeviceToDevice, stream),
              "cudaMemcpy2DAsync");
}

}  // namespace hyperplane::detail
