// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_columns.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_pivot.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Inverts the blocks d of a line's point, whose columns the line's threads have in registers, in place.
template <class Scalar, int n, int vector_length, int lanes, int line_threads, class Value>
struct CudaLineInverse {
  using Thread = CudaLineColumns<n, vector_length, lanes, line_threads>;
  static constexpr int columns = Thread::columns;
  static constexpr int vector_values = n * vector_length;
  static constexpr unsigned all = 0xffffffffu;
  using Columns = Scalar[columns][n][lanes];

  /// The thread's columns of the inverse, in the order in which rows were pivots: `order` has in 4 bits each which
  /// columns they are. `report(l, k)` is called where column k of lane l has no pivot. `shared`: of the line alone.
  template <class Report>
  __device__ static void run(const Thread& thread, Scalar* shared, Columns& d, std::uint64_t (&order)[lanes],
                             const Report& report) {
#pragma unroll
    for (int l = 0; l < lanes; ++l) order[l] = 0xfedcba9876543210ull;
#pragma unroll
    for (int k = 0; k < n; ++k) {
      bool const owns = thread.first_column == k % line_threads;
      if (k + 1 < n) exchange(thread, k, owns, d, order);
      int const own = k / line_threads;
      Scalar* const factors = shared + k % 2 * vector_values;
      if (owns) {
        Scalar reciprocal[lanes];
#pragma unroll
        for (int l = 0; l < lanes; ++l) {
          reciprocal[l] = cuda_reciprocal(d[own][k][l]);
          if (!cuda_is_pivot(d[own][k][l], reciprocal[l])) report(l, k);
        }
#pragma unroll
        for (int r = 0; r < n; ++r) {
          Scalar factor[lanes];
#pragma unroll
          for (int l = 0; l < lanes; ++l) {
            factor[l] = r == k ? reciprocal[l] : d[own][r][l] * reciprocal[l];
            d[own][r][l] = r == k ? 1 : 0;
          }
          Value::store(factors + r * vector_length, factor);
        }
      }
      __syncwarp();
#pragma unroll
      for (int r = 0; r < n; ++r) {
        if (r == k) continue;
        Scalar factor[lanes];
        Value::load(factors + r * vector_length, factor);
#pragma unroll
        for (int j = 0; j < columns; ++j) {
#pragma unroll
          for (int l = 0; l < lanes; ++l) d[j][r][l] = fma(-factor[l], d[j][k][l], d[j][r][l]);
        }
      }
      Scalar reciprocal[lanes];
      Value::load(factors + k * vector_length, reciprocal);
#pragma unroll
      for (int j = 0; j < columns; ++j) {
#pragma unroll
        for (int l = 0; l < lanes; ++l) d[j][k][l] *= reciprocal[l];
      }
    }
  }

 private:
  /// Brings a row with a large enough pivot to row k.
  __device__ __forceinline__ static void exchange(const Thread& thread, int k, bool owns, Columns& d,
                                                  std::uint64_t (&order)[lanes]) {
    int const owner = k % line_threads;
    int const own = k / line_threads;
    bool exchanges = false;
#pragma unroll
    for (int l = 0; l < lanes; ++l) {
      unsigned largest = 0;
#pragma unroll
      for (int r = k + 1; r < n; ++r) largest = max(largest, cuda_pivot_magnitude(d[own][r][l]));
      exchanges = exchanges || cuda_pivot_is_small(d[own][k][l], largest);
    }
    if (__any_sync(all, owns && exchanges)) {
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        unsigned best = 0;
        int row = k;
#pragma unroll
        for (int r = k + 1; r < n; ++r) {
          auto const magnitude = cuda_pivot_magnitude(d[own][r][l]);
          if (magnitude > best) row = r;
          best = max(best, magnitude);
        }
        if (!cuda_pivot_is_small(d[own][k][l], best)) row = k;
        row = __shfl_sync(all, row, owner * Thread::warp_groups + thread.warp_group);
        if (row == k) continue;
#pragma unroll
        for (int j = 0; j < columns; ++j) {
          Scalar const first = d[j][k][l];
#pragma unroll
          for (int r = k + 1; r < n; ++r) {
            Scalar const other = d[j][r][l];
            d[j][k][l] = r == row ? other : d[j][k][l];
            d[j][r][l] = r == row ? first : other;
          }
        }
        auto const differ = (order[l] >> (4 * k) ^ order[l] >> (4 * row)) & 0xfu;
        order[l] ^= differ << (4 * k) | differ << (4 * row);
      }
      __syncwarp();
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
