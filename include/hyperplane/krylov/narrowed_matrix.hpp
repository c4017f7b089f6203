// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// A matrix and a copy of it in a narrower storage type, as narrow() makes it: for Krylov methods, whose recursions
/// multiply with the copy, at the price of its bytes, while residuals of x, which decide, are computed with the matrix
/// itself. So solutions are as accurate as with the matrix alone:
///
///   BlockStencil7<double, 5, Exec, float> const copy(exec, grid);
///   narrow(exec, a, copy);  // after each assembly
///   auto result = BiCgStab<Vector>(exec, grid).solve(exec, NarrowedMatrix(a, copy), m, b, x);
///
/// The copy may be of 16 bits: narrowed<Half>(exec, a), a ScaledStencil7, or of several grid blocks a
/// MultiBlockStencil7.
///
/// It has handles of both, which may be any that apply() takes: transposed(a) and transposed(copy), or those of several
/// grid blocks. Richardson, whose products are all of residuals, gains nothing by it.
template <class Matrix, class Copy>
class NarrowedMatrix {
 public:
  using storage_type = typename Copy::storage_type;
  static_assert(StorageReal<storage_type>, "the rounding of the copy's values is known");

  NarrowedMatrix(const Matrix& matrix, const Copy& copy) : m_matrix(matrix), m_copy(copy) {}

  const Matrix& exact() const { return m_matrix; }
  const Copy& copy() const { return m_copy; }
  /// About the relative error of products with the copy: 2^-23 of float, 2^-10 of Half, 2^-7 of BFloat16.
  static constexpr double rounding() { return detail::storage_epsilon<storage_type>; }

 private:
  Matrix m_matrix;
  Copy m_copy;
};

/// y = A x, with the copy.
template <class Exec, class Matrix, class Copy, class Vector>
void apply(const Exec& exec, const NarrowedMatrix<Matrix, Copy>& a, const Vector& x, const Vector& y) {
  apply(exec, a.copy(), x, y);
}

/// r = b - A x, with the matrix itself.
template <class Exec, class Matrix, class Copy, class Vector>
void residual(const Exec& exec, const NarrowedMatrix<Matrix, Copy>& a, const Vector& b, const Vector& x,
              const Vector& r) {
  residual(exec, a.exact(), b, x, r);
}

/// The first block of A, or else of the copy, that is not finite, in words, which say so of the copy; empty where all
/// are. Waits for the instance.
template <class Exec, class Matrix, class Copy>
  requires requires(const Exec& exec, const Matrix& a, const Copy& copy) {
    describe_not_finite(exec, a);
    describe_not_finite(exec, copy);
  }
std::string describe_not_finite(const Exec& exec, const NarrowedMatrix<Matrix, Copy>& a) {
  auto const found = describe_not_finite(exec, a.exact());
  if (!found.empty()) return found;
  auto const of_copy = describe_not_finite(exec, a.copy());
  return of_copy.empty() ? of_copy : "in the copy " + of_copy;
}

/// The first block of the copy that is not that of A, rounded, in words; empty where all are, and where the matrices
/// cannot tell. Waits for the instance.
template <class Exec, class Matrix, class Copy>
  requires requires(const Exec& exec, const Matrix& a, const Copy& copy) { describe_other_copy(exec, a, copy); }
std::string describe_other_copy(const Exec& exec, const NarrowedMatrix<Matrix, Copy>& a) {
  return describe_other_copy(exec, a.exact(), a.copy());
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
