// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/krylov/detail/complex_schur.hpp>
#include <hyperplane/krylov/detail/dense_matrix.hpp>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

/// What is kept of a cycle: the small dense problem of FGCRO-DR, on the host.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Places of the eigenvalues to keep, those of largest modulus first, at most `count` of them; of a pair that is
/// conjugate both or none.
inline std::vector<int> largest_eigenvalues(const ComplexSchur& schur, int count) {
  int const size = schur.size();
  std::vector<int> order(as_size(size));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return std::abs(schur.eigenvalue(a)) > std::abs(schur.eigenvalue(b)); });
  double const largest = size == 0 ? 0.0 : std::abs(schur.eigenvalue(order.front()));
  double const rounding = 10.0 * size * std::numeric_limits<double>::epsilon() * largest;
  std::vector<bool> seen(as_size(size), false);
  std::vector<int> kept;
  for (int const place : order) {
    if (seen[as_size(place)]) continue;
    seen[as_size(place)] = true;
    auto const value = schur.eigenvalue(place);
    int partner = -1;
    if (std::abs(value.imag()) > rounding) {
      for (int const other : order) {
        if (seen[as_size(other)]) continue;
        auto const distance = [&](int i) { return std::abs(schur.eigenvalue(i) - std::conj(value)); };
        if (partner < 0 || distance(other) < distance(partner)) partner = other;
      }
    }
    int const needed = partner < 0 ? 1 : 2;
    if (partner >= 0) seen[as_size(partner)] = true;
    if (static_cast<int>(kept.size()) + needed > count) continue;
    kept.push_back(place);
    if (partner >= 0) kept.push_back(partner);
  }
  return kept;
}

/// A real orthonormal basis, of as many columns, of the space that the first `count` columns of Q span and their
/// conjugates: Gram-Schmidt, twice, on real and imaginary parts, the longest that is left first.
inline RealMatrix real_basis(const ComplexMatrix& q, int count) {
  int const rows = q.rows();
  RealMatrix parts(rows, 2 * count);
  for (int j = 0; j < count; ++j) {
    for (int i = 0; i < rows; ++i) {
      parts(i, 2 * j) = q(i, j).real();
      parts(i, 2 * j + 1) = q(i, j).imag();
    }
  }
  auto const dot = [rows](const RealMatrix& a, int j, const RealMatrix& b, int l) {
    double sum = 0.0;
    for (int i = 0; i < rows; ++i) sum += a(i, j) * b(i, l);
    return sum;
  };
  RealMatrix basis(rows, count);
  for (int j = 0; j < count; ++j) {
    int longest = 0;
    for (int l = 1; l < 2 * count; ++l) {
      if (dot(parts, l, parts, l) > dot(parts, longest, parts, longest)) longest = l;
    }
    for (int i = 0; i < rows; ++i) basis(i, j) = parts(i, longest);
    for (int l = 0; l < j; ++l) {
      double const along = dot(basis, l, basis, j);
      for (int i = 0; i < rows; ++i) basis(i, j) -= along * basis(i, l);
    }
    double const norm = std::sqrt(dot(basis, j, basis, j));
    for (int i = 0; i < rows; ++i) basis(i, j) /= norm;
    for (int l = 0; l < 2 * count; ++l) {
      double const along = dot(basis, j, parts, l);
      for (int i = 0; i < rows; ++i) parts(i, l) -= along * basis(i, j);
    }
  }
  return basis;
}

/// A real orthonormal basis of an invariant subspace of N, of at most `count` dimensions, for its eigenvalues of
/// largest modulus. Nothing where there is none.
inline std::optional<RealMatrix> invariant_subspace(const RealMatrix& n, int count) {
  if (count >= n.rows()) return RealMatrix::identity(n.rows());
  auto schur = ComplexSchur::of(n);
  if (!schur) return std::nullopt;
  auto places = largest_eigenvalues(*schur, count);
  std::sort(places.begin(), places.end());
  for (int to = 0; to < static_cast<int>(places.size()); ++to) {
    for (int i = places[as_size(to)]; i > to; --i) schur->swap(i - 1);
  }
  return real_basis(schur->q(), static_cast<int>(places.size()));
}

/// A cycle of FGCRO-DR has found A Z = V G. V has one column more than Z and is orthonormal; E are the coefficients in
/// V of what the preconditioner has made Z of, W = V E: those of the directions are columns of the unit matrix.
struct RecycledCycle {
  RealMatrix m_g;
  RealMatrix m_e;
  RealMatrix m_rhs;  // one column: the residual that the cycle began with, in V
};

/// The next subspace: U = Z m_u and C = V m_c, so that A U = C, with C orthonormal. W m_u = C m_s + r m_t + what is
/// neglected, r being the direction of the residual that the cycle ends with.
struct RecycledSubspace {
  RealMatrix m_u;
  RealMatrix m_c;
  RealMatrix m_s;
  RealMatrix m_t;  // one row

  int size() const { return m_u.columns(); }
};

/// Harmonic Ritz vectors W y, G^T G y = theta G^T E y, for the theta of smallest modulus: with G = Q R they are
/// R^-1 Q^T E y = y / theta. Nothing where the problem has no use: G is singular, or something is not finite.
inline std::optional<RecycledSubspace> harmonic_ritz(RecycledCycle cycle, int count) {
  auto& [g, e, rhs] = cycle;
  int const size = g.columns();
  if (size == 0 || count == 0 || !all_finite(g) || !all_finite(e)) return std::nullopt;
  // Columns of about the same size. It changes no theta.
  std::vector<double> scale(as_size(size));
  for (int j = 0; j < size; ++j) {
    double norm = 0.0;
    for (int i = 0; i < e.rows(); ++i) norm = std::hypot(norm, e(i, j));
    double const factor = norm > 0.0 ? 1.0 / norm : 1.0;
    scale[as_size(j)] = factor;
    for (int i = 0; i < e.rows(); ++i) e(i, j) *= factor;
    for (int i = 0; i < g.rows(); ++i) g(i, j) *= factor;
  }
  auto const [q, r] = qr_factors(g);
  auto const upper = corner(r, size, size);
  if (!well_conditioned(upper)) return std::nullopt;
  auto const qe = transposed_product(q, e);
  auto const y = invariant_subspace(solve_upper(upper, corner(qe, size, size)), count);
  if (!y || y->columns() == 0) return std::nullopt;
  auto const [inner_q, inner_r] = qr_factors(product(upper, *y));
  if (!well_conditioned(inner_r)) return std::nullopt;

  int const kept = y->columns();
  auto const kept_r = corner(inner_r, kept, kept);
  auto u = solve_upper_from_right(*y, kept_r);
  auto const kept_q = corner(inner_q, size, kept);
  auto const w = product(qe, u);  // in the columns of Q
  RecycledSubspace result{u, product(corner(q, q.rows(), size), kept_q),
                          transposed_product(kept_q, corner(w, size, kept)), RealMatrix(1, kept)};
  for (int j = 0; j < kept; ++j) {
    for (int i = 0; i < size; ++i) result.m_u(i, j) *= scale[as_size(i)];
  }
  // The residual that is left is along the last column of Q.
  double along = 0.0;
  for (int i = 0; i < q.rows(); ++i) along += q(i, size) * rhs(i, 0);
  for (int j = 0; j < kept; ++j) result.m_t(0, j) = along < 0.0 ? -w(size, j) : w(size, j);
  bool const finite =
      all_finite(result.m_u) && all_finite(result.m_c) && all_finite(result.m_s) && all_finite(result.m_t);
  return finite ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
