// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/slab_outside.hpp>
#include <hyperplane/stencil/detail/apply_cuda_kernel.hpp>
#include <hyperplane/stencil/detail/stencil_terms.hpp>
#include <hyperplane/stencil/grouped_apply_blocks.hpp>
#include <hyperplane/stencil/parts_of_all.hpp>

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A grid of a GroupedApplyCuda: its values begin with that SIMD group.
template <int W>
struct GroupedApplyGrid {
  SlabMap<W> map;
  std::int64_t first_pack;
};

/// ApplyCuda on several grids, whose values follow one another. A CUDA block looks up its grid, and whether it is to
/// ask for neighbours outside: where none of its points has one, no load waits for an answer.
template <bool subtract, class Scalar, int n, class Storage, int W, class Terms, class Outside = NoOutside>
struct GroupedApplyCuda {
  template <class OutsideOfGrid>
  using OneGrid = ApplyCuda<subtract, Scalar, n, Storage, W, Terms, false, OutsideOfGrid>;
  static constexpr int threads = OneGrid<NoOutside>::threads;
  static constexpr int resident_blocks = OneGrid<NoOutside>::resident_blocks;

  const GroupedApplyGrid<W>* m_grids;
  const GroupedApplyBlock* m_blocks;
  Storage* m_a;
  Scalar* m_b;
  Scalar* m_x;
  Scalar* m_y;
  Terms m_terms;
  Outside m_outside;

  __device__ __forceinline__ void run(int block) const {
    GroupedApplyBlock const here = m_blocks[block];
    GroupedApplyGrid<W> const grid = m_grids[here.grid];
    auto const vector = [&grid](Scalar* values) { return vector_part<n>(grid.map, grid.first_pack, values); };
    auto const product = [&](const auto& outside) {
      OneGrid<std::decay_t<decltype(outside)>>{
          matrix_part<n>(grid.map, grid.first_pack, m_a), vector(m_b), vector(m_x), vector(m_y), m_terms, outside}
          .run(here.number);
    };
    if constexpr (Outside::exists) {
      if (here.meets_outside != 0) return product(m_outside.of(here.grid, grid.map.grid()));
    }
    product(NoOutside());
  }

  void launch(cudaStream_t stream, int blocks) const {
    cuda::launch(stream, apply_cuda_kernel<GroupedApplyCuda>, blocks, threads, 0, cuda::Dependency::complete, *this);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
