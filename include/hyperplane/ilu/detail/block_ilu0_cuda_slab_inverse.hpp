// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/sweep/slab_threads_cuda.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Inverts the blocks of a pack, those of all lanes together: lanes are spread over warps, the rows of a block over the
/// threads of a warp.
template <class Scalar, int n, int vector_length, int warps>
struct CudaSlabInverse {
  static constexpr int W = vector_length;
  using Threads = CudaSlabThreads<Scalar, n, W, warps>;
  static constexpr int warp = Threads::warp;
  static constexpr int lanes = Threads::lanes;
  static constexpr int lane_threads = Threads::lane_threads;
  static constexpr int row_threads = Threads::row_threads;
  static constexpr int rows_per_thread = Threads::rows_per_thread;
  using Lanes = CudaVector<Scalar, lanes>;

  /// The rows of a block that a thread has: entry [c][row][lane].
  using Rows = Scalar[n][rows_per_thread][lanes];

  /// Shared memory.
  struct Scratch {
    Scalar* pivot_rows;      // [2][n * W]
    Scalar* exchanged_rows;  // [2][n * W]
  };
  static constexpr std::size_t scratch_values = std::size_t{4} * n * W;

  /// Row exchanges of a block in each lane, four bits a step.
  struct Exchanges {
    std::uint64_t rows[lanes] = {};
    bool any = false;
  };

  /// d <- d^-1 by Gauss-Jordan elimination with partial pivoting, as block::invert: the rows of a block are spread over
  /// the threads of a warp. Calls `report(lane, equation)` where a pivot is zero or not finite.
  template <class Report>
  __device__ __forceinline__ static void invert(const Scratch& s, const Threads& thread, Rows& d,
                                                const Report& report) {
    Exchanges exchanges;
    // A constant for every step: with a loop the compiler takes the step of a thread's own row for an index.
    [&]<int... step>(std::integer_sequence<int, step...>) {
      (eliminate_column<step>(s, thread, d, exchanges, report), ...);
    }(std::make_integer_sequence<int, n>{});
    if (!exchanges.any) return;
    // The inverse of the row-exchanged block has its columns exchanged: undone in reverse order.
#pragma unroll
    for (int step = n - 1; step >= 0; --step) {
#pragma unroll
      for (int c = step + 1; c < n; ++c) {
#pragma unroll
        for (int e = 0; e < lanes; ++e) {
          bool const here = static_cast<int>(exchanges.rows[e] >> (4 * step) & 15) == c;
#pragma unroll
          for (int r = 0; r < rows_per_thread; ++r) {
            Scalar const first = d[step][r][e];
            Scalar const second = d[c][r][e];
            d[step][r][e] = here ? second : first;
            d[c][r][e] = here ? first : second;
          }
        }
      }
    }
  }

  template <int step, class Report>
  __device__ __forceinline__ static void eliminate_column(const Scratch& s, const Threads& thread, Rows& d,
                                                          Exchanges& exchanges, const Report& report) {
    constexpr int owner = step % row_threads * lane_threads;
    constexpr int owned = step / row_threads;
    int const first_thread = threadIdx.x % lane_threads;
    // The diagonal entry stays the pivot where no entry below is larger; NaN is never larger, and never exceeded.
    Scalar diagonal[lanes];
    Scalar reciprocal[lanes];
    bool better = false;
#pragma unroll
    for (int e = 0; e < lanes; ++e) {
      diagonal[e] = __shfl_sync(~0u, d[step][owned][e], owner + first_thread);
      // Under way while the warp votes: the division takes longest.
      reciprocal[e] = 1 / diagonal[e];
#pragma unroll
      for (int r = 0; r < rows_per_thread; ++r) {
        better = better || (thread.rows[r] > step && fabs(d[step][r][e]) > fabs(diagonal[e]));
      }
      exchanges.rows[e] |= static_cast<std::uint64_t>(step) << (4 * step);
    }
    if (__any_sync(~0u, better)) {
      exchanges.any = true;
      int pivot[lanes];
      find_pivots<step>(thread, d, pivot);
      exchange_rows<step>(s, thread, d, pivot);
#pragma unroll
      for (int e = 0; e < lanes; ++e) {
        diagonal[e] = __shfl_sync(~0u, d[step][owned][e], owner + first_thread);
        reciprocal[e] = 1 / diagonal[e];
        exchanges.rows[e] ^= static_cast<std::uint64_t>(step ^ pivot[e]) << (4 * step);
      }
    }
    Scalar* const pivot_row = s.pivot_rows + step % 2 * (n * W) + thread.first_lane;
    bool const is_pivot = thread.rows[owned] == step;
#pragma unroll
    for (int e = 0; e < lanes; ++e) {
      Scalar const magnitude = fabs(diagonal[e]);
      // Zero, infinity and NaN alike fail this test.
      if (!(magnitude > 0 && magnitude * 0 == 0) && is_pivot && thread.has_row[owned]) report(e, step);
      if (is_pivot) d[step][owned][e] = 1;
    }
#pragma unroll
    for (int c = 0; c < n; ++c) {
      Lanes values;
#pragma unroll
      for (int e = 0; e < lanes; ++e) {
        values.m_values[e] = d[c][owned][e] * reciprocal[e];
        if (is_pivot) d[c][owned][e] = values.m_values[e];
      }
      if (is_pivot) *reinterpret_cast<Lanes*>(pivot_row + c * W) = values;
    }
    __syncwarp();
    Scalar factor[rows_per_thread][lanes];
#pragma unroll
    for (int r = 0; r < rows_per_thread; ++r) {
#pragma unroll
      for (int e = 0; e < lanes; ++e) {
        factor[r][e] = d[step][r][e];
        if (thread.rows[r] != step) d[step][r][e] = 0;
      }
    }
#pragma unroll
    for (int c = 0; c < n; ++c) {
      auto const values = *reinterpret_cast<const Lanes*>(pivot_row + c * W);
#pragma unroll
      for (int r = 0; r < rows_per_thread; ++r) {
#pragma unroll
        for (int e = 0; e < lanes; ++e) {
          Scalar const eliminated = d[c][r][e] - factor[r][e] * values.m_values[e];
          if (thread.rows[r] != step) d[c][r][e] = eliminated;
        }
      }
    }
  }

  /// The row of the largest entry of column `step` from the diagonal down, the first of equal ones.
  template <int step>
  __device__ __forceinline__ static void find_pivots(const Threads& thread, const Rows& d, int (&pivot)[lanes]) {
#pragma unroll
    for (int e = 0; e < lanes; ++e) {
      Scalar largest = -1;
      pivot[e] = n;
#pragma unroll
      for (int r = 0; r < rows_per_thread; ++r) {
        int const row = thread.rows[r];
        Scalar magnitude = fabs(d[step][r][e]);
        if (magnitude != magnitude) magnitude = row == step ? Scalar(INFINITY) : Scalar(-1);
        if (row >= step && magnitude > largest) {
          largest = magnitude;
          pivot[e] = row;
        }
      }
#pragma unroll
      for (int distance = lane_threads; distance < warp; distance *= 2) {
        Scalar const other = __shfl_xor_sync(~0u, largest, distance);
        int const other_row = __shfl_xor_sync(~0u, pivot[e], distance);
        if (other > largest || (other == largest && other_row < pivot[e])) {
          largest = other;
          pivot[e] = other_row;
        }
      }
    }
  }

  /// Exchanges rows `step` and `pivot[lane]` in every lane.
  template <int step>
  __device__ __forceinline__ static void exchange_rows(const Scratch& s, const Threads& thread, Rows& d,
                                                       const int (&pivot)[lanes]) {
    Scalar* const first = s.exchanged_rows + thread.first_lane;
    Scalar* const second = first + n * W;
    __syncwarp();
#pragma unroll
    for (int r = 0; r < rows_per_thread; ++r) {
#pragma unroll
      for (int e = 0; e < lanes; ++e) {
#pragma unroll
        for (int c = 0; c < n; ++c) {
          if (thread.rows[r] == step) first[c * W + e] = d[c][r][e];
          if (thread.rows[r] == pivot[e]) second[c * W + e] = d[c][r][e];
        }
      }
    }
    __syncwarp();
#pragma unroll
    for (int r = 0; r < rows_per_thread; ++r) {
#pragma unroll
      for (int e = 0; e < lanes; ++e) {
#pragma unroll
        for (int c = 0; c < n; ++c) {
          if (thread.rows[r] == pivot[e]) d[c][r][e] = first[c * W + e];
          if (thread.rows[r] == step) d[c][r][e] = second[c * W + e];
        }
      }
    }
    __syncwarp();
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
