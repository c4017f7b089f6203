// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/krylov/detail/simultaneous_base.hpp>
#include <hyperplane/krylov/krylov_base.hpp>
#include <hyperplane/krylov/options.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The face of a method for several right-hand sides. Method has `Recursions iterate(exec, a, m, b, x, limits) const`,
/// which goes on until all have ended, and is this class's friend.
template <class Method, class Vectors>
// NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): methods have it
class SimultaneousMethod : public SimultaneousBase<Vectors> {
  using Base = SimultaneousBase<Vectors>;

 public:
  using Base::Base;
  using typename Base::Exec;
  using typename Base::Limits;
  using typename Base::Results;

  /// Solves A X = B from the X that is given: a result for each vector. Throws Error where vectors have other points,
  /// or X is B.
  template <LinearOperator<Vectors> Matrix, Preconditioner<Vectors> Precond>
  Results solve(const Exec& exec, const Matrix& a, const Precond& m, const Vectors& b, const Vectors& x) const {
    return solve(exec, a, m, b, x, this->m_options.limits());
  }
  /// The same within other limits than those of the options.
  template <LinearOperator<Vectors> Matrix, Preconditioner<Vectors> Precond>
  Results solve(const Exec& exec, const Matrix& a, const Precond& m, const Vectors& b, const Vectors& x,
                const KrylovLimits& limits) const {
    Limits of_each;
    of_each.fill(limits);
    return solve(exec, a, m, b, x, of_each);
  }
  /// The same within limits of its own for each right-hand side.
  template <LinearOperator<Vectors> Matrix, Preconditioner<Vectors> Precond>
  Results solve(const Exec& exec, const Matrix& a, const Precond& m, const Vectors& b, const Vectors& x,
                const Limits& limits) const {
    Solving const solving(*this->m_solving, this->m_label);
    this->check(b, x, limits);
    check_structure_of(exec, a);
    auto all = static_cast<const Method&>(*this).iterate(exec, a, m, b, x, limits);
    return this->conclude(exec, a, all);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
