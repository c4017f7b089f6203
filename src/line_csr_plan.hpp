// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/csr/lines_along_couplings.hpp>
#include <hyperplane/line/line_implicit_csr.hpp>
#include <hyperplane/line/line_set.hpp>

#include <utility>

#include "typed_csr.hpp"

namespace hyperplane::run_time {

/// The given lines, or those along the strongest couplings of the values of A.
template <class Exec, class Matrix>
LineSet lines_of(const Exec& exec, const Matrix& a, const CsrPreconditionerSettings& settings) {
  if (settings.given_lines) return *settings.given_lines;
  auto lines = lines_along_couplings(exec, a, {.strong = settings.strong_coupling});
  return LineSet::lists(a.rows(), std::move(lines.offsets), std::move(lines.points));
}

/// The line-implicit iteration of compressed rows. It is compiled beside the line solver that it has.
template <int n, class Exec>
class LineCsrPlan final : public TypedCsrPlan<Exec> {
 public:
  using typename TypedCsrPlan<Exec>::Vector;
  using typename TypedCsrPlan<Exec>::Vectors;

  LineCsrPlan(const Exec& exec, const CsrArrays<Exec>& a, const CsrPreconditionerSettings& settings)
      : m_held(exec, block_csr<n>(a), lines_of(exec, block_csr<n>(a), settings),
               {.sweeps = settings.line_sweeps,
                .relaxation = settings.relaxation,
                .transposed = settings.transposed != 0,
                .vectors = csr_vectors}) {}

  void factor(const Exec& exec, const CsrArrays<Exec>& a) override { m_held.factor(exec, block_csr<n>(a)); }
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const override {
    m_held.solve(exec, rhs.flat(), x.flat());
  }
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const override {
    m_held.solve_transposed(exec, rhs.flat(), x.flat());
  }
  void solve(const Exec& exec, const Vectors& rhs, const Vectors& x) const override {
    m_held.solve(exec, point_vectors<n>(rhs), point_vectors<n>(x));
  }
  void solve_transposed(const Exec& exec, const Vectors& rhs, const Vectors& x) const override {
    m_held.solve_transposed(exec, point_vectors<n>(rhs), point_vectors<n>(x));
  }
  FactorProblem problem(const Exec& exec) const override { return FactorProblem::of(m_held.status(exec)); }

 private:
  LineImplicitCsr<double, n, Exec> m_held;
};

}  // namespace hyperplane::run_time
