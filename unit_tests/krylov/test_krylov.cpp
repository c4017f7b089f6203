// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/compressed_basis_fgmres.hpp>
#include <hyperplane/krylov/fgcrodr.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <hyperplane/krylov/richardson.hpp>
#include <limits>
#include <tuple>

#include "krylov_fixture.hpp"
#include "support/execution_spaces.hpp"
#include "support/kokkos_events.hpp"

namespace hyperplane::test {
namespace {

TYPED_TEST_SUITE(Krylov, ExecutionSpaces, SpaceNames);

TYPED_TEST(Krylov, every_method_solves_with_every_preconditioner) {
  this->expect_solved(this->template run<Richardson>(this->ilu));
  this->expect_solved(this->template run<BiCgStab>(this->ilu));
  this->expect_solved(this->template run<BiCgStab>(this->jacobi));
  this->expect_solved(this->template run<BiCgStab>(IdentityPreconditioner{}));
  this->expect_solved(this->template run<Fgmres>(this->ilu));
  this->expect_solved(this->template run<CompressedBasisFgmres>(this->ilu));
  this->expect_solved(this->template run<Fgcrodr>(this->ilu));
  this->expect_solved(this->template run<Fgmres>(this->jacobi));
  this->expect_solved(this->template run<Fgcrodr>(this->jacobi));
  this->expect_solved(this->template run<Fgmres>(IdentityPreconditioner{}));
  this->expect_solved(this->template run<Fgmres>(this->jacobi, {.restart = 7}));
  this->expect_solved(this->template run<CompressedBasisFgmres>(this->jacobi, {.restart = 7}));
  this->expect_solved(this->template run<Fgcrodr>(this->jacobi, {.restart = 7}));
}

TYPED_TEST(Krylov, a_better_preconditioner_needs_fewer_iterations) {
  auto const with_ilu = this->template run<BiCgStab>(this->ilu).iterations;
  auto const with_jacobi = this->template run<BiCgStab>(this->jacobi).iterations;
  EXPECT_LT(with_ilu, with_jacobi);
  EXPECT_LT(this->template run<Fgmres>(this->ilu).iterations, this->template run<Fgmres>(this->jacobi).iterations);
}

TYPED_TEST(Krylov, one_correction_is_one_application_of_the_preconditioner) {
  auto const result = this->template run<Richardson>(this->ilu, {.tolerance = 0, .max_iterations = 1});
  EXPECT_EQ(result.outcome, KrylovOutcome::max_iterations);
  EXPECT_EQ(result.iterations, 1);
  auto const once = to_host(this->exec, this->x);
  this->ilu.solve(this->exec, this->b, this->x);
  EXPECT_TRUE(bitwise_equal(once, to_host(this->exec, this->x)));
}

TYPED_TEST(Krylov, the_check_interval_does_not_change_the_result) {
  auto const check = [&]<template <class> class Method>() {
    auto const often = this->template run<Method>(this->ilu, {.check_interval = 1});
    auto const x_often = to_host(this->exec, this->x);
    for (int const interval : {0, 7}) {
      auto const rarely = this->template run<Method>(this->ilu, {.check_interval = interval});
      EXPECT_TRUE(bitwise_equal(to_host(this->exec, this->x), x_often));
      EXPECT_EQ(often.iterations, rarely.iterations);
      EXPECT_TRUE(bitwise_equal(often.history, rarely.history));
    }
  };
  check.template operator()<Richardson>();
  check.template operator()<BiCgStab>();
  check.template operator()<Fgmres>();
  check.template operator()<CompressedBasisFgmres>();
  check.template operator()<Fgcrodr>();
}

TYPED_TEST(Krylov, solves_from_a_given_guess) {
  Kokkos::deep_copy(this->exec, this->x.flat(), this->b.flat());
  auto const result = BiCgStab<BlockVector<double, n, TypeParam>>(this->exec, this->grid(), {})
                          .solve(this->exec, this->a, this->ilu, this->b, this->x);
  EXPECT_TRUE(result.converged());
  EXPECT_TRUE(near(to_host(this->exec, this->x), this->solution, 1e-6));
}

TYPED_TEST(Krylov, zero_right_hand_side_is_solved_at_once) {
  Kokkos::deep_copy(this->exec, this->b.flat(), 0.0);
  auto const check = [&]<template <class> class Method>() {
    auto const result = this->template run<Method>(this->ilu);
    EXPECT_TRUE(result.converged());
    EXPECT_EQ(result.iterations, 0);
    EXPECT_EQ(result.residual_norm, 0.0);
  };
  check.template operator()<Richardson>();
  check.template operator()<BiCgStab>();
  check.template operator()<Fgmres>();
  check.template operator()<CompressedBasisFgmres>();
  check.template operator()<Fgcrodr>();
}

TYPED_TEST(Krylov, x_is_zero_for_every_instance_when_a_solve_of_zero_returns) {
  using Vector = BlockVector<double, n, TypeParam>;
  Kokkos::deep_copy(this->exec, this->b.flat(), 0.0);
  auto const check = [&](const auto& method) {
    this->exec.fence();
    KokkosEvents const events;
    method.solve(this->exec, this->a, this->ilu, this->b, this->x);
    ASSERT_FALSE(events.fences().empty());
    EXPECT_EQ(events.fences().back(), "Hyperplane: x is zero");
    EXPECT_THAT(events.kernels().back().label, ::testing::EndsWith("::zero"));
  };
  check(Richardson<Vector>(this->exec, this->grid()));
  check(BiCgStab<Vector>(this->exec, this->grid()));
  check(Fgmres<Vector>(this->exec, this->grid()));
  check(CompressedBasisFgmres<Vector>(this->exec, this->grid()));
  check(Fgcrodr<Vector>(this->exec, this->grid()));
}

TYPED_TEST(Krylov, no_iterations_and_no_tolerance) {
  auto const check = [&]<template <class> class Method>() {
    auto const none = this->template run<Method>(this->ilu, {.max_iterations = 0});
    EXPECT_EQ(none.outcome, KrylovOutcome::max_iterations);
    EXPECT_EQ(none.iterations, 0);
    auto const five = this->template run<Method>(this->ilu, {.tolerance = 0, .max_iterations = 5});
    EXPECT_EQ(five.outcome, KrylovOutcome::max_iterations);
    EXPECT_EQ(five.iterations, 5);
    EXPECT_EQ(five.history.size(), 6u);
  };
  check.template operator()<Richardson>();
  check.template operator()<BiCgStab>();
  check.template operator()<Fgmres>();
  check.template operator()<CompressedBasisFgmres>();
  check.template operator()<Fgcrodr>();
}

TYPED_TEST(Krylov, nan_ends_with_a_breakdown) {
  Kokkos::deep_copy(this->exec, Kokkos::subview(this->b.flat(), std::pair(0, 1)),
                    std::numeric_limits<double>::quiet_NaN());
  auto const check = [&]<template <class> class Method>() {
    auto const result = this->template run<Method>(this->ilu);
    EXPECT_EQ(result.outcome, KrylovOutcome::breakdown);
    EXPECT_EQ(result.iterations, 0);
  };
  check.template operator()<Richardson>();
  check.template operator()<BiCgStab>();
  check.template operator()<Fgmres>();
  check.template operator()<CompressedBasisFgmres>();
  check.template operator()<Fgcrodr>();
}

TYPED_TEST(Krylov, the_monitor_sees_every_iteration) {
  std::vector<int> iterations;
  KrylovOptions options{.check_interval = 3};
  options.monitor = [&](int iteration, double) { iterations.push_back(iteration); };
  auto const result = this->template run<BiCgStab>(this->jacobi, options);
  ASSERT_EQ(iterations.size(), result.history.size());
  for (std::size_t i = 0; i < iterations.size(); ++i) EXPECT_EQ(iterations[i], static_cast<int>(i));
}

TYPED_TEST(Krylov, solve_allocates_nothing) {
  using Vector = BlockVector<double, n, TypeParam>;
  auto const check = [&](const auto& method) {
    Kokkos::deep_copy(this->exec, this->x.flat(), 0.0);
    this->exec.fence();
    KokkosEvents const events;
    method.solve(this->exec, this->a, this->ilu, this->b, this->x);
    EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
  };
  check(Richardson<Vector>(this->exec, this->grid()));
  check(BiCgStab<Vector>(this->exec, this->grid()));
  check(Fgmres<Vector>(this->exec, this->grid()));
  check(CompressedBasisFgmres<Vector>(this->exec, this->grid()));
  check(Fgcrodr<Vector>(this->exec, this->grid()));
}

TYPED_TEST(Krylov, runs_on_the_given_instance_and_waits_at_checks_alone) {
  auto const fences = [&]<template <class> class Method>(int iterations) {
    Kokkos::deep_copy(this->exec, this->x.flat(), 0.0);
    Method<BlockVector<double, n, TypeParam>> const method(
        this->exec, this->grid(), {.tolerance = 0, .max_iterations = iterations, .check_interval = 1000});
    this->exec.fence();
    KokkosEvents const events;
    auto const result = method.solve(this->exec, this->a, this->jacobi, this->b, this->x);
    EXPECT_EQ(result.iterations, iterations);
    for (auto const& kernel : events.kernels()) {
      EXPECT_THAT(kernel.label, ::testing::StartsWith("Hyperplane::"));
      EXPECT_EQ(kernel.device_and_instance, Kokkos::Tools::Experimental::device_id(this->exec)) << kernel.label;
    }
    return events.fences();
  };
  auto const check = [&]<template <class> class Method>() {
    EXPECT_EQ(fences.template operator()<Method>(3), fences.template operator()<Method>(6));
  };
  check.template operator()<Richardson>();
  check.template operator()<BiCgStab>();
  check.template operator()<Fgmres>();
  check.template operator()<CompressedBasisFgmres>();
  check.template operator()<Fgcrodr>();
}

// What looks cost, and what comes of them.
TYPED_TEST(Krylov, without_an_interval_the_host_looks_where_a_solve_may_end) {
  auto const solve = [&](const KrylovOptions& options) {
    KokkosEvents const events;
    auto const result = this->template run<BiCgStab>(this->jacobi, options);
    EXPECT_TRUE(result.converged());
    auto const is_product = [](const auto& kernel) { return kernel.label == "Hyperplane::BiCgStab::alpha"; };
    return std::tuple(result.iterations, std::ranges::count(events.fences(), "Hyperplane: convergence check"),
                      std::ranges::count_if(events.kernels(), is_product));
  };
  auto const [iterations, looks, steps] = solve({});
  if (HostExecutionSpace<TypeParam>) {
    EXPECT_EQ(looks, iterations + 2);  // of the initial guess, and of x at the end
  } else {
    EXPECT_LT(looks, iterations / 2);
  }
  EXPECT_LE(steps, iterations + 1);
  KrylovOptions watched;
  watched.monitor = [](int, double) {};
  EXPECT_EQ(solve(watched), std::tuple(iterations, iterations + 2, iterations));
}

TEST(IterationsToLook, by_the_steepest_fall_so_far) {
  using detail::iterations_to_look;
  EXPECT_EQ(iterations_to_look(1.0, 1e-8, 1.0, 0), 1);
  EXPECT_EQ(iterations_to_look(1.0, 1e-8, 0.1, 3), 4);  // little has been seen
  EXPECT_EQ(iterations_to_look(1.0, 1.1e-8, 0.1, 30), 8);
  EXPECT_EQ(iterations_to_look(1.0, 1.1e-8, 0.01, 30), 4);
  EXPECT_EQ(iterations_to_look(1.0, 0.9, 0.01, 30), 1);
  EXPECT_EQ(iterations_to_look(1.0, 0.0, 0.1, 30), 31);  // never
  EXPECT_EQ(iterations_to_look(1.0, 1e-8, 1.0, 1000), 64);
  for (double const norm : {1e-9, 0.0, std::nan(""), HUGE_VAL}) EXPECT_EQ(iterations_to_look(norm, 1e-8, 0.0, 30), 1);
}

TYPED_TEST(Krylov, refuses_bad_options_and_other_grids) {
  using Vector = BlockVector<double, n, TypeParam>;
  for (KrylovOptions const& bad :
       {KrylovOptions{.tolerance = -1}, KrylovOptions{.tolerance = std::nan("")}, KrylovOptions{.max_iterations = -1},
        KrylovOptions{.restart = 0}, KrylovOptions{.check_interval = -1}}) {
    EXPECT_THROW(BiCgStab<Vector>(this->exec, this->grid(), bad), Error);
    EXPECT_THROW(Fgmres<Vector>(this->exec, this->grid(), bad), Error);
    EXPECT_THROW(CompressedBasisFgmres<Vector>(this->exec, this->grid(), bad), Error);
    EXPECT_THROW(Fgcrodr<Vector>(this->exec, this->grid(), bad), Error);
    EXPECT_THROW(Richardson<Vector>(this->exec, this->grid(), bad), Error);
  }
  Vector const other(this->exec, Grid(2, 2, 2));
  EXPECT_THROW(BiCgStab<Vector>(this->exec, this->grid()).solve(this->exec, this->a, this->ilu, other, this->x), Error);
}

TYPED_TEST(Krylov, fgmres_without_restart_is_exact_after_as_many_steps_as_rows) {
  Grid const tiny(2, 2, 1);
  auto const small = convection_diffusion(tiny);
  auto const expected = random_vector(tiny.size() * n);
  auto const tiny_a = to_device<double, n, double>(this->exec, small);
  auto const tiny_b = to_device<double, n>(this->exec, tiny, small.apply(expected));
  BlockVector<double, n, TypeParam> const tiny_x(this->exec, tiny);
  Fgmres<BlockVector<double, n, TypeParam>> const method(this->exec, tiny, {.tolerance = 1e-13, .restart = 12});
  auto const result = method.solve(this->exec, tiny_a, IdentityPreconditioner{}, tiny_b, tiny_x);
  EXPECT_TRUE(result.converged());
  EXPECT_LE(result.iterations, 12);
  EXPECT_TRUE(near(to_host(this->exec, tiny_x), expected, 1e-11));
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST(KrylovOpenMp, the_same_bits_for_1_2_and_4_threads) {
  Grid const grid(20, 17, 9);
  auto const reference = convection_diffusion(grid);
  auto const rhs = random_vector(grid.size() * n);
  using Vector = BlockVector<double, n, Kokkos::OpenMP>;
  auto const check = [&]<class Method>(Method*) {
    std::vector<double> expected;
    for (int const threads : {1, 2, 4}) {
      Kokkos::OpenMP const exec(threads);
      auto const a = to_device<double, n, double>(exec, reference);
      auto const b = to_device<double, n>(exec, grid, rhs);
      Vector const x(exec, grid);
      BlockIlu0<double, n, Kokkos::OpenMP> ilu(exec, grid);
      ilu.factor(exec, a);
      EXPECT_TRUE(Method(exec, grid).solve(exec, a, ilu, b, x).converged());
      auto const found = to_host(exec, x);
      if (threads == 1) expected = found;
      EXPECT_TRUE(bitwise_equal(found, expected)) << threads << " threads";
    }
  };
  check(static_cast<Richardson<Vector>*>(nullptr));
  check(static_cast<BiCgStab<Vector>*>(nullptr));
  check(static_cast<Fgmres<Vector>*>(nullptr));
  check(static_cast<CompressedBasisFgmres<Vector>*>(nullptr));
  check(static_cast<Fgcrodr<Vector>*>(nullptr));
}
#endif

}  // namespace
}  // namespace hyperplane::test
