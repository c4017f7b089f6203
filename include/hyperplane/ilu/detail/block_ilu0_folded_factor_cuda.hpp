// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/folded_order.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_graph_factor.hpp>
#include <hyperplane/ilu/detail/block_ilu0_folded.hpp>
#include <hyperplane/ilu/detail/block_ilu0_folded_factor.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>
#include <hyperplane/sweep/folded_sweep.hpp>
#include <hyperplane/sweep/plane_packs_cuda.hpp>
#include <hyperplane/sweep/sweep_path.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <memory>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// On CUDA SweepPath::cuda_graph has a graph with a kernel for each hyperplane of levels. Factors of 16 bits are those
/// of the portable path.
template <class Scalar, int n, CudaExecutionSpace Exec, class Storage, int vector_length>
class BlockIlu0FoldedFactor<Scalar, n, Exec, Storage, vector_length> {
 public:
  /// Follows the constructor of the sweeps, which asks for the device of the instance.
  BlockIlu0FoldedFactor(const Exec& exec, const FoldedOrder& order, SweepPath path) : m_order(order) {
    if constexpr (!ShortReal<Storage>) {
      if (!order.is_folded() || path == SweepPath::portable) return;
      m_graph = std::make_shared<Graph>(exec.cuda_stream(), Map(order));
    }
  }

  template <class MatrixStorage>
  void operator()(const Exec& exec, const BlockStencil7Ref<MatrixStorage, n, vector_length>& a,
                  const TriangularFactors<Storage, n, vector_length>& factors,
                  const SingularPivotRecord<Exec>& singular) const {
    if constexpr (!ShortReal<Storage>) {
      if (m_graph) {
        return cuda::labelled(exec, "Hyperplane::BlockIlu0::factor",
                              [&] { (*m_graph)(exec.cuda_stream(), a, factors, singular.word()); });
      }
    }
    using Factors = FoldedFactors<Storage, n, vector_length>;
    block_ilu0_factor_folded<Scalar, n>(exec, FoldedPlanes{m_order}, a, Factors{factors, m_order}, singular);
  }

 private:
  using Map = FoldedMap<vector_length>;
  using Graph = BlockIlu0CudaGraphFactors<Scalar, n, Storage, vector_length, Map>;

  FoldedOrder m_order;
  std::shared_ptr<Graph> m_graph;  ///< copies share it
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
