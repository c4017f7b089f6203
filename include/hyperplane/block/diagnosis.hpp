// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/factor_failure.hpp>
#include <hyperplane/core/storage_excess.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/factor_status.hpp>

#include <Kokkos_Core.hpp>

#include <limits>

/// Whether values can be stored, and what is wrong with a block that cannot be inverted.
namespace hyperplane::inline HYPERPLANE_ABI::block {

/// hyperplane::detail::storage_excess of all entries of a block.
template <class Storage, class Scalar, int n, class T>
KOKKOS_FORCEINLINE_FUNCTION T storage_excess(const Matrix<T, n>& a) {
  return hyperplane::detail::sum_apart<n * n, T>(
      [&](int e) { return hyperplane::detail::storage_excess<Storage, Scalar>(a.m_entries[e]); });
}

template <int n, class A>
KOKKOS_FUNCTION bool is_finite(const A& a) {
  using T = typename A::value_type;
  T sum(0);
  for (int c = 0; c < n; ++c) {
    for (int r = 0; r < n; ++r) sum += a(r, c) * T(0);
  }
  return sum == T(0);
}

template <int n, class A>
KOKKOS_FUNCTION bool is_row_zero(const A& a, int r) {
  for (int c = 0; c < n; ++c) {
    if (a(r, c) != 0) return false;
  }
  return true;
}

template <int n, class A>
KOKKOS_FUNCTION bool is_column_zero(const A& a, int c) {
  for (int r = 0; r < n; ++r) {
    if (a(r, c) != 0) return false;
  }
  return true;
}

namespace detail {
template <class Scalar>
inline constexpr Scalar smallest_normal = std::numeric_limits<Scalar>::min();
}  // namespace detail

/// Whether 1 / pivot, where that is positive, is a normal number, and fits in Storage.
template <class Storage, class Scalar>
KOKKOS_FUNCTION bool has_reciprocal(const Scalar& pivot) {
  Scalar const reciprocal = 1 / pivot;
  return reciprocal <= static_cast<Scalar>(hyperplane::detail::largest_finite<Storage>) &&
         reciprocal >= detail::smallest_normal<Scalar>;
}

/// Why a block that was made of finite values cannot be inverted, as `code` of a kernel says; `otherwise` where the
/// block does not show it. The block is overwritten.
template <class Storage, class Scalar, int n>
KOKKOS_FUNCTION hyperplane::detail::PivotFinding diagnose(Matrix<Scalar, n>& d, int code,
                                                          const hyperplane::detail::PivotFinding& otherwise) {
  if (!is_finite<n>(d)) return {FactorFailure::overflow, 0};
  for (int r = 0; r < n; ++r) {
    if (is_row_zero<n>(d, r)) return {FactorFailure::zero_row, r};
  }
  for (int c = 0; c < n; ++c) {
    if (is_column_zero<n>(d, c)) return {FactorFailure::zero_column, c};
  }
  if (code >= n) return otherwise;
  for (int k = 0; k <= code; ++k) {
    int row = k;
    for (int r = k + 1; r < n; ++r) {
      if (Kokkos::abs(d(r, k)) > Kokkos::abs(d(row, k))) row = r;
    }
    Scalar const largest = Kokkos::abs(d(row, k));
    if (!(largest * 0 == 0)) return {FactorFailure::overflow, 0};
    if (largest == 0) return {FactorFailure::singular, k};
    if (!(k == code ? has_reciprocal<Storage>(largest) : has_reciprocal<Scalar>(largest))) {
      return {FactorFailure::overflow, 0};
    }
    for (int c = 0; c < n; ++c) {
      Scalar const kept = d(k, c);
      d(k, c) = d(row, c);
      d(row, c) = kept;
    }
    for (int r = k + 1; r < n; ++r) {
      Scalar const factor = d(r, k) / d(k, k);
      for (int c = k; c < n; ++c) d(r, c) -= factor * d(k, c);
    }
  }
  return otherwise;
}

template <class Storage, class Scalar, int n>
KOKKOS_FUNCTION hyperplane::detail::PivotFinding diagnose(Matrix<Scalar, n>& d, int code) {
  if (code >= n) return diagnose<Storage>(d, code, {FactorFailure::overflow, 0});
  // Other roundings than those of the kernel left a little of what vanished there.
  return diagnose<Storage>(d, code, {FactorFailure::singular, code});
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::block
