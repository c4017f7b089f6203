// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/krylov/krylov_base.hpp>
#include <hyperplane/krylov/options.hpp>
#include <hyperplane/krylov/result.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The face of a method. Method has `Phase iterate(exec, a, m, b, x, run) const`, which goes on until the run ends, and
/// is this class's friend.
template <class Method, KrylovVector Vector>
class KrylovMethod : public KrylovBase<Vector> {  // NOLINT(bugprone-crtp-constructor-accessibility): methods have it
 public:
  using typename KrylovBase<Vector>::Exec;
  using KrylovBase<Vector>::KrylovBase;

  /// Solves A x = b from the x that is given.
  template <LinearOperator<Vector> Matrix, Preconditioner<Vector> Precond>
  KrylovResult solve(const Exec& exec, const Matrix& a, const Precond& m, const Vector& b, const Vector& x) const {
    return solve(exec, a, m, b, x, this->m_options.limits());
  }

  /// The same within other limits than those of the options.
  template <LinearOperator<Vector> Matrix, Preconditioner<Vector> Precond>
  KrylovResult solve(const Exec& exec, const Matrix& a, const Precond& m, const Vector& b, const Vector& x,
                     const KrylovLimits& limits) const {
    Solving const solving(*this->m_solving, this->m_label);
    this->check(b, x, limits);
    check_structure_of(exec, a);
    KrylovRun run{limits, this->m_options.monitor};
    Phase const phase = static_cast<const Method&>(*this).iterate(exec, a, m, b, x, run);
    return this->conclude(exec, a, run, phase);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
