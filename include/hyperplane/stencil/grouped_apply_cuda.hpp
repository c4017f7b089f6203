// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/simd/vector_length.hpp>
#include <hyperplane/stencil/detail/apply_cuda_kernel.hpp>
#include <hyperplane/stencil/detail/grouped_apply_cuda_kernel.hpp>
#include <hyperplane/stencil/detail/stencil_terms.hpp>
#include <hyperplane/stencil/grouped_apply.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// On CUDA: one launch for all grids.
template <Real Scalar, int n, CudaExecutionSpace Exec, Real StorageScalar>
class GroupedApply<Scalar, n, Exec, StorageScalar> {
 public:
  static constexpr bool exists = true;

  GroupedApply(const Exec& exec, const std::vector<GroupedGrid>& members) {
    std::vector<Entry> grids;
    std::vector<int> grid_of;
    for (auto const& [grid, first_pack] : members) {
      Map const map(grid);
      grids.push_back({map, first_pack, static_cast<int>(grid_of.size())});
      grid_of.resize(grid_of.size() + blocks(map), static_cast<int>(grids.size()) - 1);
    }
    m_tables = std::make_shared<Tables>(Tables{cuda::DeviceArray<Entry>(exec.cuda_stream(), grids),
                                               cuda::DeviceArray<int>(exec.cuda_stream(), grid_of)});
  }

  /// y = A x, or y = b - A x, of all grids, of the terms that are asked for.
  template <bool subtract, class Terms = AllTerms>
  void run(const char* label, const Exec& exec, StorageScalar* a, Scalar* b, Scalar* x, Scalar* y,
           const Terms& terms = {}) const {
    GroupedApplyCuda<subtract, Scalar, n, StorageScalar, W, Terms> const kernel{
        m_tables->grids.data(), m_tables->grid_of.data(), a, b, x, y, terms};
    cuda::labelled(exec, label, [&] { kernel.launch(exec.cuda_stream(), static_cast<int>(m_tables->grid_of.size())); });
  }

 private:
  static constexpr int W = vector_length_v<Scalar, Exec>;
  using Map = SlabMap<W>;
  using Entry = GroupedApplyGrid<W>;
  struct Tables {
    cuda::DeviceArray<Entry> grids;
    cuda::DeviceArray<int> grid_of;
  };

  static std::size_t blocks(const Map& map) {
    constexpr int packs = ApplyCuda<false, Scalar, n, StorageScalar, W, AllTerms>::packs;
    return as_size(map.slabs()) * as_size((map.steps() + packs - 1) / packs);
  }

  std::shared_ptr<const Tables> m_tables;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
