// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda.h>

#include <hyperplane/core/error.hpp>
#include <string>

namespace hyperplane::test {

/// A part of the current device, as a process has it that shares the device with others: kernels of its stream run on
/// some multiprocessors alone, while the device still says that it has all.
class DevicePart {
 public:
  explicit DevicePart(unsigned multiprocessors) {
    CUdevice device;
    check(cuCtxGetDevice(&device), "cuCtxGetDevice");
    CUdevResource all;
    check(cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM), "cuDeviceGetDevResource");
    CUdevResource part;
    CUdevResource rest;
    unsigned groups = 1;
    check(cuDevSmResourceSplitByCount(&part, &groups, &all, &rest, 0, multiprocessors), "cuDevSmResourceSplitByCount");
    m_multiprocessors = static_cast<int>(part.sm.smCount);
    CUdevResourceDesc description;
    check(cuDevResourceGenerateDesc(&description, &part, 1), "cuDevResourceGenerateDesc");
    check(cuGreenCtxCreate(&m_context, description, device, CU_GREEN_CTX_DEFAULT_STREAM), "cuGreenCtxCreate");
    check(cuGreenCtxStreamCreate(&m_stream, m_context, CU_STREAM_NON_BLOCKING, 0), "cuGreenCtxStreamCreate");
  }
  DevicePart(const DevicePart&) = delete;
  DevicePart& operator=(const DevicePart&) = delete;
  ~DevicePart() {
    cuStreamDestroy(m_stream);
    cuGreenCtxDestroy(m_context);
  }

  CUstream stream() const { return m_stream; }
  /// As many as were asked for, or some more.
  int multiprocessors() const { return m_multiprocessors; }

 private:
  static void check(CUresult result, const char* call) {
    const char* message = nullptr;
    if (result != CUDA_SUCCESS) cuGetErrorString(result, &message);
    require(result == CUDA_SUCCESS, std::string(call) + ": " + (message != nullptr ? message : "unknown error"));
  }

  CUgreenCtx m_context{};
  CUstream m_stream{};
  int m_multiprocessors = 0;
};

}  // namespace hyperplane::test
