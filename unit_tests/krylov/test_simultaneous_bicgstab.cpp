// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hyperplane/csr/tall_product.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <hyperplane/krylov/simultaneous_bicgstab.hpp>
#include <vector>

#include "simultaneous_fixture.hpp"
#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/message_of.hpp"
#include "support/several_vectors.hpp"

// BiCGStab for several right-hand sides, beside that of one.
namespace hyperplane::test {
namespace {

template <class Exec>
class Simultaneous : public ::testing::Test {};
TYPED_TEST_SUITE(Simultaneous, ExecutionSpaces, SpaceNames);

template <int n, int count, class Exec, class Matrix, class Precond>
auto compare_with_bicgstab(const Exec& exec, const Matrix& a, const Precond& m, const HostVectors& b,
                           const HostVectors& guess, const KrylovOptions& options) {
  return compare_with_single_solves<SimultaneousBiCgStab, BiCgStab, n, count>(exec, a, m, b, guess, options);
}

template <int n, int count, class Exec>
void compare_bicgstab_solves(const Exec& exec, int rows, const KrylovOptions& options) {
  compare_factored_solves<SimultaneousBiCgStab, BiCgStab, n, count>(exec, rows, options);
}

TYPED_TEST(Simultaneous, has_the_iterates_of_single_solves) {
  TypeParam const exec;
  KrylovOptions const options{.tolerance = 1e-8};
  compare_bicgstab_solves<5, 1>(exec, 40, options);
  compare_bicgstab_solves<5, 2>(exec, 40, options);
  compare_bicgstab_solves<3, 3>(exec, 60, options);
  compare_bicgstab_solves<5, 4>(exec, 1, options);
  compare_bicgstab_solves<1, 5>(exec, 70, options);
  compare_bicgstab_solves<2, 8>(exec, 60, {.tolerance = 1e-8, .check_interval = 3});
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
  KrylovOptions const options{.tolerance = 1e-10, .check_interval = 2};
  compare_endings<SimultaneousBiCgStab, BiCgStab>(exec, options);
  // Ordinary ones after that.
  compare_bicgstab_solves<3, 4>(exec, 30, options);
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

// (shadow, A r) = 0, so that BiCGStab breaks down at once.
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
  EXPECT_THAT(message_of([&] { Method(exec, 5, {.check_interval = -1}); }), HasSubstr("check_interval is -1"));
  EXPECT_THAT(message_of([&] { Method(exec, 5, {.monitor = [](int, double) {}}); }), HasSubstr("monitor"));
}

}  // namespace
}  // namespace hyperplane::test
