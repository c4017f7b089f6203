// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/vector.hpp>
#include <hyperplane/line/line_layout_ref.hpp>

#include <cstddef>
#include <cstdint>

/// What the kernels of LinePath::staged for lines of scalars, n = 1, share. A step of a line has too few bytes for a
/// block of threads that takes one step after the other. So threads have some steps each, and recurrences along the
/// line are computed in three turns: what a thread's steps do to whatever comes in, what comes in, and the steps
/// themselves. Source: H. S. Stone, "An efficient parallel algorithm for the solution of a tridiagonal linear system of
/// equations", doi:10.1145/321738.321741, here over threads instead of points.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Threads of a block, at most.
inline constexpr int cuda_scan_threads = 512;

/// The thread's steps and lanes. A block of threads has a pack, in chunks of as many steps as its threads have; a
/// thread has `points` steps of a chunk: neighbouring threads have neighbouring lanes, then steps.
template <int vector_length, int lanes, int points_>
struct CudaLineScanThread {
  static constexpr int points = points_;
  static constexpr int groups = vector_length / lanes;

  int part;
  int parts;
  int first_lane;
  int begins[lanes];
  int ends[lanes];

  __device__ CudaLineScanThread(const LineLayoutRef<vector_length>& layout, std::int64_t pack)
      : part(static_cast<int>(threadIdx.x) / groups),
        parts(static_cast<int>(blockDim.x) / groups),
        first_lane(static_cast<int>(threadIdx.x) % groups * lanes) {
#pragma unroll
    for (int l = 0; l < lanes; ++l) {
      begins[l] = layout.begin(pack, first_lane + l);
      ends[l] = layout.end(pack, first_lane + l);
    }
  }

  __device__ bool exists(int l, int step) const { return step >= begins[l] && step < ends[l]; }
  __device__ bool has_lower(int l, int step) const { return step > begins[l] && step < ends[l]; }
  __device__ bool has_upper(int l, int step) const { return step >= begins[l] && step + 1 < ends[l]; }
  __device__ int chunk() const { return parts * points; }
  __device__ int first_step(int chunk_number) const { return (chunk_number * parts + part) * points; }
};

/// What parts tell each other: `count` values of each lane of each part.
template <class Scalar, int count, int vector_length, int lanes>
struct CudaLineScanMemory {
  using Values = cuda::Vector<Scalar, lanes>;
  Scalar* m_values;
  static constexpr std::size_t bytes(int parts) { return std::size_t(parts) * count * vector_length * sizeof(Scalar); }

  __device__ Values& at(int part, int value, int first_lane) const {
    return *reinterpret_cast<Values*>(m_values + (part * count + value) * vector_length + first_lane);
  }
};

template <class Kernel>
__global__ void __launch_bounds__(cuda_scan_threads) cuda_line_scan_kernel(const __grid_constant__ Kernel kernel) {
  extern __shared__ __align__(16) std::byte cuda_line_scan_memory[];
  kernel.run(cuda_line_scan_memory);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
