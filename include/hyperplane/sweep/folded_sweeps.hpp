// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/quarter.hpp>
#include <hyperplane/grid/folded_order.hpp>
#include <hyperplane/stencil/block_vector_ref.hpp>
#include <hyperplane/sweep/detail/folded_fast_path.hpp>
#include <hyperplane/sweep/folded_sweep.hpp>
#include <hyperplane/sweep/portable_sweep.hpp>
#include <hyperplane/sweep/sweep_path.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/sweep/detail/folded_fast_path_cuda.hpp>
#endif

#include <memory>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The sweeps of TriangularSweeps where directions are folded, on each of their paths.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, int vector_length>
class FoldedSweeps {
 public:
  using Natural = TriangularFactors<Storage, n, vector_length>;
  using Factors = FoldedFactors<Storage, n, vector_length>;
  using Vector = BlockVectorRef<Scalar, n, vector_length>;

  /// What runs where `asked` is asked for. Throws Error where the execution space has no such path.
  static SweepPath checked_path(const Exec& exec, const std::string& owner, const FoldedOrder& order, SweepPath asked) {
    if (asked == SweepPath::automatic) return FastPath::choose(exec, order);
    if (asked != SweepPath::portable && asked != FastPath::path) {
      fail(owner + ": folded directions have no path " + name(asked) + " on " + Exec::name());
    }
    return asked;
  }

  /// Takes memory where directions are folded and the path is not portable.
  FoldedSweeps(const Exec& exec, const std::string& owner, const FoldedOrder& order, SweepPath path) : m_order(order) {
    if (order.is_folded() && path != SweepPath::portable) m_fast = std::make_shared<FastPath>(exec, owner, order);
  }

  /// x = M^-1 rhs, or M^-T rhs, for each of the vectors; x may be rhs.
  template <bool transposed, int count>
  void solve(const Exec& exec, Sweeps sweeps, const Natural& factors, const VectorRefs<Vector, count>& rhs,
             const VectorRefs<Vector, count>& x) const {
    if (m_fast) {
      if constexpr (transposed) {
        for (int v = 0; v < count; ++v) m_fast->solve_transposed(exec, sweeps, in_order(factors), rhs[v], x[v]);
      } else {
        m_fast->solve(exec, sweeps, in_order(factors), rhs, x);
      }
      return;
    }
    FoldedPlanes const planes{m_order};
    portable_sweeps<Scalar, n, transposed>(exec, sweeps, Recursion{in_order(factors), planes}, rhs, x);
  }

  /// What the first solve with M^-T prepares, where it does.
  void prepare_transposed(const Exec& exec) const {
    if constexpr (requires { m_fast->prepare_transposed(exec); }) {
      if (m_fast) m_fast->prepare_transposed(exec);
    }
  }

 private:
  using FastPath = FoldedFastPath<Scalar, n, Exec, Storage, vector_length>;
  using Recursion = FoldedRecursion<Storage, n, vector_length, FoldedPlanes>;

  Factors in_order(const Natural& factors) const { return {factors, m_order}; }

  FoldedOrder m_order;
  std::shared_ptr<FastPath> m_fast;  ///< copies of a plan share it
};

/// Where factors are stored in 8 bits there are none.
template <class Scalar, int n, ExecutionSpace Exec, int vector_length>
class FoldedSweeps<Scalar, n, Exec, Quarter, vector_length> {
 public:
  static SweepPath checked_path(const Exec&, const std::string& owner, const FoldedOrder&, SweepPath) {
    fail(owner + ": folded directions have no factors of 8 bits");
  }

  FoldedSweeps(const Exec&, const std::string& /*owner*/, const FoldedOrder&, SweepPath) {}

  template <bool, class... Arguments>
  void solve(const Arguments&...) const {}
  void prepare_transposed(const Exec&) const {}
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
