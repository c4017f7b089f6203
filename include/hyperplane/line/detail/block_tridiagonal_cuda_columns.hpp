// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/vector.hpp>
#include <hyperplane/line/line_layout_ref.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The thread's columns and lanes, and in which steps they have points. A warp has whole lines: neighbouring threads
/// have neighbouring lanes, then columns.
template <int n, int vector_length, int lanes, int line_threads>
struct CudaLineColumns {
  static constexpr int groups = vector_length / lanes;
  static constexpr int threads = groups * line_threads;
  static constexpr int warp_groups = 32 / line_threads;
  static constexpr int columns = (n + line_threads - 1) / line_threads;
  static_assert(32 % line_threads == 0 && threads % 32 == 0);

  int first_column;
  int warp_group;
  int first_lane;
  int begins[lanes];
  int ends[lanes];

  __device__ CudaLineColumns(const LineLayoutRef<vector_length>& layout, std::int64_t pack)
      : first_column(static_cast<int>(threadIdx.x) % 32 / warp_groups),
        warp_group(static_cast<int>(threadIdx.x) % warp_groups),
        first_lane((static_cast<int>(threadIdx.x) / 32 * warp_groups + warp_group) * lanes) {
#pragma unroll
    for (int l = 0; l < lanes; ++l) {
      begins[l] = layout.begin(pack, first_lane + l);
      ends[l] = layout.end(pack, first_lane + l);
    }
  }

  __device__ bool exists(int l, int step) const { return step >= begins[l] && step < ends[l]; }
  /// Whether a point is there, and one before it.
  __device__ bool has_lower(int l, int step) const { return step > begins[l] && step < ends[l]; }
  __device__ bool has_upper(int l, int step) const { return step >= begins[l] && step + 1 < ends[l]; }

  /// Columns beyond the last repeat it, and are not kept.
  __device__ bool owns(int j) const { return first_column + j * line_threads < n; }
  __device__ int column(int j) const { return min(first_column + j * line_threads, n - 1); }
};

/// Values of a thread's lanes, which are side by side in memory: Scalar in registers and between threads, Storage of
/// factors, MatrixStorage of blocks that have arrived, in groups of W.
template <class Scalar, class Storage, class MatrixStorage, int n, int W, int lanes>
struct CudaLineValues {
  using Values = cuda::Vector<Scalar, lanes>;
  using GivenValues = cuda::Vector<MatrixStorage, lanes>;
  using StoredValues = cuda::Vector<Storage, lanes>;

  __device__ static void copy(const Scalar (&from)[lanes], Scalar (&values)[lanes]) {
#pragma unroll
    for (int l = 0; l < lanes; ++l) values[l] = from[l];
  }
  __device__ static void load(const Scalar* from, Scalar (&values)[lanes]) {
    auto const loaded = *reinterpret_cast<const Values*>(from);
#pragma unroll
    for (int l = 0; l < lanes; ++l) values[l] = loaded.m_values[l];
  }
  __device__ static void store(Scalar* to, const Scalar (&values)[lanes]) {
    Values stored;
#pragma unroll
    for (int l = 0; l < lanes; ++l) stored.m_values[l] = values[l];
    *reinterpret_cast<Values*>(to) = stored;
  }
  __device__ static void keep(Storage* to, const Scalar (&values)[lanes]) {
    StoredValues stored;
#pragma unroll
    for (int l = 0; l < lanes; ++l) stored.m_values[l] = static_cast<Storage>(values[l]);
    *reinterpret_cast<StoredValues*>(to) = stored;
  }
  /// A value of a block that has arrived.
  __device__ static void given(const MatrixStorage* block, int r, int c, Scalar (&values)[lanes]) {
    auto const loaded = *reinterpret_cast<const GivenValues*>(block + (c * n + r) * W);
#pragma unroll
    for (int l = 0; l < lanes; ++l) values[l] = static_cast<Scalar>(loaded.m_values[l]);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
