// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <hyperplane/csr/point_vector.hpp>
#include <hyperplane/csr/point_vectors.hpp>
#include <hyperplane/csr/tall_product.hpp>
#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <hyperplane/krylov/options.hpp>
#include <hyperplane/krylov/result.hpp>
#include <hyperplane/krylov/transposed.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/csr_reference.hpp"
#include "support/matchers.hpp"
#include "support/several_vectors.hpp"

/// Methods for several right-hand sides, beside those for one.
namespace hyperplane::test {

inline void expect_same_result(const KrylovResult& found, const KrylovResult& single, bool to_bits) {
  EXPECT_EQ(found.outcome, single.outcome) << found.message();
  EXPECT_EQ(found.breakdown, single.breakdown) << found.message();
  EXPECT_EQ(found.history.size(), static_cast<std::size_t>(found.iterations) + 1);
  if (!to_bits) {
    EXPECT_LE(std::abs(found.iterations - single.iterations), 1 + single.iterations / 4);
    return;
  }
  EXPECT_EQ(found.iterations, single.iterations);
  EXPECT_TRUE(bitwise_equal({found.rhs_norm}, {single.rhs_norm}));
  EXPECT_TRUE(bitwise_equal({found.residual_norm}, {single.residual_norm}));
  EXPECT_TRUE(bitwise_equal(found.history, single.history));
}

/// Each of several right-hand sides, from a guess, has the result of Single for it alone.
template <template <class> class Several, template <class> class Single, int n, int count, class Exec, class Matrix,
          class Precond>
auto compare_with_single_solves(const Exec& exec, const Matrix& a, const Precond& m, const HostVectors& b,
                                const HostVectors& guess, const KrylovOptions& options) {
  using Vectors = PointVectors<double, n, count, Exec>;
  using Vector = PointVector<double, n, Exec>;
  auto const rhs = to_vectors<double, n, count>(exec, b), x = to_vectors<double, n, count>(exec, guess);
  auto const results = Several<Vectors>(exec, a.rows(), options).solve(exec, a, m, rhs, x);
  Single<Vector> const alone(exec, a.rows(), options);
  for (std::size_t j = 0; j < count; ++j) {
    SCOPED_TRACE("vector " + std::to_string(j) + " of " + std::to_string(count));
    Vector const y(to_view<double>(exec, guess[j]));
    auto const result = alone.solve(exec, a, m, Vector(to_view<double>(exec, b[j])), y);
    expect_same_result(results[j], result, same_bits<Exec>);
    auto const expected = to_host(y.flat());
    if (!result.converged()) continue;
    EXPECT_TRUE(same_as_single<Exec>(to_host(x)[j], expected, 1e-6));
  }
  return results;
}

/// By BILU(0), and the transposed system from another guess.
template <template <class> class Several, template <class> class Single, int n, int count, class Exec>
void compare_factored_solves(const Exec& exec, int rows, const KrylovOptions& options) {
  auto const a = to_device<double, n, double>(exec, random_csr(rows, n));
  BlockIlu0Csr<double, n, Exec> ilu(exec, a, {.transposed = true});
  ilu.factor(exec, a);
  auto const b = random_vectors(count, a.rows() * n), zeros = HostVectors(count, std::vector<double>(b[0].size(), 0.0));
  for (auto const& result : compare_with_single_solves<Several, Single, n, count>(exec, a, ilu, b, zeros, options)) {
    EXPECT_TRUE(result.converged()) << result.message();
  }
  auto const guess = random_vectors(count, a.rows() * n, 50);
  compare_with_single_solves<Several, Single, n, count>(exec, transposed(exec, a), transposed(ilu), b, guess, options);
}

/// Vectors that end in all ways beside one another.
template <template <class> class Several, template <class> class Single, class Exec>
void compare_endings(const Exec& exec, const KrylovOptions& options) {
  constexpr int n = 3, count = 8, rows = 30;
  auto const reference = random_csr(rows, n);
  auto const a = to_device<double, n, double>(exec, reference);
  auto b = random_vectors(count, rows * n);
  HostVectors guess(count, std::vector<double>(b[0].size(), 0.0));
  b[1].assign(b[1].size(), 0.0);  // x is 0
  guess[1].assign(b[1].size(), 1.0);
  guess[2] = random_vector(rows * n, 9);  // converges at once
  b[2] = reference.dense() * guess[2];
  b[3][4] = std::numeric_limits<double>::quiet_NaN();
  guess[4][7] = std::numeric_limits<double>::infinity();
  for (auto& value : b[5]) value *= 1e-200;
  for (auto& value : b[6]) value *= 1e150;
  auto const results =
      compare_with_single_solves<Several, Single, n, count>(exec, a, IdentityPreconditioner(), b, guess, options);
  EXPECT_EQ(results[1].iterations, 0);
  EXPECT_EQ(results[2].iterations, 0);
  EXPECT_EQ(results[3].breakdown, KrylovBreakdown::right_hand_side);
  EXPECT_EQ(results[4].breakdown, KrylovBreakdown::initial_guess);
  for (std::size_t const j : {0, 1, 2, 5, 6, 7}) EXPECT_TRUE(results[j].converged()) << j << results[j].message();
}

/// A x = x turned by a right angle in each point.
inline ReferenceCsr rotation(int rows) {
  ReferenceCsr a(2);
  DenseMatrix block(2);
  block(0, 1) = -1.0;
  block(1, 0) = 1.0;
  for (int row = 0; row < rows; ++row) {
    a.add(row, block);
    a.end_row();
  }
  return a;
}

}  // namespace hyperplane::test
