// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/line/detail/line_factors.hpp>
#include <hyperplane/line/line_layout_ref.hpp>

#include <cuda_runtime.h>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Where the factorization finds the blocks of a pack: in packs of W lanes, as StridedPlaces says.
template <class MatrixStorage_, int W_>
struct CudaLineStridedSource {
  using MatrixStorage = MatrixStorage_;
  static constexpr int W = W_;
  LineMatrix<MatrixStorage, StridedPlaces<W>> m_a;

  /// The first value of a block at a step of the unit of W lanes.
  template <class Factors>
  __device__ const MatrixStorage* block(const Factors&, LineBlock which, std::int64_t, std::int64_t unit,
                                        int step) const {
    auto const place = m_a.m_places.m_bases[unit] + step * m_a.m_places.m_stride;
    return m_a.m_data + (place * m_a.m_entries + m_a.m_first[static_cast<int>(which)]) * W;
  }
};

/// Where a block of the matrix lies until it is factored, if it is gathered before.
template <class Storage, int n, int vector_length>
__device__ Storage* cuda_gathered_block(const LineFactors<Storage, n, vector_length>& factors, LineBlock which,
                                        std::int64_t pack, int step) {
  if (which == LineBlock::upper) return factors.upper(pack, step);
  return factors.lower(pack, step, which == LineBlock::lower ? LineFactor::lower : LineFactor::inverse);
}

/// In the factors themselves, where they have been gathered.
template <class Storage, int vector_length>
struct CudaLineFactorsSource {
  using MatrixStorage = Storage;
  static constexpr int W = vector_length;

  template <class Factors>
  __device__ const Storage* block(const Factors& factors, LineBlock which, std::int64_t pack, std::int64_t,
                                  int step) const {
    return cuda_gathered_block(factors, which, pack, step);
  }
};

/// Brings the blocks of lines that are anywhere to where their factors will be, one block of threads a pack. A thread
/// has many loads under way at a time, of `entries` of each of the three blocks: compilers cannot know that the factors
/// are not the matrix, and would let each load wait for the store before it. Few threads with many loads also leave in
/// the cache what others need of the same lines of memory.
template <class Storage, class MatrixStorage, int n, int vector_length>
struct CudaLineGather {
  static constexpr int threads = 256;
  /// A warp has so many lines, and some steps of each: points next to one another along a line share sectors of memory
  /// with those of neighbouring lines in skewed slabs.
  static constexpr int warp_lanes = 8;
  static constexpr int warp_steps = 32 / warp_lanes;
  static constexpr int groups = vector_length / warp_lanes;
  static constexpr int block_entries = n * n;
  static constexpr int entries = block_entries <= 25 ? block_entries : 20;
  static_assert(vector_length % warp_lanes == 0 && threads / 32 % groups == 0);

  LineMatrix<MatrixStorage, GatheredPlaces> m_a;
  LineFactors<Storage, n, vector_length> m_factors;

  __device__ void run() const {
    std::int64_t const pack = blockIdx.x;
    int const length = m_factors.m_layout.length(pack);
    int const warp = static_cast<int>(threadIdx.x) / 32;
    int const thread = static_cast<int>(threadIdx.x) % 32;
    int const lane = warp % groups * warp_lanes + thread % warp_lanes;
    int const first_step = warp / groups * warp_steps + thread / warp_lanes;
    const int* const slots = m_a.m_places.m_slots + m_factors.m_layout.first_item(pack) * vector_length + lane;
    for (int step = first_step; step < length; step += threads / vector_length) {
      int const slot = slots[std::int64_t{step} * vector_length];
#pragma unroll 1
      for (int entry = 0; entry < block_entries; entry += entries) copy(pack, step, lane, slot, entry);
    }
  }

 private:
  __device__ void copy(std::int64_t pack, int step, int lane, int slot, int entry) const {
    constexpr bool all_there = block_entries % entries == 0;
    int const width = 1 << m_a.m_places.m_shift;
    auto const from = std::int64_t{slot >> m_a.m_places.m_shift} * m_a.m_entries * width + (slot & (width - 1));
    Storage values[line_blocks][entries] = {};
#pragma unroll
    for (int b = 0; b < line_blocks; ++b) {
      auto const first = from + std::int64_t{m_a.m_first[b] + entry} * width;
#pragma unroll
      for (int e = 0; e < entries; ++e) {
        if (slot >= 0 && (all_there || entry + e < block_entries)) {
          values[b][e] = static_cast<Storage>(m_a.m_data[first + std::int64_t{e} * width]);
        }
      }
    }
#pragma unroll
    for (int b = 0; b < line_blocks; ++b) {
      auto const which = static_cast<LineBlock>(b);
      Storage* const first = cuda_gathered_block(m_factors, which, pack, step) + entry * vector_length + lane;
#pragma unroll
      for (int e = 0; e < entries; ++e) {
        if (all_there || entry + e < block_entries) first[e * vector_length] = values[b][e];
      }
    }
  }
};

template <class Gather>
__global__ void __launch_bounds__(Gather::threads) cuda_line_gather_kernel(const __grid_constant__ Gather gather) {
  gather.run();
}

/// Makes the source of a factorization: the matrix itself, or the factors, into which its blocks are gathered before.
template <class MatrixStorage, int W, class Factors>
CudaLineStridedSource<MatrixStorage, W> prepare_cuda_line_source(cudaStream_t, std::int64_t,
                                                                 const LineMatrix<MatrixStorage, StridedPlaces<W>>& a,
                                                                 const Factors&) {
  return {a};
}
template <class MatrixStorage, class Storage, int n, int vector_length>
CudaLineFactorsSource<Storage, vector_length> prepare_cuda_line_source(
    cudaStream_t stream, std::int64_t packs, const LineMatrix<MatrixStorage, GatheredPlaces>& a,
    const LineFactors<Storage, n, vector_length>& factors) {
  using Gather = CudaLineGather<Storage, MatrixStorage, n, vector_length>;
  cuda::launch(stream, cuda_line_gather_kernel<Gather>, static_cast<int>(packs), Gather::threads, 0,
               cuda::Dependency::complete, Gather{a, factors});
  return {};
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
