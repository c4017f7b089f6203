// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// A^T of a BlockStencil7, a MultiBlockStencil7 or a DistributedStencil7, as the matrix of adjoint systems: for Krylov
/// methods. It has the values of A, nothing is copied.
template <class A>
class TransposedMatrix {
 public:
  using storage_type = typename A::storage_type;

  explicit TransposedMatrix(const A& a) : m_a(a) {}

  const A& matrix() const { return m_a; }

 private:
  A m_a;
};

/// y = A^T x: apply_transposed().
template <class Exec, class A, class Vector>
void apply(const Exec& exec, const TransposedMatrix<A>& a, const Vector& x, const Vector& y) {
  apply_transposed(exec, a.matrix(), x, y);
}

/// r = b - A^T x: residual_transposed().
template <class Exec, class A, class Vector>
void residual(const Exec& exec, const TransposedMatrix<A>& a, const Vector& b, const Vector& x, const Vector& r) {
  residual_transposed(exec, a.matrix(), b, x, r);
}

/// The first block of A that is not finite, in words; empty where all are. Waits for the instance.
template <class Exec, class A>
std::string describe_not_finite(const Exec& exec, const TransposedMatrix<A>& a) {
  return describe_not_finite(exec, a.matrix());
}

/// Of the matrices themselves: see NarrowedMatrix.
template <class Exec, class A, class Copy>
  requires requires(const Exec& exec, const A& a, const Copy& copy) { describe_other_copy(exec, a, copy); }
std::string describe_other_copy(const Exec& exec, const TransposedMatrix<A>& a, const TransposedMatrix<Copy>& copy) {
  return describe_other_copy(exec, a.matrix(), copy.matrix());
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
