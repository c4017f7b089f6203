// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/sweep/detail/triangular_sweeps_fast_path.hpp>
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
class FoldedFastPath {
 public:
  static constexpr SweepPath path = SweepPath::portable;

  FoldedFastPath(const Exec&, const std::string& /*owner*/, const FoldedOrder&) {}

  template <class... Arguments>
  void solve(const Arguments&...) const {
    fail("TriangularSweeps: the execution space has the portable path alone");
  }
  template <class... Arguments>
  void solve_transposed(const Arguments&... arguments) const {
    solve(arguments...);
  }
};

/// On hosts: the points of the portable path in another order, for its bits.
template <class Scalar, int n, HostExecutionSpace Exec, class Storage, int vector_length>
class FoldedFastPath<Scalar, n, Exec, Storage, vector_length> {
 public:
  static constexpr SweepPath path = SweepPath::slab;
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
    portable_transposed_sweeps<Scalar, n>(exec, sweeps, recursion(factors), rhs, x);
  }

 private:
  using Points = FoldedPieces<Exec>;
  FoldedRecursion<Storage, n, vector_length, Points> recursion(const Factors& factors) const {
    return {factors, m_pieces};
  }

  Points m_pieces;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
