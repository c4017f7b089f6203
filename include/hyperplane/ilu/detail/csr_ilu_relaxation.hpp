// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>

/// What DILU and SSOR of a BlockCsr make of A, and by what factors of an elimination differ from those of
/// A, for kernels.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// M = (d + L) d^-1 (d + U) / (2 - w), where d is the diagonal of A, divided by w, or what DILU makes of it, with w
/// = 1.
struct CsrRelaxationRule {
  bool eliminates;  ///< as DILU does
  double relaxation;
};

/// By nothing, as those of BILU(0).
struct NoCsrIluRelaxation {
  static constexpr bool exists = false;

  template <class T>
  HYPERPLANE_FORCEINLINE_FUNCTION T of_a(T value) const {
    return value;
  }
  template <class T>
  HYPERPLANE_FORCEINLINE_FUNCTION T of_inverse(T value) const {
    return value;
  }
};

/// M = (d + L)(I + d^-1 U) / (2 - w), with w times the inverse of a pivot block for d^-1: the factors of A / (2 - w)
/// are those of M, L / (2 - w), (2 - w) d^-1 and d^-1 U.
template <class Scalar>
struct CsrIluRelaxation {
  static constexpr bool exists = true;

  Scalar m_of_a = Scalar(1);
  Scalar m_of_inverses = Scalar(1);

  static CsrIluRelaxation of(double w) { return {static_cast<Scalar>(1.0 / (2.0 - w)), static_cast<Scalar>(w)}; }

  HYPERPLANE_FORCEINLINE_FUNCTION Scalar of_a(Scalar value) const { return m_of_a * value; }
  HYPERPLANE_FORCEINLINE_FUNCTION Scalar of_inverse(Scalar value) const { return m_of_inverses * value; }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
