// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/error.hpp>

#include <cuda_runtime_api.h>

#include <source_location>
#include <string>
#include <string_view>

namespace hyperplane::cuda {

/// Throws Error, naming the call and what CUDA says of it, unless `status` is cudaSuccess.
inline void check(cudaError_t status, std::string_view call,
                  std::source_location where = std::source_location::current()) {
  if (status == cudaSuccess) return;
  // The error of a failed launch stays pending, and would be reported by an unrelated call later.
  static_cast<void>(cudaGetLastError());
  fail(std::string(call) + ": " + cudaGetErrorName(status) + ", " + cudaGetErrorString(status), where);
}

}  // namespace hyperplane::cuda
