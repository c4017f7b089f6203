// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "for_each.hpp"
#include "steady.hpp"

#include <hyperplane/core/error.hpp>
#include <hyperplane/krylov/richardson.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>

namespace backward_facing_step {

/// One of the linear systems A x = b of a SIMPLE iteration, on plans that are made once: u, v or the correction of the
/// pressure. Iterations of SIP solve it.
template <hyperplane::ExecutionSpace Exec>
class Equation {
 public:
  using Matrix = hyperplane::BlockStencil7<double, 1, Exec>;

  Equation(const Exec& exec, const hyperplane::Grid& grid, const LinearOptions& options)
      : m_matrix(exec, grid),
        m_rhs(exec, grid),
        m_residual(exec, grid),
        m_sip(exec, grid, {.alpha = options.alpha}),
        m_iteration(exec, grid,
                    {.tolerance = 0, .max_iterations = options.iterations, .check_interval = options.iterations}) {}

  const Matrix& matrix() const { return m_matrix; }
  const Field<Exec>& rhs() const { return m_rhs; }

  /// Sum of the magnitudes of b - A x. Waits for the instance.
  double imbalance(const Exec& exec, const Field<Exec>& x) const {
    hyperplane::residual(exec, m_matrix, m_rhs, x, m_residual);
    return one_norm(exec, m_residual);
  }

  /// Improves x. Waits for the instance. Throws hyperplane::Error where the factorization or the iteration breaks down.
  void improve(const Exec& exec, const Field<Exec>& x) {
    m_sip.factor(exec, m_matrix);
    auto const result = m_iteration.solve(exec, m_matrix, m_sip, m_rhs, x);
    if (result.outcome == hyperplane::KrylovOutcome::breakdown) {
      auto const status = m_sip.status(exec);
      throw hyperplane::Error(status.ok() ? "the flow grows without bounds: take less --relaxation or --alpha"
                                          : status.message());
    }
  }

 private:
  Matrix m_matrix;
  Field<Exec> m_rhs;
  Field<Exec> m_residual;
  hyperplane::Sip<double, Exec> m_sip;
  hyperplane::Richardson<Field<Exec>> m_iteration;
};

}  // namespace backward_facing_step
