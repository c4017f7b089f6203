// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/stencil/detail/apply_cuda_kernel.hpp>
#include <hyperplane/stencil/detail/stencil_terms.hpp>
#include <hyperplane/stencil/parts_of_all.hpp>

#include <cuda_runtime.h>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A grid of a GroupedApplyCuda: its values begin with that SIMD group, its CUDA blocks with that number.
template <int W>
struct GroupedApplyGrid {
  SlabMap<W> map;
  std::int64_t first_pack;
  int first_block;
};

/// ApplyCuda on several grids, whose values follow one another. A CUDA block looks up its grid.
template <bool subtract, class Scalar, int n, class Storage, int W, class Terms>
struct GroupedApplyCuda {
  using OneGrid = ApplyCuda<subtract, Scalar, n, Storage, W, Terms>;
  static constexpr int threads = OneGrid::threads;
  static constexpr int resident_blocks = OneGrid::resident_blocks;

  const GroupedApplyGrid<W>* m_grids;
  const int* m_grid_of;  ///< of a CUDA block
  Storage* m_a;
  Scalar* m_b;
  Scalar* m_x;
  Scalar* m_y;
  Terms m_terms;

  __device__ __forceinline__ void run(int block) const {
    GroupedApplyGrid<W> const grid = m_grids[m_grid_of[block]];
    auto const vector = [&grid](Scalar* values) { return vector_part<n>(grid.map, grid.first_pack, values); };
    OneGrid{matrix_part<n>(grid.map, grid.first_pack, m_a), vector(m_b), vector(m_x), vector(m_y), m_terms}.run(
        block - grid.first_block);
  }

  void launch(cudaStream_t stream, int blocks) const {
    cuda::launch(stream, apply_cuda_kernel<GroupedApplyCuda>, blocks, threads, 0, cuda::Dependency::complete, *this);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
