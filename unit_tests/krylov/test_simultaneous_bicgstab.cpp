// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <hyperplane/csr/point_vector.hpp>
#include <hyperplane/csr/tall_product.hpp>
#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <hyperplane/krylov/simultaneous_bicgstab.hpp>
#include <hyperplane/krylov/transposed.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/several_vectors.hpp"

// BiCGStab for several right-hand sides, beside that of one.
namespace hyperplane::test {
namespace {

template <class Exec>
class Simultaneous : public ::testing::Test {};
TYPED_TEST_SUITE(Simultaneous, ExecutionSpaces, SpaceNames);

void expect_same_result(const KrylovResult& found, const KrylovResult& single, bool to_bits) {
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

/// Each of several right-hand sides, from a guess, has the result of BiCgStab for it alone.
template <int n, int count, class Exec, class Matrix, class Precond>
auto compare_with_bicgstab(const Exec& exec, const Matrix& a, const Precond& m, const HostVectors& b,
                           const HostVectors& guess, const KrylovOptions& options) {
  using Vectors = PointVectors<double, n, count, Exec>;
  using Single = PointVector<double, n, Exec>;
  auto const rhs = to_vectors<double, n, count>(exec, b), x = to_vectors<double, n, count>(exec, guess);
  auto const results = SimultaneousBiCgStab<Vectors>(exec, a.rows(), options).solve(exec, a, m, rhs, x);
  BiCgStab<Single> const alone(exec, a.rows(), options);
  for (std::size_t j = 0; j < count; ++j) {
    SCOPED_TRACE("vector " + std::to_string(j) + " of " + std::to_string(count));
    Single const y(to_view<double>(exec, guess[j]));
    auto const result = alone.solve(exec, a, m, Single(to_view<double>(exec, b[j])), y);
    expect_same_result(results[j], result, same_bits<Exec>);
    auto const expected = to_host(y.flat());
    if (!result.converged()) continue;
    EXPECT_TRUE(same_as_single<Exec>(to_host(x)[j], expected, 1e-6));
  }
  return results;
}

template <int n, int count, class Exec>
void compare_solves(const Exec& exec, int rows, const KrylovOptions& options) {
  auto const a = to_device<double, n, double>(exec, random_csr(rows, n));
  BlockIlu0Csr<double, n, Exec> ilu(exec, a, {.transposed = true});
  ilu.factor(exec, a);
  auto const b = random_vectors(count, a.rows() * n), zeros = HostVectors(count, std::vector<double>(b[0].size(), 0.0));
  for (auto const& result : compare_with_bicgstab<n, count>(exec, a, ilu, b, zeros, options)) {
    EXPECT_TRUE(result.converged()) << result.message();
  }
  auto const guess = random_vectors(count, a.rows() * n, 50);
  compare_with_bicgstab<n, count>(exec, transposed(exec, a), transposed(ilu), b, guess, options);
}

TYPED_TEST(Simultaneous, has_the_iterates_of_single_solves) {
  TypeParam const exec;
  KrylovOptions const options{.tolerance = 1e-8};
  compare_solves<5, 1>(exec, 40, options);
  compare_solves<5, 2>(exec, 40, options);
  compare_solves<3, 3>(exec, 60, options);
  compare_solves<5, 4>(exec, 1, options);
  compare_solves<1, 5>(exec, 70, options);
  compare_solves<2, 8>(exec, 60, {.tolerance = 1e-8, .check_interval = 3});
}

// More elements than a block of a reduction has.
TYPED_TEST(Simultaneous, has_the_sums_of_long_vectors) {
  TypeParam const exec;
  constexpr int n = 2, rows = 2101;
  auto const a = to_device<double, n, double>(exec, random_csr(rows, n));
  auto const b = random_vectors(3, rows * n);
  HostVectors const zeros(3, std::vector<double>(b[0].size(), 0.0));
  compare_with_bicgstab<n, 3>(exec, a, IdentityPreconditioner(), b, zeros, {.tolerance = 1e-6});
}

TYPED_TEST(Simultaneous, leaves_alone_what_has_ended) {
  TypeParam const exec;
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
  KrylovOptions const options{.tolerance = 1e-10, .check_interval = 2};
  auto const results = compare_with_bicgstab<n, count>(exec, a, IdentityPreconditioner(), b, guess, options);
  EXPECT_EQ(results[1].iterations, 0);
  EXPECT_EQ(results[2].iterations, 0);
  EXPECT_EQ(results[3].breakdown, KrylovBreakdown::right_hand_side);
  EXPECT_EQ(results[4].breakdown, KrylovBreakdown::initial_guess);
  for (std::size_t const j : {0, 1, 2, 5, 6, 7}) EXPECT_TRUE(results[j].converged()) << j << results[j].message();
  // Ordinary ones after that.
  compare_solves<3, 4>(exec, rows, options);
}

TYPED_TEST(Simultaneous, has_limits_for_each) {
  TypeParam const exec;
  constexpr int n = 2, count = 3, rows = 300;
  auto const a = to_device<double, n, double>(exec, random_csr(rows, n));
  using Vectors = PointVectors<double, n, count, TypeParam>;
  auto const b = to_vectors<double, n, count>(exec, random_vectors(count, rows * n));
  Vectors const x(exec, rows);
  SimultaneousBiCgStab<Vectors> const method(exec, rows);
  auto const results =
      method.solve(exec, a, IdentityPreconditioner(), b, x,
                   {{{.tolerance = 1e-2}, {.tolerance = 1e-9}, {.tolerance = 0.0, .max_iterations = 2}}});
  EXPECT_TRUE(results[0].converged());
  EXPECT_TRUE(results[1].converged());
  EXPECT_LT(results[0].iterations, results[1].iterations);
  EXPECT_EQ(results[2].outcome, KrylovOutcome::max_iterations);
  EXPECT_EQ(results[2].iterations, 2);
  compare_with_bicgstab<n, count>(exec, a, IdentityPreconditioner(), random_vectors(count, rows * n),
                                  HostVectors(count, std::vector<double>(rows * n, 0.0)), {.max_iterations = 3});
}

/// A x = x turned by a right angle in each point: (shadow, A r) = 0, so that BiCGStab breaks down at once.
ReferenceCsr rotation(int rows) {
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

TYPED_TEST(Simultaneous, breaks_down_as_single_solves) {
  TypeParam const exec;
  auto const a = to_device<double, 2, double>(exec, rotation(8));
  HostVectors const b(3, std::vector<double>(16, 1.0)), zeros(3, std::vector<double>(16, 0.0));
  auto const results = compare_with_bicgstab<2, 3>(exec, a, IdentityPreconditioner(), b, zeros, {});
  EXPECT_EQ(results[0].breakdown, KrylovBreakdown::recursion);
}

TYPED_TEST(Simultaneous, says_what_is_wrong) {
  TypeParam const exec;
  auto const a = to_device<double, 2, double>(exec, random_csr(5, 2));
  using Vectors = PointVectors<double, 2, 3, TypeParam>;
  using Method = SimultaneousBiCgStab<Vectors>;
  Vectors const b(exec, 5), wrong(exec, 6);
  Method const method(exec, 5);
  IdentityPreconditioner const m;
  using ::testing::HasSubstr;
  EXPECT_THAT(message_of([&] { method.solve(exec, a, m, b, wrong); }), HasSubstr("6 points, expected 5"));
  EXPECT_THAT(message_of([&] { method.solve(exec, a, m, b, b); }), HasSubstr("x must not be b"));
  EXPECT_THAT(message_of([&] { method.solve(exec, a, m, b, Vectors(exec, 5), KrylovLimits{.tolerance = -1.0}); }),
              HasSubstr("tolerance is -1"));
  EXPECT_THAT(message_of([&] { Method(exec, 5, {.check_interval = 0}); }), HasSubstr("check_interval is 0"));
  EXPECT_THAT(message_of([&] { Method(exec, 5, {.monitor = [](int, double) {}}); }), HasSubstr("monitor"));
}

}  // namespace
}  // namespace hyperplane::test
