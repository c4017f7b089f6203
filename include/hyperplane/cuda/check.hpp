// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>

#include <cuda_runtime_api.h>

#include <source_location>
#include <string>
#include <string_view>

namespace hyperplane::inline HYPERPLANE_ABI::cuda {

/// A call of CUDA that failed: lack of memory, or what an earlier kernel has done. The message names the call and what
/// CUDA says of it.
class CudaError : public Error {
 public:
  CudaError(cudaError_t status, std::string_view call, std::source_location where)
      : Error(detail::with_place(
            std::string(call) + ": " + cudaGetErrorName(status) + ", " + cudaGetErrorString(status), where)),
        m_status(status) {}

  cudaError_t status() const { return m_status; }

 private:
  cudaError_t m_status;
};

/// Throws CudaError unless `status` is cudaSuccess.
inline void check(cudaError_t status, std::string_view call,
                  std::source_location where = std::source_location::current()) {
  if (status == cudaSuccess) return;
  // The error of a failed launch stays pending, and would be reported by an unrelated call later.
  static_cast<void>(cudaGetLastError());
  throw CudaError(status, call, where);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
