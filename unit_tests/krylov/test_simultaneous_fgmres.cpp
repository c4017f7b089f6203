// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <hyperplane/csr/tall_product.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <hyperplane/krylov/simultaneous_fgmres.hpp>
#include <limits>
#include <vector>

#include "simultaneous_fixture.hpp"
#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/kokkos_events.hpp"
#include "support/message_of.hpp"
#include "support/several_vectors.hpp"

// FGMRES for several right-hand sides, beside that of one.
namespace hyperplane::test {
namespace {

template <class Exec>
class SimultaneousFgmresTest : public ::testing::Test {};
TYPED_TEST_SUITE(SimultaneousFgmresTest, ExecutionSpaces, SpaceNames);

template <int n, int count, class Exec, class Matrix, class Precond>
auto compare_with_fgmres(const Exec& exec, const Matrix& a, const Precond& m, const HostVectors& b,
                         const HostVectors& guess, const KrylovOptions& options) {
  return compare_with_single_solves<SimultaneousFgmres, Fgmres, n, count>(exec, a, m, b, guess, options);
}

template <int n, int count, class Exec>
void compare_fgmres_solves(const Exec& exec, int rows, const KrylovOptions& options) {
  compare_factored_solves<SimultaneousFgmres, Fgmres, n, count>(exec, rows, options);
}

HostVectors zero_vectors(std::size_t count, std::size_t size) {
  return HostVectors(count, std::vector<double>(size, 0.0));
}

TYPED_TEST(SimultaneousFgmresTest, has_the_iterates_of_single_solves) {
  TypeParam const exec;
  KrylovOptions const options{.tolerance = 1e-8};
  compare_fgmres_solves<5, 1>(exec, 40, options);
  compare_fgmres_solves<5, 2>(exec, 40, options);
  compare_fgmres_solves<3, 3>(exec, 60, options);
  compare_fgmres_solves<5, 4>(exec, 1, options);
  compare_fgmres_solves<1, 5>(exec, 70, options);
  compare_fgmres_solves<3, 6>(exec, 33, options);
  compare_fgmres_solves<1, 7>(exec, 45, options);
  compare_fgmres_solves<2, 8>(exec, 60, {.tolerance = 1e-8, .check_interval = 3});
}

// More elements than a block of a reduction has.
TYPED_TEST(SimultaneousFgmresTest, has_the_sums_of_long_vectors) {
  TypeParam const exec;
  constexpr int n = 2, rows = 2101;
  auto const a = to_device<double, n, double>(exec, random_csr(rows, n));
  auto const b = random_vectors(3, rows * n);
  compare_with_fgmres<n, 3>(exec, a, IdentityPreconditioner(), b, zero_vectors(3, b[0].size()), {.tolerance = 1e-6});
}

TYPED_TEST(SimultaneousFgmresTest, restarts_as_single_solves) {
  TypeParam const exec;
  constexpr int n = 2, count = 3, rows = 60;
  auto const a = to_device<double, n, double>(exec, random_csr(rows, n));
  auto const b = random_vectors(count, rows * n);
  for (int const restart : {1, 2, 3, 5}) {
    for (int const interval : {1, 2, 7}) {
      KrylovOptions const options{.tolerance = 1e-9, .restart = restart, .check_interval = interval};
      auto const results = compare_with_fgmres<n, count>(exec, a, IdentityPreconditioner(), b,
                                                         zero_vectors(count, b[0].size()), options);
      for (auto const& result : results) EXPECT_GT(result.iterations, restart);
    }
  }
}

// From guesses of different sizes: the estimates of a cycle promise more than the residual of x then has, at other
// iterations for each, so that cycles begin at different times.
TYPED_TEST(SimultaneousFgmresTest, begins_cycles_of_each_at_times_of_its_own) {
  TypeParam const exec;
  constexpr int n = 3, count = 4, rows = 40;
  auto const a = to_device<double, n, double>(exec, random_csr(rows, n));
  auto const b = random_vectors(count, rows * n);
  auto guess = random_vectors(count, rows * n, 20);
  double const sizes[] = {1.0, 1e8, 0.0, 1e5};
  for (std::size_t j = 0; j < count; ++j) {
    for (auto& value : guess[j]) value *= sizes[j];
  }
  for (int const restart : {40, 9}) {
    for (int const interval : {1, 4}) {
      KrylovOptions const options{.tolerance = 1e-13, .restart = restart, .check_interval = interval};
      auto const results = compare_with_fgmres<n, count>(exec, a, IdentityPreconditioner(), b, guess, options);
      for (auto const& result : results) EXPECT_TRUE(result.converged()) << result.message();
    }
  }
}

/// Diagonal matrix whose entries repeat the given ones: FGMRES needs as many iterations as there are different entries
/// where the right-hand side is not zero.
ReferenceCsr repeated_diagonal(int rows, const std::vector<double>& entries) {
  ReferenceCsr a(1);
  for (int row = 0; row < rows; ++row) {
    DenseMatrix block(1);
    block(0, 0) = entries[static_cast<std::size_t>(row) % entries.size()];
    a.add(row, block);
    a.end_row();
  }
  return a;
}

// Happy breakdowns, after one iteration, two and three; a direction that the matrix makes zero.
TYPED_TEST(SimultaneousFgmresTest, ends_where_no_direction_is_left) {
  TypeParam const exec;
  constexpr int count = 4, rows = 24;
  auto const a = to_device<double, 1, double>(exec, repeated_diagonal(rows, {1.0, 2.0, 4.0, 0.0}));
  auto b = zero_vectors(count, rows);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t j = 0; j < 3; ++j) b[j][row] = row % 4 <= j ? 1.0 : 0.0;
    b[3][row] = row % 4 == 3 ? 1.0 : 0.0;
  }
  for (int const interval : {1, 4}) {
    KrylovOptions const options{.tolerance = 1e-12, .check_interval = interval};
    auto const results =
        compare_with_fgmres<1, count>(exec, a, IdentityPreconditioner(), b, zero_vectors(count, rows), options);
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_TRUE(results[j].converged()) << results[j].message();
      EXPECT_EQ(results[j].iterations, static_cast<int>(j) + 1);
    }
    EXPECT_EQ(results[3].breakdown, KrylovBreakdown::recursion) << results[3].message();
  }
}

/// Makes one of the vectors NaN, in one application.
template <int vector>
struct FaultyForOne {
  int m_application;
  mutable int m_applications = 0;

  template <class Exec, class Vectors>
  void solve(const Exec& exec, const Vectors& r, const Vectors& z) const {
    Kokkos::deep_copy(exec, z.flat(), r.flat());
    if (++m_applications != m_application) return;
    using Memory = typename Exec::memory_space;
    Kokkos::View<double*, Memory> const one("one", z.flat().size() / Vectors::vectors);
    Kokkos::deep_copy(exec, one, std::numeric_limits<double>::quiet_NaN());
    set_vector(exec, z, vector, one);
  }
};

TYPED_TEST(SimultaneousFgmresTest, a_broken_preconditioner_breaks_one) {
  TypeParam const exec;
  constexpr int n = 2, count = 3, rows = 50;
  using Vectors = PointVectors<double, n, count, TypeParam>;
  auto const a = to_device<double, n, double>(exec, random_csr(rows, n));
  auto const b = to_vectors<double, n, count>(exec, random_vectors(count, rows * n));
  for (int const interval : {1, 5}) {
    SimultaneousFgmres<Vectors> const method(exec, rows, {.restart = 6, .check_interval = interval});
    Vectors const healthy(exec, rows), x(exec, rows), again(exec, rows);
    method.solve(exec, a, IdentityPreconditioner(), b, healthy);
    auto const results = method.solve(exec, a, FaultyForOne<1>{9}, b, x);
    EXPECT_EQ(results[1].breakdown, KrylovBreakdown::preconditioner) << results[1].message();
    EXPECT_EQ(results[1].iterations, 8);
    // Nothing of it is left in the next solve.
    method.solve(exec, a, IdentityPreconditioner(), b, again);
    auto const expected = to_host(healthy), found = to_host(x);
    for (std::size_t const j : {0, 2}) {
      EXPECT_TRUE(results[j].converged()) << results[j].message();
      EXPECT_TRUE(bitwise_equal(found[j], expected[j]));
    }
    EXPECT_TRUE(bitwise_equal(to_host(again.flat()), to_host(healthy.flat())));
  }
}

TYPED_TEST(SimultaneousFgmresTest, leaves_alone_what_has_ended) {
  TypeParam const exec;
  KrylovOptions const options{.tolerance = 1e-10, .check_interval = 2};
  compare_endings<SimultaneousFgmres, Fgmres>(exec, options);
  compare_endings<SimultaneousFgmres, Fgmres>(exec, {.tolerance = 1e-10, .restart = 4});
  // Ordinary ones after that.
  compare_fgmres_solves<3, 4>(exec, 30, options);
}

TYPED_TEST(SimultaneousFgmresTest, has_limits_for_each) {
  TypeParam const exec;
  constexpr int n = 2, count = 3, rows = 300;
  auto const a = to_device<double, n, double>(exec, random_csr(rows, n));
  using Vectors = PointVectors<double, n, count, TypeParam>;
  auto const b = to_vectors<double, n, count>(exec, random_vectors(count, rows * n));
  Vectors const x(exec, rows);
  SimultaneousFgmres<Vectors> const method(exec, rows, {.restart = 5});
  auto const results =
      method.solve(exec, a, IdentityPreconditioner(), b, x,
                   {{{.tolerance = 1e-2}, {.tolerance = 1e-9}, {.tolerance = 0.0, .max_iterations = 2}}});
  EXPECT_TRUE(results[0].converged());
  EXPECT_TRUE(results[1].converged());
  EXPECT_LT(results[0].iterations, results[1].iterations);
  EXPECT_EQ(results[2].outcome, KrylovOutcome::max_iterations);
  EXPECT_EQ(results[2].iterations, 2);
  for (int const most : {0, 1, 7}) {
    compare_with_fgmres<n, count>(exec, a, IdentityPreconditioner(), random_vectors(count, rows * n),
                                  zero_vectors(count, std::size_t{rows * n}), {.max_iterations = most, .restart = 3});
  }
}

// With cycles that end by themselves, and a breakdown.
TYPED_TEST(SimultaneousFgmresTest, solve_allocates_nothing) {
  TypeParam const exec;
  constexpr int n = 2, count = 3, rows = 50;
  using Vectors = PointVectors<double, n, count, TypeParam>;
  auto const a = to_device<double, n, double>(exec, random_csr(rows, n));
  auto host = random_vectors(count, rows * n);
  host[1][3] = std::numeric_limits<double>::quiet_NaN();
  auto const b = to_vectors<double, n, count>(exec, host);
  Vectors const x(exec, rows);
  SimultaneousFgmres<Vectors> const method(exec, rows, {.restart = 4});
  exec.fence();
  KokkosEvents const events;
  method.solve(exec, a, IdentityPreconditioner(), b, x);
  EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
}

TYPED_TEST(SimultaneousFgmresTest, says_what_is_wrong) {
  TypeParam const exec;
  auto const a = to_device<double, 2, double>(exec, random_csr(5, 2));
  using Vectors = PointVectors<double, 2, 3, TypeParam>;
  using Method = SimultaneousFgmres<Vectors>;
  Vectors const b(exec, 5);
  using ::testing::HasSubstr;
  EXPECT_THAT(message_of([&] { Method(exec, 5).solve(exec, a, IdentityPreconditioner(), b, Vectors(exec, 6)); }),
              HasSubstr("SimultaneousFgmres: vectors are of 6 points, expected 5"));
  EXPECT_THAT(message_of([&] { Method(exec, 5, {.restart = 0}); }), HasSubstr("restart is 0"));
  EXPECT_THAT(message_of([&] { Method(exec, 5, {.monitor = [](int, double) {}}); }), HasSubstr("monitor"));
}

}  // namespace
}  // namespace hyperplane::test
