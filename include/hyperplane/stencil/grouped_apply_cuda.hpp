// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/slab_outside.hpp>
#include <hyperplane/simd/vector_length.hpp>
#include <hyperplane/stencil/detail/apply_cuda_kernel.hpp>
#include <hyperplane/stencil/detail/grouped_apply_cuda_kernel.hpp>
#include <hyperplane/stencil/detail/stencil_terms.hpp>
#include <hyperplane/stencil/grouped_apply.hpp>
#include <hyperplane/stencil/grouped_apply_blocks.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// On CUDA: one launch for all grids. Or one for the CUDA blocks that have no late SIMD group, and one for the others:
/// each value of the matrix is then read once, too, and each sum is found in one piece.
template <Real Scalar, int n, CudaExecutionSpace Exec>
class GroupedApply<Scalar, n, Exec> {
 public:
  static constexpr bool exists = true;

  /// Waits for the instance.
  GroupedApply(const Exec& exec, const std::vector<GroupedGrid>& members,
               const std::vector<GroupedPack>& outside = {}) {
    std::vector<Entry> grids;
    std::vector<Map> maps;
    for (auto const& [grid, first_pack] : members) {
      maps.emplace_back(grid);
      grids.push_back({maps.back(), first_pack});
      m_points += grid.size();
    }
    GroupedApplyBlocks const blocks(maps, packs, outside);
    m_early = blocks.m_early;
    m_tables =
        std::make_shared<Tables>(Tables{cuda::DeviceArray<Entry>(exec.cuda_stream(), grids),
                                        cuda::DeviceArray<GroupedApplyBlock>(exec.cuda_stream(), blocks.m_blocks)});
    exec.fence("Hyperplane: tables of products");
  }

  /// y = A x, or y = b - A x, of all grids or a part of what they have, of the terms that are asked for. Of `outside`,
  /// points have neighbours outside of their grids.
  template <bool subtract, class StorageScalar, class Terms = AllTerms, class Outside = NoOutside>
  void run(const char* label, const Exec& exec, StorageScalar* a, Scalar* b, Scalar* x, Scalar* y,
           const Terms& terms = {}, const Outside& outside = {}, GroupedPart part = GroupedPart::all) const {
    int const all = static_cast<int>(m_tables->blocks.size());
    int const begin = part == GroupedPart::late ? m_early : 0, end = part == GroupedPart::early ? m_early : all;
    if (begin == end) return;
    if constexpr (std::is_same_v<Terms, AllTerms>) {
      count_bytes(label, product_bytes<Scalar, StorageScalar, n>(subtract) * static_cast<double>(m_points) *
                             (end - begin) / all);
    }
    GroupedApplyCuda<subtract, Scalar, n, StorageScalar, W, Terms, Outside> const kernel{
        m_tables->grids.data(), m_tables->blocks.data() + begin, a, b, x, y, terms, outside};
    cuda::labelled(exec, label, [&] { kernel.launch(exec.cuda_stream(), end - begin); });
  }

 private:
  static constexpr int W = vector_length_v<Scalar, Exec>;
  /// The same for all matrices.
  static constexpr int packs = ApplyCuda<false, Scalar, n, Scalar, W, AllTerms>::packs;
  using Map = SlabMap<W>;
  using Entry = GroupedApplyGrid<W>;
  struct Tables {
    cuda::DeviceArray<Entry> grids;
    cuda::DeviceArray<GroupedApplyBlock> blocks;
  };

  std::int64_t m_points = 0;
  int m_early = 0;
  std::shared_ptr<const Tables> m_tables;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
