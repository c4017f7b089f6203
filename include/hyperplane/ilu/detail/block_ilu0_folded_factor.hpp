// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/folded_order.hpp>
#include <hyperplane/ilu/detail/block_ilu0_folded.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>
#include <hyperplane/sweep/folded_pieces.hpp>
#include <hyperplane/sweep/folded_sweep.hpp>
#include <hyperplane/sweep/slab_steps.hpp>
#include <hyperplane/sweep/sweep_path.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <memory>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The factorization of BILU(0) where directions are folded, on the paths of an execution space: here on the portable
/// one alone.
template <class Scalar, int n, class Exec, class Storage, int vector_length>
class BlockIlu0FoldedFactor {
 public:
  BlockIlu0FoldedFactor(const Exec&, const FoldedOrder& order, SweepPath) : m_order(order) {}

  template <class MatrixStorage>
  void operator()(const Exec& exec, const BlockStencil7Ref<MatrixStorage, n, vector_length>& a,
                  const TriangularFactors<Storage, n, vector_length>& factors,
                  const SingularPivotRecord<Exec>& singular) const {
    using Factors = FoldedFactors<Storage, n, vector_length>;
    block_ilu0_factor_folded<Scalar, n>(exec, FoldedPlanes{m_order}, a, Factors{factors, m_order}, singular);
  }

 private:
  FoldedOrder m_order;
};

/// On hosts SweepPath::slab has the points of the portable path in another order, with its products and sums.
template <class Scalar, int n, HostExecutionSpace Exec, class Storage, int vector_length>
class BlockIlu0FoldedFactor<Scalar, n, Exec, Storage, vector_length> {
 public:
  BlockIlu0FoldedFactor(const Exec& exec, const FoldedOrder& order, SweepPath path) : m_order(order) {
    if (!order.is_folded() || path == SweepPath::portable) return;
    m_pieces = std::make_shared<FoldedPieces<Exec>>(exec, "Hyperplane::BlockIlu0", order, vector_length,
                                                    slab_steps<Storage, n, vector_length>);
  }

  template <class MatrixStorage>
  void operator()(const Exec& exec, const BlockStencil7Ref<MatrixStorage, n, vector_length>& a,
                  const TriangularFactors<Storage, n, vector_length>& factors,
                  const SingularPivotRecord<Exec>& singular) const {
    auto const run = [&](const auto& points) {
      using Factors = FoldedFactors<Storage, n, vector_length>;
      block_ilu0_factor_folded<Scalar, n>(exec, points, a, Factors{factors, m_order}, singular);
    };
    m_pieces ? run(*m_pieces) : run(FoldedPlanes{m_order});
  }

 private:
  FoldedOrder m_order;
  std::shared_ptr<FoldedPieces<Exec>> m_pieces;  ///< copies share it
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
