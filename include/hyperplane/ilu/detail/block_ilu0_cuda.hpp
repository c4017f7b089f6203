// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_factor_shape.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_graph_factor.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_slab_factor_plan.hpp>
#include <hyperplane/ilu/detail/block_ilu0_fast_factor.hpp>
#include <hyperplane/ilu/detail/block_ilu0_portable.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>
#include <hyperplane/sweep/sweep_path.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <memory>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Factors of 16 bits are those of the portable path where sweeps have `cuda_graph`.
template <class Scalar, int n, CudaExecutionSpace Exec, StorageReal Storage, int vector_length>
class BlockIlu0FastFactor<Scalar, n, Exec, Storage, vector_length> {
 public:
  using Map = SlabMap<vector_length>;
  using Factors = TriangularFactors<Storage, n, vector_length>;

  static SweepPath sweep_path(const Exec&, SweepPath asked) {
    // The portable path's factorization of 16 bits does where that by slab lacks something.
    return ShortReal<Storage> ? asked : sweep_path_for_factor(asked, [] { return !Slab::lacking().empty(); });
  }

  /// Follows the constructor of the sweeps, which refuses other paths.
  BlockIlu0FastFactor(const Exec& exec, const Map& map, SweepPath path, int multiprocessors) {
    if constexpr (!ShortReal<Storage>) {
      if (path == SweepPath::cuda_graph) m_graph = std::make_shared<Graph>(exec.cuda_stream(), map);
    }
    if (path != SweepPath::slab) return;
    auto const missing = Slab::lacking();
    if (ShortReal<Storage> && !missing.empty()) return;
    if (!missing.empty()) fail("BlockIlu0: path slab " + missing);
    m_slab = std::make_shared<Slab>(exec.cuda_stream(), map, multiprocessors);
  }

  template <class MatrixStorage>
  void operator()(const Exec& exec, const BlockStencil7Ref<MatrixStorage, n, vector_length>& a, const Factors& factors,
                  const SingularPivotRecord<Exec>& singular) const {
    if constexpr (ShortReal<Storage>) {
      if (!m_slab) return block_ilu0_factor_portable<Scalar, n>(exec, a, factors, singular);
    }
    cuda::labelled(exec, "Hyperplane::BlockIlu0::factor", [&] {
      if (m_slab) {
        (*m_slab)(exec.cuda_stream(), a, factors, singular.word());
      } else if constexpr (!ShortReal<Storage>) {
        (*m_graph)(exec.cuda_stream(), a, factors, singular.word());
      }
    });
  }

 private:
  using Slab = BlockIlu0CudaSlabFactor<Scalar, n, Storage, vector_length>;
  using Graph = BlockIlu0CudaGraphFactors<Scalar, n, Storage, vector_length>;

  // Of the path that runs. Copies of a BlockIlu0 share it.
  std::shared_ptr<Slab> m_slab;
  std::shared_ptr<Graph> m_graph;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
