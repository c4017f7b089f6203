// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/concurrency.hpp>
#include <hyperplane/sweep/detail/folded_lines.hpp>
#include <hyperplane/sweep/detail/triangular_sweeps_fast_path.hpp>
#include <hyperplane/sweep/factor_scales.hpp>
#include <hyperplane/sweep/folded_pieces.hpp>
#include <hyperplane/sweep/folded_sweep.hpp>
#include <hyperplane/sweep/portable_sweep.hpp>
#include <hyperplane/sweep/slab_steps.hpp>
#include <hyperplane/sweep/sweep_path.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The path of sweeps in a folded order beside the portable one, for an execution space: a specialization says which,
/// holds what it needs, and runs it. Without one there is none.
template <class Scalar, int n, class Exec, class Storage, int vector_length>
class FoldedFastPath : public NoFastSweeps {
 public:
  static constexpr SweepPath path = SweepPath::portable;
  /// What SweepPath::automatic stands for.
  static SweepPath choose(const Exec&, const FoldedOrder&) { return path; }

  FoldedFastPath(const Exec&, const std::string& /*owner*/, const FoldedOrder&) {}
};

/// Forward and backward sweeps of one vector take SIMD vectors, where factors have no units of their own.
template <Sweep sweep, bool transposed = false, ExecutionSpace Exec, class Storage, class Scalar, int n,
          int vector_length, int count>
void portable_sweep(const Exec& exec, const char* label,
                    const FoldedRecursion<Storage, n, vector_length, FoldedPieces<Exec>>& recursion,
                    const VectorRefs<BlockVectorRef<Scalar, n, vector_length>, count>& rhs,
                    const VectorRefs<BlockVectorRef<Scalar, n, vector_length>, count>& x) {
  FoldedSweepPoint<sweep, transposed, Scalar, n, Storage, vector_length, count> const at{recursion.m_factors, rhs, x};
  auto const run = [&](const auto& kernel) { recursion.m_points.run(exec, label, sweep, at.bytes, kernel); };
  if constexpr (transposed || has_scales<Storage>) {
    run(at);
  } else {
    run(FoldedLines<sweep, Scalar, n, Storage, vector_length>(at));
  }
}

/// On hosts: the products and sums of the portable path, in its order.
template <class Scalar, int n, HostExecutionSpace Exec, class Storage, int vector_length>
class FoldedFastPath<Scalar, n, Exec, Storage, vector_length> {
 public:
  static constexpr SweepPath path = SweepPath::slab;
  static SweepPath choose(const Exec& exec, const FoldedOrder& order) {
    return suits_folded_pieces(order, vector_length, concurrency_of(exec)) ? path : SweepPath::portable;
  }
  using Factors = FoldedFactors<Storage, n, vector_length>;
  using Vector = BlockVectorRef<Scalar, n, vector_length>;

  FoldedFastPath(const Exec& exec, const std::string& owner, const FoldedOrder& order)
      : m_pieces(exec, "Hyperplane::" + owner, order, vector_length, slab_steps<Storage, n, vector_length>) {}

  template <int count>
  void solve(const Exec& exec, Sweeps sweeps, const Factors& factors, const VectorRefs<Vector, count>& rhs,
             const VectorRefs<Vector, count>& x) const {
    portable_sweeps<Scalar, n>(exec, sweeps, recursion(factors), rhs, x);
  }
  /// With M^T; x may be rhs.
  void solve_transposed(const Exec& exec, Sweeps sweeps, const Factors& factors, const Vector& rhs,
                        const Vector& x) const {
    portable_sweeps<Scalar, n, true>(exec, sweeps, recursion(factors), VectorRefs<Vector, 1>{{rhs}},
                                     VectorRefs<Vector, 1>{{x}});
  }

 private:
  using Points = FoldedPieces<Exec>;
  FoldedRecursion<Storage, n, vector_length, Points> recursion(const Factors& factors) const {
    return {factors, m_pieces};
  }

  Points m_pieces;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
