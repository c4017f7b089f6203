// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

#include "krylov_fixture.hpp"
#include "support/execution_spaces.hpp"

namespace hyperplane::test {
namespace {

TYPED_TEST_SUITE(Krylov, ExecutionSpaces, SpaceNames);

/// Returns zero whatever it is given.
struct UselessPreconditioner {
  template <class Exec, class Vector>
  void solve(const Exec& exec, const Vector&, const Vector& z) const {
    Kokkos::deep_copy(exec, z.flat(), 0.0);
  }
};

/// Another preconditioner, but for one application, of which the result is `value` everywhere.
template <class Precond>
struct FaultyPreconditioner {
  const Precond& m_precond;
  int m_faulty_application;
  double m_value;
  mutable int m_applications = 0;

  template <class Exec, class Vector>
  void solve(const Exec& exec, const Vector& r, const Vector& z) const {
    if (++m_applications == m_faulty_application) {
      Kokkos::deep_copy(exec, z.flat(), m_value);
    } else {
      m_precond.solve(exec, r, z);
    }
  }
};

TYPED_TEST(Krylov, bicgstab_begins_anew_after_a_breakdown) {
  // A search direction of zeros, and one of NaN, in the fourth iteration (two applications each).
  for (double const fault : {0.0, std::numeric_limits<double>::quiet_NaN()}) {
    FaultyPreconditioner<BlockJacobi<double, n, TypeParam>> const faulty{this->jacobi, 7, fault};
    this->expect_solved(this->template run<BiCgStab>(faulty));
    EXPECT_GT(faulty.m_applications, 7);
  }
}

// With the bits of an object that never broke down: nothing is left of what was not finite, in the padding either.
TYPED_TEST(Krylov, after_a_breakdown_an_object_solves_as_a_new_one) {
  using Vector = BlockVector<double, n, TypeParam>;
  auto const check = [&]<class Method>(const Method& used, const Method& unused) {
    FaultyPreconditioner<BlockJacobi<double, n, TypeParam>> const faulty{this->jacobi, 2,
                                                                         std::numeric_limits<double>::quiet_NaN()};
    Kokkos::deep_copy(this->exec, this->x.flat(), 0.0);
    used.solve(this->exec, this->a, faulty, this->b, this->x);
    std::vector<std::vector<double>> solutions;
    for (auto const* const method : {&used, &unused}) {
      Kokkos::deep_copy(this->exec, this->x.flat(), 0.0);
      method->solve(this->exec, this->a, this->jacobi, this->b, this->x);
      solutions.push_back(to_host(this->exec, this->x));
    }
    EXPECT_TRUE(bitwise_equal(solutions[0], solutions[1]));
    EXPECT_TRUE(std::ranges::all_of(solutions[0], [](double value) { return std::isfinite(value); }));
  };
  check(Richardson<Vector>(this->exec, this->grid(), {.max_iterations = 5}),
        Richardson<Vector>(this->exec, this->grid(), {.max_iterations = 5}));
  check(BiCgStab<Vector>(this->exec, this->grid()), BiCgStab<Vector>(this->exec, this->grid()));
  check(Fgmres<Vector>(this->exec, this->grid()), Fgmres<Vector>(this->exec, this->grid()));
  check(CompressedBasisFgmres<Vector>(this->exec, this->grid()),
        CompressedBasisFgmres<Vector>(this->exec, this->grid()));
  check(Fgcrodr<Vector>(this->exec, this->grid(), {.recycled = 4}),
        Fgcrodr<Vector>(this->exec, this->grid(), {.recycled = 4}));
}

TYPED_TEST(Krylov, fgmres_keeps_the_finite_part_of_a_broken_cycle) {
  auto const healthy = this->template run<Fgmres>(this->jacobi, {.tolerance = 0, .max_iterations = 4});
  auto const expected = to_host(this->exec, this->x);
  FaultyPreconditioner<BlockJacobi<double, n, TypeParam>> const faulty{this->jacobi, 5,
                                                                       std::numeric_limits<double>::quiet_NaN()};
  auto const broken = this->template run<Fgmres>(faulty);
  EXPECT_EQ(broken.outcome, KrylovOutcome::breakdown);
  EXPECT_EQ(broken.iterations, 4);
  EXPECT_EQ(broken.residual_norm, healthy.residual_norm);
  EXPECT_TRUE(bitwise_equal(to_host(this->exec, this->x), expected));
}

/// One preconditioner, then the other, in turn.
template <class First, class Second>
struct AlternatingPreconditioner {
  const First& m_first;
  const Second& m_second;
  mutable int m_applications = 0;

  template <class Exec, class Vector>
  void solve(const Exec& exec, const Vector& r, const Vector& z) const {
    if (++m_applications % 2 == 1) {
      m_first.solve(exec, r, z);
    } else {
      m_second.solve(exec, r, z);
    }
  }
};

TYPED_TEST(Krylov, fgmres_is_flexible) {
  AlternatingPreconditioner<BlockIlu0<double, n, TypeParam>, IdentityPreconditioner> const m{this->ilu, {}};
  auto const result = this->template run<Fgmres>(m);
  this->expect_solved(result);
  // What the recursion claims is what x has.
  EXPECT_NEAR(result.history.back() / result.residual_norm, 1.0, 1e-4);
}

TYPED_TEST(Krylov, a_useless_preconditioner_is_a_breakdown) {
  EXPECT_EQ(this->template run<BiCgStab>(UselessPreconditioner{}).outcome, KrylovOutcome::breakdown);
  EXPECT_EQ(this->template run<Fgmres>(UselessPreconditioner{}).outcome, KrylovOutcome::breakdown);
  EXPECT_EQ(this->template run<CompressedBasisFgmres>(UselessPreconditioner{}).outcome, KrylovOutcome::breakdown);
  EXPECT_EQ(this->template run<Fgcrodr>(UselessPreconditioner{}).outcome, KrylovOutcome::breakdown);
  EXPECT_TRUE(bitwise_equal(to_host(this->exec, this->x), std::vector<double>(this->solution.size(), 0.0)));
}

TYPED_TEST(Krylov, diverging_corrections_end) {
  // Undamped corrections with a preconditioner that overshoots: infinite before the iterations run out.
  auto const result = this->template run<Richardson>(IdentityPreconditioner{}, {.max_iterations = 2000});
  EXPECT_EQ(result.outcome, KrylovOutcome::breakdown);
  EXPECT_LT(result.iterations, 2000);
}

}  // namespace
}  // namespace hyperplane::test
