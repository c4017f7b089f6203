// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

namespace hyperplane::inline HYPERPLANE_ABI {

/// M^T of a preconditioner M, for Krylov methods on A^T x = b: its solves are those of M^T. It keeps a reference to M.
template <class Plan>
class TransposedPreconditioner {
 public:
  explicit TransposedPreconditioner(const Plan& plan) : m_plan(plan) {}

  template <class Exec, class Vector>
    requires requires(const Plan& plan, const Exec& exec, const Vector& v) { plan.solve_transposed(exec, v, v); }
  void solve(const Exec& exec, const Vector& r, const Vector& z) const {
    m_plan.solve_transposed(exec, r, z);
  }

 private:
  const Plan& m_plan;
};

/// M^T. M must live as long as it is used.
template <class Plan>
  requires requires(const Plan& plan, const typename Plan::execution_space& exec, const typename Plan::Vector& v) {
    plan.solve_transposed(exec, v, v);
  }
TransposedPreconditioner<Plan> transposed(const Plan& plan) {
  return TransposedPreconditioner<Plan>(plan);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
