// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <hyperplane/krylov/detail/complex_schur.hpp>
#include <hyperplane/krylov/detail/dense_matrix.hpp>
#include <hyperplane/krylov/detail/harmonic_ritz.hpp>
#include <limits>
#include <vector>

// The small dense problems of FGCRO-DR on the host.
namespace hyperplane::detail {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

RealMatrix random_matrix(int rows, int columns, unsigned seed) {
  RealMatrix result(rows, columns);
  unsigned state = seed;
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < rows; ++i) {
      state = 1664525u * state + 1013904223u;
      result(i, j) = static_cast<double>(state >> 8) / (1 << 24) * 2.0 - 1.0;
    }
  }
  return result;
}

RealMatrix from_rows(const std::vector<std::vector<double>>& rows) {
  RealMatrix result(static_cast<int>(rows.size()), static_cast<int>(rows.front().size()));
  for (int i = 0; i < result.rows(); ++i) {
    for (int j = 0; j < result.columns(); ++j) result(i, j) = rows[as_size(i)][as_size(j)];
  }
  return result;
}

template <class T>
double largest(const DenseMatrix<T>& a) {
  double result = 0.0;
  for (int j = 0; j < a.columns(); ++j) {
    for (int i = 0; i < a.rows(); ++i) result = std::max(result, std::abs(a(i, j)));
  }
  return result;
}

RealMatrix difference(RealMatrix a, const RealMatrix& b) {
  for (int j = 0; j < a.columns(); ++j) {
    for (int i = 0; i < a.rows(); ++i) a(i, j) -= b(i, j);
  }
  return a;
}

void expect_orthonormal(const RealMatrix& q) {
  auto const unit = RealMatrix::identity(q.columns());
  EXPECT_LE(largest(difference(transposed_product(q, q), unit)), 100.0 * q.rows() * epsilon);
}

/// Q T Q^H = A, Q unitary, T upper triangular.
void expect_schur_form(const ComplexSchur& schur, const RealMatrix& a) {
  int const n = a.rows();
  double const bound = 100.0 * n * epsilon;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      Complex product = 0.0, unit = 0.0;
      for (int k = 0; k < n; ++k) {
        unit += std::conj(schur.q()(k, i)) * schur.q()(k, j);
        for (int l = k; l < n; ++l) product += schur.q()(i, k) * schur.t()(k, l) * std::conj(schur.q()(j, l));
      }
      EXPECT_LE(std::abs(unit - (i == j ? 1.0 : 0.0)), bound);
      EXPECT_LE(std::abs(product - a(i, j)), bound * std::max(largest(a), 1e-300));
      if (i > j) {
        EXPECT_EQ(schur.t()(i, j), 0.0);
      }
    }
  }
}

std::vector<RealMatrix> awkward_matrices() {
  std::vector<RealMatrix> result;
  for (int const n : {1, 2, 3, 7, 30}) result.push_back(random_matrix(n, n, 3u + static_cast<unsigned>(n)));
  result.push_back(RealMatrix(5, 5));
  result.push_back(RealMatrix::identity(6));
  // The QR algorithm without exceptional shifts leaves these as they are: rotations of the axes.
  result.push_back(from_rows({{0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}));
  result.push_back(from_rows({{0, 1}, {-1, 0}}));
  // A Jordan block, and entries of many sizes.
  result.push_back(from_rows({{2, 1, 0, 0}, {0, 2, 1, 0}, {0, 0, 2, 1}, {0, 0, 0, 2}}));
  result.push_back(from_rows({{1e150, 1, 1e-150}, {1, 1e-10, 1e3}, {1e-150, -1e3, 1e-300}}));
  return result;
}

TEST(DenseMatrix, qr_factors_have_the_matrix_as_their_product) {
  for (auto const& a : {random_matrix(9, 9, 1), random_matrix(9, 4, 2), random_matrix(1, 1, 3), RealMatrix(4, 3),
                        from_rows({{0, 1}, {0, 2}, {3, 0}}), from_rows({{1e200, 1}, {1e200, 1e-200}})}) {
    auto const [q, r] = qr_factors(a);
    expect_orthonormal(q);
    EXPECT_LE(largest(difference(product(q, r), a)), 100.0 * a.rows() * epsilon * largest(a));
    for (int j = 0; j < r.columns(); ++j) {
      for (int i = j + 1; i < r.rows(); ++i) EXPECT_EQ(r(i, j), 0.0);
    }
  }
}

TEST(DenseMatrix, triangular_systems_from_both_sides) {
  auto r = qr_factors(random_matrix(8, 8, 5)).m_r;
  auto const b = random_matrix(8, 8, 6);
  EXPECT_LE(largest(difference(product(r, solve_upper(r, b)), b)), 1e-12);
  EXPECT_LE(largest(difference(product(solve_upper_from_right(b, r), r), b)), 1e-12);
  EXPECT_TRUE(well_conditioned(r));
  r(3, 3) = 1e-15;
  EXPECT_FALSE(well_conditioned(r));
  EXPECT_FALSE(well_conditioned(RealMatrix(2, 2)));
}

TEST(ComplexSchur, is_the_matrix_again) {
  for (auto const& a : awkward_matrices()) {
    auto const schur = ComplexSchur::of(a);
    ASSERT_TRUE(schur);
    expect_schur_form(*schur, a);
  }
}

TEST(ComplexSchur, of_a_rotation_has_a_pair) {
  auto const schur = ComplexSchur::of(from_rows({{3, 4}, {-4, 3}}));
  ASSERT_TRUE(schur);
  EXPECT_NEAR(schur->eigenvalue(0).real(), 3.0, 1e-14);
  EXPECT_NEAR(std::abs(schur->eigenvalue(0).imag()), 4.0, 1e-14);
  EXPECT_NEAR(std::abs(schur->eigenvalue(1) - std::conj(schur->eigenvalue(0))), 0.0, 1e-14);
}

TEST(ComplexSchur, eigenvalues_are_exchanged) {
  for (auto const& a : awkward_matrices()) {
    auto schur = ComplexSchur::of(a);
    for (int i = 0; i + 1 < a.rows(); ++i) {
      auto const first = schur->eigenvalue(i), second = schur->eigenvalue(i + 1);
      schur->swap(i);
      EXPECT_EQ(schur->eigenvalue(i), second);
      EXPECT_EQ(schur->eigenvalue(i + 1), first);
    }
    expect_schur_form(*schur, a);
  }
}

TEST(ComplexSchur, refuses_what_is_not_finite) {
  auto a = random_matrix(4, 4, 1);
  a(2, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(ComplexSchur::of(a));
  a(2, 1) = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(ComplexSchur::of(a));
}

TEST(HarmonicRitz, an_invariant_subspace_stays_in_itself) {
  for (unsigned seed = 1; seed < 20; ++seed) {
    auto const a = random_matrix(12, 12, seed);
    for (int const count : {1, 3, 4, 11, 12, 20}) {
      auto const basis = invariant_subspace(a, count);
      ASSERT_TRUE(basis);
      // A pair that would be cut is left out, for another one if there is one.
      EXPECT_LE(basis->columns(), std::min(count, 12));
      EXPECT_GE(basis->columns(), std::min(count, 12) - 1);
      expect_orthonormal(*basis);
      auto const image = product(a, *basis);
      auto const inside = product(*basis, transposed_product(*basis, image));
      EXPECT_LE(largest(difference(image, inside)), 1e-11) << seed << ", " << count;
    }
  }
}

TEST(HarmonicRitz, pairs_are_kept_together) {
  // Values 6, 3 +- 4 i (modulus 5), 2 and 1.
  auto const a = from_rows({{2, 0, 0, 0, 0}, {0, 3, 4, 0, 0}, {0, -4, 3, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 6}});
  auto const columns = [&](int count) { return invariant_subspace(a, count)->columns(); };
  EXPECT_EQ(columns(1), 1);
  EXPECT_EQ(columns(3), 3);
  // The pair does not fit: 6 and 2.
  auto const two = *invariant_subspace(a, 2);
  EXPECT_EQ(two.columns(), 2);
  for (int const row : {1, 2, 3}) EXPECT_NEAR(std::abs(two(row, 0)) + std::abs(two(row, 1)), 0.0, 1e-14);
}

/// A cycle whose W is V without its last column, as the first one is: A Z = V G.
RecycledCycle first_cycle(int size) {
  RecycledCycle cycle{random_matrix(size + 1, size, 17), RealMatrix(size + 1, size), RealMatrix(size + 1, 1)};
  for (int j = 0; j < size; ++j) {
    for (int i = j + 2; i <= size; ++i) cycle.m_g(i, j) = 0.0;
    cycle.m_g(j, j) += 0.3 * j;
    cycle.m_e(j, j) = 1.0;
  }
  cycle.m_rhs(0, 0) = 2.0;
  return cycle;
}

/// The cycle after one of which `last` was kept: I and B above a Hessenberg matrix.
RecycledCycle next_cycle(const RecycledSubspace& last, int size) {
  RecycledCycle cycle{random_matrix(size + 1, size, 23), RealMatrix(size + 1, size), RealMatrix(size + 1, 1)};
  int const kept = last.size();
  for (int j = 0; j < size; ++j) {
    for (int i = j < kept ? 0 : j + 2; i <= size; ++i) cycle.m_g(i, j) = 0.0;
    cycle.m_g(j, j) = j < kept ? 1.0 : cycle.m_g(j, j) + 0.3 * j;
    if (j >= kept) {
      cycle.m_e(j, j) = 1.0;
      continue;
    }
    for (int i = 0; i < kept; ++i) cycle.m_e(i, j) = last.m_s(i, j);
    cycle.m_e(kept, j) = last.m_t(0, j);
  }
  cycle.m_rhs(kept, 0) = 0.7;
  return cycle;
}

void expect_harmonic(const RecycledCycle& cycle, const RecycledSubspace& next) {
  int const size = cycle.m_g.columns();
  expect_orthonormal(next.m_c);
  EXPECT_LE(largest(difference(product(cycle.m_g, next.m_u), next.m_c)), 1e-11);
  // W u = C s + r t without a remainder, r being the direction of what is left of the residual.
  auto const q = qr_factors(cycle.m_g).m_q;
  double along = 0.0;
  for (int i = 0; i <= size; ++i) along += q(i, size) * cycle.m_rhs(i, 0);
  RealMatrix rest(size + 1, 1);
  for (int i = 0; i <= size; ++i) rest(i, 0) = (along > 0.0 ? 1.0 : -1.0) * q(i, size);
  auto const w = product(cycle.m_e, next.m_u);
  auto const known = product(next.m_c, next.m_s), rest_of_it = product(rest, next.m_t);
  EXPECT_LE(largest(difference(difference(w, known), rest_of_it)), 1e-10 * largest(w));
  // U spans an invariant subspace of the problem.
  auto const inner = qr_factors(transposed_product(cycle.m_g, cycle.m_g));
  auto const image = solve_upper(inner.m_r, transposed_product(inner.m_q, transposed_product(cycle.m_g, w)));
  auto const basis = corner(qr_factors(next.m_u).m_q, size, next.size());
  auto const inside = product(basis, transposed_product(basis, image));
  EXPECT_LE(largest(difference(image, inside)), 1e-8 * largest(image));
}

TEST(HarmonicRitz, the_next_subspace_is_of_the_cycle) {
  auto const first = first_cycle(12);
  auto const kept = harmonic_ritz(first, 4);
  ASSERT_TRUE(kept);
  EXPECT_GE(kept->size(), 3);
  expect_harmonic(first, *kept);
  auto const second = next_cycle(*kept, 12);
  auto const next = harmonic_ritz(second, 4);
  ASSERT_TRUE(next);
  expect_harmonic(second, *next);
}

TEST(HarmonicRitz, a_useless_problem_has_no_subspace) {
  auto singular = first_cycle(5);
  for (int i = 0; i < 6; ++i) singular.m_g(i, 3) = singular.m_g(i, 2);
  EXPECT_FALSE(harmonic_ritz(singular, 2));
  auto infinite = first_cycle(5);
  infinite.m_g(1, 1) = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(harmonic_ritz(infinite, 2));
  EXPECT_FALSE(harmonic_ritz(first_cycle(5), 0));
  EXPECT_FALSE(harmonic_ritz({RealMatrix(1, 0), RealMatrix(1, 0), RealMatrix(1, 1)}, 3));
  // Fewer directions than are asked for: all of them.
  EXPECT_EQ(harmonic_ritz(first_cycle(3), 10)->size(), 3);
}

}  // namespace
}  // namespace hyperplane::detail
