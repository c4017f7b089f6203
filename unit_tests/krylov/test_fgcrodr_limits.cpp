// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hyperplane/krylov/fgcrodr.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <limits>
#include <optional>

#include "fgcrodr_fixture.hpp"
#include "support/execution_spaces.hpp"
#include "support/message_of.hpp"

// What FGCRO-DR makes of a subspace that does not suit, of breakdowns, and of systems that leave nothing to do.
namespace hyperplane::test {
namespace {

inline ReferenceStencil scaled(ReferenceStencil a, double factor) {
  for (auto& blocks : a.blocks) {
    for (auto& block : blocks) block(0, 0) *= factor;
  }
  return a;
}

/// Returns a value whatever it is given.
struct ConstantResult {
  double m_value;
  template <class Exec, class Vector>
  void solve(const Exec& exec, const Vector&, const Vector& z) const {
    Kokkos::deep_copy(exec, z.flat(), m_value);
  }
};

TYPED_TEST_SUITE(FgcrodrTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(FgcrodrTest, a_subspace_of_another_matrix_makes_nothing_wrong) {
  using Vector = typename TestFixture::Vector;
  Fgcrodr<Vector> const method(this->exec, this->grid, this->options);
  auto const system = this->system(0, 0);
  auto const fresh = this->iterations(method, system);
  for (double const factor : {-1.0, 1e-8, 1e100, 1e-160, 1e200}) {
    auto const reference = scaled(random_stencil(this->grid, 1, 99), factor);
    auto const solution = random_vector(reference.rows(), 5);
    typename TestFixture::System other{
        to_device<double, 1, double>(this->exec, reference), typename TestFixture::Precond(this->exec, this->grid),
        to_device<double, 1>(this->exec, this->grid, reference.apply(solution)), solution};
    other.m.factor(this->exec, other.a);
    this->iterations(method, other);
    EXPECT_LE(this->iterations(method, system), fresh + 20) << factor;
    this->expect_consistent(method, system.a);
  }
}

TYPED_TEST(FgcrodrTest, after_a_breakdown_it_solves_again) {
  using Vector = typename TestFixture::Vector;
  Fgcrodr<Vector> const method(this->exec, this->grid, this->options);
  auto const system = this->system(0, 0);
  this->iterations(method, system);
  for (double const fault : {std::numeric_limits<double>::quiet_NaN(), 0.0}) {
    auto const broken = this->system(1, 0);
    Kokkos::deep_copy(this->exec, broken.a.flat(), fault);
    auto const result = this->solve(method, broken, this->options.limits());
    EXPECT_EQ(result.outcome, KrylovOutcome::breakdown) << fault;
    EXPECT_TRUE(bitwise_equal(to_host(this->exec, this->x), std::vector<double>(system.solution.size(), 0.0)));
    this->iterations(method, system);
    EXPECT_GE(method.recycled(), 7);
    // What the preconditioner returns is of no use, or is not finite.
    Kokkos::deep_copy(this->exec, this->x.flat(), 0.0);
    auto const failed = method.solve(this->exec, system.a, ConstantResult{fault}, system.b, this->x);
    EXPECT_EQ(failed.outcome, KrylovOutcome::breakdown);
    EXPECT_EQ(failed.breakdown, fault == 0.0 ? KrylovBreakdown::recursion : KrylovBreakdown::preconditioner);
    EXPECT_LT(failed.residual_norm, failed.rhs_norm);  // the subspace has its part of the solution
    this->iterations(method, system);
  }
}

TYPED_TEST(FgcrodrTest, nothing_to_do_leaves_the_subspace_alone) {
  using Vector = typename TestFixture::Vector;
  Fgcrodr<Vector> const method(this->exec, this->grid, this->options);
  auto const system = this->system(0, 0);
  this->iterations(method, system);
  auto const kept = method.recycled();
  // From the solution, of zero, and without iterations.
  auto const exact = to_device<double, 1>(this->exec, this->grid, system.solution);
  EXPECT_EQ(method.solve(this->exec, system.a, system.m, system.b, exact).iterations, 0);
  Vector const zero(this->exec, this->grid);
  auto const of_zero = method.solve(this->exec, system.a, system.m, zero, this->x);
  EXPECT_TRUE(of_zero.converged());
  EXPECT_EQ(of_zero.iterations, 0);
  EXPECT_TRUE(bitwise_equal(to_host(this->exec, this->x), to_host(this->exec, zero)));
  EXPECT_EQ(this->solve(method, system, {.max_iterations = 0}).outcome, KrylovOutcome::max_iterations);
  EXPECT_EQ(method.recycled(), kept);
  this->expect_consistent(method, system.a);
  // One iteration is the subspace's part.
  auto const one = this->solve(method, system, {.max_iterations = 1});
  EXPECT_EQ(one.iterations, 1);
  EXPECT_EQ(one.history.size(), 2u);
  EXPECT_NEAR(one.history.back(), one.residual_norm, 1e-9 * one.rhs_norm);
  EXPECT_LT(one.residual_norm, one.rhs_norm);
}

TYPED_TEST(FgcrodrTest, more_directions_than_unknowns) {
  using Vector = typename TestFixture::Vector;
  for (auto const& tiny : {Grid(1, 1, 1), Grid(2, 1, 1), Grid(3, 2, 1), Grid(4, 3, 2)}) {
    Fgcrodr<Vector> const method(this->exec, tiny, {.tolerance = 1e-12, .restart = 30, .recycled = 10});
    for (unsigned seed = 1; seed < 5; ++seed) {
      auto const reference = random_stencil(tiny, 1, seed);
      auto const solution = random_vector(tiny.size(), seed);
      auto const a = to_device<double, 1, double>(this->exec, reference);
      auto const b = to_device<double, 1>(this->exec, tiny, reference.apply(solution));
      Vector const x(this->exec, tiny);
      auto const result = method.solve(this->exec, a, IdentityPreconditioner{}, b, x);
      EXPECT_TRUE(result.converged()) << result.message();
      EXPECT_LE(result.iterations, tiny.size() + 3);
      EXPECT_LE(method.recycled(), tiny.size());
      EXPECT_TRUE(near(to_host(this->exec, x), solution, 1e-10));
      // Beyond what rounding allows: the solution stays one, whatever the outcome.
      method.solve(this->exec, a, IdentityPreconditioner{}, b, x, {.tolerance = 0.0, .max_iterations = 70});
      EXPECT_TRUE(near(to_host(this->exec, x), solution, 1e-10));
    }
  }
}

TYPED_TEST(FgcrodrTest, a_tolerance_out_of_reach_ends_at_the_limit) {
  using Vector = typename TestFixture::Vector;
  Fgcrodr<Vector> const method(this->exec, this->grid, this->options);
  auto const system = this->system(0, 0);
  for (int repetition = 0; repetition < 2; ++repetition) {
    auto const result = this->solve(method, system, {.tolerance = 0.0, .max_iterations = 300});
    EXPECT_EQ(result.outcome, KrylovOutcome::max_iterations) << result.message();
    EXPECT_EQ(result.iterations, 300);
    EXPECT_LE(result.residual_norm, 1e-13 * result.rhs_norm);
    EXPECT_TRUE(near(to_host(this->exec, this->x), system.solution, 1e-10));
  }
}

TYPED_TEST(FgcrodrTest, options_and_the_monitor) {
  using Vector = typename TestFixture::Vector;
  auto const make = [&](int restart, int recycled) {
    return Fgcrodr<Vector>(this->exec, this->grid, {.max_iterations = 2000, .restart = restart, .recycled = recycled});
  };
  auto const text = [&](int recycled) { return message_of([&] { make(30, recycled); }); };
  EXPECT_THAT(text(-1), ::testing::StartsWith("Fgcrodr: recycled is -1, expected 0 to 1000"));
  EXPECT_THAT(text(1001), ::testing::StartsWith("Fgcrodr: recycled is 1001, expected 0 to 1000"));
  // Fewer than `restart` are kept.
  auto const system = this->system(0, 0);
  for (int const restart : {1, 2, 3}) {
    auto const method = make(restart, 1000);
    this->solve(method, system, {.max_iterations = 20});
    EXPECT_LT(method.recycled(), restart);
    this->expect_consistent(method, system.a);
  }
  std::optional<Fgcrodr<Vector>> watched;
  auto options = this->options;
  int refused = 0;
  options.monitor = [&](int iteration, double) {
    EXPECT_THROW(watched->forget(), Error);
    ++refused;
    return iteration == 30 ? MonitorAction::stop : MonitorAction::proceed;
  };
  watched.emplace(this->exec, this->grid, options);
  auto const copy = *watched;
  for (int repetition = 0; repetition < 2; ++repetition) {
    auto const result = this->solve(*watched, system, this->options.limits());
    EXPECT_EQ(result.outcome, KrylovOutcome::stopped);
    EXPECT_EQ(result.iterations, 30);
    EXPECT_GE(copy.recycled(), 7);
    this->expect_consistent(copy, system.a);
  }
  EXPECT_EQ(refused, 62);
  watched->forget();
  EXPECT_EQ(copy.recycled(), 0);
}

}  // namespace
}  // namespace hyperplane::test
