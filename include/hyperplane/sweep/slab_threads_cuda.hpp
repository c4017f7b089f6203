// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/vector.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <class T, int count>
using CudaVector = cuda::Vector<T, count>;

/// Which lanes of a pack and which rows of its n x n blocks a thread has, where `warps` warps share a pack: the warps
/// and four threads of each share the lanes, eight threads the rows. Threads beyond the last row repeat it.
template <class Scalar, int n, int vector_length, int warps = 1>
struct CudaSlabThreads {
  static constexpr int warp = 32;
  static constexpr int lanes = 16 / static_cast<int>(sizeof(Scalar)) / warps;
  static constexpr int lane_threads = vector_length / lanes / warps;
  static constexpr int row_threads = warp / lane_threads;
  static constexpr int rows_per_thread = (n + row_threads - 1) / row_threads;

  int first_lane;
  int rows[rows_per_thread];
  bool has_row[rows_per_thread];

  __device__ CudaSlabThreads() {
    int const lane = threadIdx.x % warp;
    first_lane = (threadIdx.x / warp % warps * lane_threads + lane % lane_threads) * lanes;
#pragma unroll
    for (int m = 0; m < rows_per_thread; ++m) {
      int const r = lane / lane_threads + m * row_threads;
      has_row[m] = r < n;
      rows[m] = min(r, n - 1);
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
