// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/line/detail/line_factors.hpp>
#include <hyperplane/line/line_layout_ref.hpp>

#include <cuda_runtime.h>

#include <cstdint>

namespace hyperplane::detail {

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

/// In the factors themselves, where they have been gathered.
template <class Storage, int vector_length>
struct CudaLineFactorsSource {
  using MatrixStorage = Storage;
  static constexpr int W = vector_length;

  template <class Factors>
  __device__ const Storage* block(const Factors& factors, LineBlock which, std::int64_t pack, std::int64_t,
                                  int step) const {
    if (which == LineBlock::upper) return factors.upper(pack, step);
    return factors.lower(pack, step, which == LineBlock::lower ? LineFactor::lower : LineFactor::inverse);
  }
};

/// Brings the blocks of lines that are anywhere to where their factors will be, one block of threads a pack.
template <class Storage, class MatrixStorage, int n, int vector_length>
struct CudaLineGather {
  static constexpr int threads = 256;
  LineMatrix<MatrixStorage, GatheredPlaces> m_a;
  LineFactors<Storage, n, vector_length> m_factors;

  __device__ void run() const {
    std::int64_t const pack = blockIdx.x;
    int const length = m_factors.m_layout.length(pack);
    int const lane = static_cast<int>(threadIdx.x) % vector_length;
    const int* const slots = m_a.m_places.m_slots + m_factors.m_layout.first_item(pack) * vector_length + lane;
    int const width = 1 << m_a.m_places.m_shift;
    for (int step = static_cast<int>(threadIdx.x) / vector_length; step < length; step += threads / vector_length) {
      int const slot = slots[std::int64_t{step} * vector_length];
      auto const from = std::int64_t{slot >> m_a.m_places.m_shift} * m_a.m_entries * width + (slot & (width - 1));
      auto const copy = [&](Storage* to, LineBlock which) {
        int const first = m_a.m_first[static_cast<int>(which)];
        for (int e = 0; e < n * n; ++e) {
          to[e * vector_length + lane] =
              slot >= 0 ? static_cast<Storage>(m_a.m_data[from + std::int64_t{first + e} * width]) : Storage(0);
        }
      };
      copy(m_factors.lower(pack, step, LineFactor::lower), LineBlock::lower);
      copy(m_factors.lower(pack, step, LineFactor::inverse), LineBlock::diagonal);
      copy(m_factors.upper(pack, step), LineBlock::upper);
    }
  }
};

template <class Gather>
__global__ void __launch_bounds__(Gather::threads) cuda_line_gather_kernel(const __grid_constant__ Gather gather) {
  gather.run();
}

/// Gathers blocks into the factors.
template <class Storage, class MatrixStorage, int n, int vector_length>
void cuda_line_gather(cudaStream_t stream, std::int64_t packs, const LineMatrix<MatrixStorage, GatheredPlaces>& a,
                      const LineFactors<Storage, n, vector_length>& factors) {
  using Gather = CudaLineGather<Storage, MatrixStorage, n, vector_length>;
  cuda::launch(stream, cuda_line_gather_kernel<Gather>, static_cast<int>(packs), Gather::threads, 0,
               cuda::Dependency::complete, Gather{a, factors});
}

}  // namespace hyperplane::detail
