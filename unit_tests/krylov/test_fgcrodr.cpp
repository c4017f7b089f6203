// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hyperplane/blocks/apply.hpp>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/krylov/fgcrodr.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/identity.hpp>

#include "fgcrodr_fixture.hpp"
#include "support/execution_spaces.hpp"
#include "support/kokkos_events.hpp"
#include "support/multi_block_reference.hpp"

// What FGCRO-DR has beside the other methods: the subspace, and sequences of systems.
namespace hyperplane::test {
namespace {

TYPED_TEST_SUITE(FgcrodrTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(FgcrodrTest, without_a_subspace_it_is_fgmres) {
  using Vector = typename TestFixture::Vector;
  auto const system = this->system(0, 0);
  auto options = this->options;
  options.recycled = 0;
  auto const expected = this->iterations(Fgmres<Vector>(this->exec, this->grid, options), system);
  auto const x = to_host(this->exec, this->x);
  Fgcrodr<Vector> const method(this->exec, this->grid, options);
  for (int repetition = 0; repetition < 2; ++repetition) {
    EXPECT_EQ(this->iterations(method, system), expected);
    EXPECT_EQ(method.recycled(), 0);
    EXPECT_TRUE(near(to_host(this->exec, this->x), x, 1e-13));
  }
}

TYPED_TEST(FgcrodrTest, a_subspace_helps_from_one_cycle_to_the_next) {
  using Vector = typename TestFixture::Vector;
  auto const system = this->system(0, 0);
  auto const restarted = this->iterations(Fgmres<Vector>(this->exec, this->grid, this->options), system);
  Fgcrodr<Vector> const method(this->exec, this->grid, this->options);
  auto const deflated = this->iterations(method, system);
  EXPECT_LT(deflated, restarted * 4 / 5);
  this->expect_consistent(method, system.a);
}

TYPED_TEST(FgcrodrTest, a_sequence_of_systems_takes_fewer_iterations) {
  using Vector = typename TestFixture::Vector;
  Fgmres<Vector> const restarted(this->exec, this->grid, this->options);
  Fgcrodr<Vector> const method(this->exec, this->grid, this->options);
  Fgcrodr<Vector> fresh(this->exec, this->grid, this->options);
  int of_restarted = 0, of_method = 0, of_fresh = 0;
  for (int number = 0; number < 6; ++number) {
    auto const system = this->system(number, number);
    of_restarted += this->iterations(restarted, system);
    of_fresh += this->iterations(fresh, system);
    fresh.forget();
    EXPECT_EQ(fresh.recycled(), 0);
    of_method += this->iterations(method, system);
    EXPECT_GE(method.recycled(), 7);
    this->expect_consistent(method, system.a);
  }
  // 543, 441 and 326 where this was written.
  EXPECT_LT(of_method, 0.75 * of_fresh);
  EXPECT_LT(of_method, 0.65 * of_restarted);
}

TYPED_TEST(FgcrodrTest, another_right_hand_side_takes_fewer_iterations) {
  using Vector = typename TestFixture::Vector;
  Fgcrodr<Vector> const method(this->exec, this->grid, this->options);
  auto const first = this->iterations(method, this->system(0, 0));
  auto const second = this->iterations(method, this->system(0, 1));
  EXPECT_LT(second, first);
  // The same one again from zero: most of the solution is in the subspace.
  EXPECT_LT(this->iterations(method, this->system(0, 1)), first);
}

TYPED_TEST(FgcrodrTest, a_sequence_has_the_same_bits_whatever_the_check_interval) {
  using Vector = typename TestFixture::Vector;
  auto options = this->options;
  Fgcrodr<Vector> const often(this->exec, this->grid, options), again(this->exec, this->grid, options);
  options.check_interval = 7;
  Fgcrodr<Vector> const rarely(this->exec, this->grid, options);
  for (int number = 0; number < 3; ++number) {
    auto const system = this->system(number, number);
    auto const expected = this->solve(often, system, options.limits());
    auto const x = to_host(this->exec, this->x);
    for (auto const* const method : {&again, &rarely}) {
      auto const result = this->solve(*method, system, options.limits());
      EXPECT_TRUE(bitwise_equal(result.history, expected.history));
      EXPECT_TRUE(bitwise_equal(to_host(this->exec, this->x), x));
    }
  }
}

TYPED_TEST(FgcrodrTest, the_preconditioner_may_change) {
  using Vector = typename TestFixture::Vector;
  Fgcrodr<Vector> const method(this->exec, this->grid, this->options);
  for (int number = 0; number < 3; ++number) {
    auto const system = this->system(number, number);
    ChangingPreconditioner<typename TestFixture::Precond> const changing{system.m};
    Kokkos::deep_copy(this->exec, this->x.flat(), 0.0);
    auto const result = method.solve(this->exec, system.a, changing, system.b, this->x);
    EXPECT_TRUE(result.converged()) << result.message();
    EXPECT_TRUE(near(to_host(this->exec, this->x), system.solution, 1e-5));
    EXPECT_NEAR(result.history.back() / result.residual_norm, 1.0, 1e-4);
    this->expect_consistent(method, system.a);
  }
}

TYPED_TEST(FgcrodrTest, a_solve_with_a_subspace_allocates_nothing) {
  using Vector = typename TestFixture::Vector;
  Fgcrodr<Vector> const method(this->exec, this->grid, this->options);
  auto const system = this->system(0, 0);
  this->iterations(method, system);
  Kokkos::deep_copy(this->exec, this->x.flat(), 0.0);
  this->exec.fence();
  KokkosEvents const events;
  method.solve(this->exec, system.a, system.m, system.b, this->x);
  EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
  EXPECT_EQ(events.fences().back(), "Hyperplane::Fgcrodr: the subspace is there");
}

TYPED_TEST(FgcrodrTest, over_several_grid_blocks_and_in_float) {
  auto const whole = cut_grid(Grid(12, 10, 6), {2, 2, 1}, {true, false, false}).grid;
  auto const check = [&]<class Scalar>(Scalar, double tolerance) {
    using Whole = MultiBlockVector<Scalar, 2, TypeParam>;
    MultiBlockReference const reference(whole, 2);
    auto const a = to_device<Scalar, 2, Scalar>(this->exec, reference);
    auto const solution = random_vector(whole.size() * 2);
    auto const b = to_device<Scalar, 2>(this->exec, whole, reference.rows() * solution);
    KrylovOptions const options{.tolerance = tolerance, .restart = 8, .recycled = 4};
    Fgcrodr<Whole> const method(this->exec, whole, options);
    int first = 0;
    for (int repetition = 0; repetition < 2; ++repetition) {
      Whole const x(this->exec, whole);
      auto const result = method.solve(this->exec, a, IdentityPreconditioner{}, b, x);
      EXPECT_TRUE(result.converged()) << result.message();
      auto const found = to_host(this->exec, x);
      for (std::size_t e = 0; e < solution.size(); ++e) EXPECT_NEAR(found[e], solution[e], 100.0 * tolerance);
      EXPECT_EQ(method.recycled(), options.recycled);
      if (repetition == 0) {
        first = result.iterations;
      } else {
        // The projection is one more.
        EXPECT_LE(result.iterations, first + options.recycled);
      }
    }
  };
  check(double{}, 1e-10);
  check(float{}, 1e-5);
}

}  // namespace
}  // namespace hyperplane::test
