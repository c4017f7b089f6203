// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgcrodr.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/narrowed_matrix.hpp>
#include <hyperplane/krylov/richardson.hpp>
#include <hyperplane/krylov/transposed.hpp>
#include <hyperplane/stencil/apply_transposed.hpp>
#include <hyperplane/stencil/narrow.hpp>
#include <limits>
#include <type_traits>

#include "counted_matrix.hpp"
#include "krylov_fixture.hpp"
#include "support/execution_spaces.hpp"
#include "support/kokkos_events.hpp"

// Krylov methods whose products read a copy of A in float, with the accuracy of A.
namespace hyperplane::test::narrowed_matrix {
namespace {

/// A class of one's own, whose products have errors in the fourth digit.
template <class Matrix, class Copy>
struct Own {
  Matrix matrix;
  Copy copy;
  Matrix exact() const { return matrix; }
  static double rounding() { return 1e-3; }
};
template <class Exec, class Matrix, class Copy, class Vector>
void apply(const Exec& exec, const Own<Matrix, Copy>& a, const Vector& x, const Vector& y) {
  apply(exec, a.copy, x, y);
}

template <class Exec>
class NarrowedMatrixTest : public Krylov<Exec> {
 protected:
  using Vector = BlockVector<double, n, Exec>;
  using Copy = BlockStencil7<double, n, Exec, float>;

  explicit NarrowedMatrixTest(const Grid& grid = Grid(13, 10, 5))
      : Krylov<Exec>(grid), copy(narrowed<float>(this->exec, this->a)) {}

  template <class Method, class Matrix, class Precond>
  KrylovResult solve(const Method& method, const Matrix& matrix, const Precond& m) {
    Kokkos::deep_copy(this->exec, this->x.flat(), 0.0);
    return method.solve(this->exec, matrix, m, this->b, this->x);
  }
  template <template <class> class Method, class Matrix, class Precond>
  KrylovResult solve(const Matrix& matrix, const Precond& m, const KrylovOptions& options) {
    return solve(Method<Vector>(this->exec, this->grid(), options), matrix, m);
  }

  /// Of b - A x, by the serial reference.
  double norm_of_residual() {
    auto const found = this->reference.apply(to_host(this->exec, this->x));
    auto const rhs = to_host(this->exec, this->b);
    double sum = 0.0;
    for (std::size_t e = 0; e < rhs.size(); ++e) sum += (rhs[e] - found[e]) * (rhs[e] - found[e]);
    return std::sqrt(sum);
  }

  /// to = factor * copy
  void set_scaled(const Copy& to, double factor) {
    auto const values = Kokkos::create_mirror(Kokkos::HostSpace(), copy.flat());
    Kokkos::deep_copy(values, copy.flat());
    for (std::size_t e = 0; e < values.size(); ++e) values(e) *= static_cast<float>(factor);
    Kokkos::deep_copy(this->exec, to.flat(), values);
    this->exec.fence();
  }

  /// Products with the copy lead to the accuracy of A, with `share` more iterations at most, and two.
  template <template <class> class Method, class Precond>
  void expect_as_accurate(const Precond& m, double share) {
    expect_as_accurate<Method>(m, copy, share);
  }
  template <template <class> class Method, class Precond, class OtherCopy>
  void expect_as_accurate(const Precond& m, const OtherCopy& other, double share) {
    KrylovOptions options{.max_iterations = 1000};
    for (double const tolerance : {1e-5, 1e-10, 1e-12}) {
      SCOPED_TRACE(tolerance);
      options.tolerance = tolerance;
      auto const plain = solve<Method>(this->a, m, options);
      auto const found = solve<Method>(NarrowedMatrix(this->a, other), m, options);
      EXPECT_TRUE(plain.converged()) << plain.message();
      EXPECT_TRUE(found.converged()) << found.message();
      EXPECT_EQ(found.history.size(), static_cast<std::size_t>(found.iterations) + 1);
      double const norm = norm_of_residual();
      EXPECT_LE(norm, (tolerance + 1e-14) * found.rhs_norm);
      EXPECT_NEAR(found.residual_norm, norm, 1e-14 * found.rhs_norm);
      EXPECT_LE(found.iterations, plain.iterations + 2 + static_cast<int>(share * plain.iterations));
    }
  }

  Copy copy;
};
TYPED_TEST_SUITE(NarrowedMatrixTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(NarrowedMatrixTest, solutions_are_as_accurate) {
  this->template expect_as_accurate<BiCgStab>(this->ilu, 0.05);
  this->template expect_as_accurate<BiCgStab>(this->jacobi, 0.15);
  this->template expect_as_accurate<Fgmres>(this->ilu, 0.1);
  this->template expect_as_accurate<Fgmres>(this->jacobi, 0.1);
  this->template expect_as_accurate<Fgcrodr>(this->ilu, 0.1);
  this->template expect_as_accurate<Fgcrodr>(this->jacobi, 0.1);
  this->template expect_as_accurate<Richardson>(this->ilu, 0.0);
}

TYPED_TEST(NarrowedMatrixTest, solutions_are_as_accurate_with_copies_of_16_bits) {
  auto const check = [&](const auto& copy, double share) {
    this->template expect_as_accurate<BiCgStab>(this->ilu, copy, share);
    this->template expect_as_accurate<Fgmres>(this->ilu, copy, share);
  };
  check(narrowed<Half>(this->exec, this->a), 0.25);
  check(narrowed<BFloat16>(this->exec, this->a), 0.5);
}

TYPED_TEST(NarrowedMatrixTest, factors_may_be_of_the_copy) {
  BlockIlu0<double, n, TypeParam, float> ilu(this->exec, this->grid());
  ilu.factor(this->exec, this->copy);
  this->template expect_as_accurate<BiCgStab>(ilu, 0.05);
  this->template expect_as_accurate<Fgmres>(ilu, 0.1);
}

TYPED_TEST(NarrowedMatrixTest, directions_are_multiplied_with_the_copy_and_x_with_the_matrix) {
  auto const check = [&]<template <class> class Method>(int products, int begun_anew) {
    Counted<BlockStencil7<double, n, TypeParam>> const matrix{this->a};
    Counted<typename TestFixture::Copy> const of_copy{this->copy};
    auto const result = this->template solve<Method>(NarrowedMatrix(matrix, of_copy), this->ilu, {.tolerance = 1e-12});
    EXPECT_TRUE(result.converged());
    EXPECT_EQ(*of_copy.products, products * result.iterations);
    EXPECT_GE(*matrix.products, 2 + begun_anew);
    EXPECT_LE(*matrix.products, 3 + begun_anew);
  };
  // After each fall to 3e-4, and to 1e-7.
  check.template operator()<BiCgStab>(2, 3);
  check.template operator()<Fgmres>(1, 1);
}

TYPED_TEST(NarrowedMatrixTest, residuals_are_renewed_only_where_there_is_a_copy) {
  auto const renewals = [&](const auto& matrix) {
    BiCgStab<typename TestFixture::Vector> const method(this->exec, this->grid(), {.tolerance = 1e-12});
    KokkosEvents const events;
    EXPECT_TRUE(this->solve(method, matrix, this->ilu).converged());
    EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
    return std::ranges::count(events.kernels(), "Hyperplane::BiCgStab::renew", &KokkosEvents::Kernel::label);
  };
  EXPECT_EQ(renewals(this->a), 0);
  EXPECT_GE(renewals(NarrowedMatrix(this->a, this->copy)), 3);
}

TYPED_TEST(NarrowedMatrixTest, the_check_interval_does_not_change_the_result) {
  NarrowedMatrix const a(this->a, this->copy);
  auto const check = [&]<template <class> class Method>() {
    auto const often = this->template solve<Method>(a, this->jacobi, {.tolerance = 1e-12});
    auto const x_often = to_host(this->exec, this->x);
    EXPECT_TRUE(often.converged());
    auto const rarely = this->template solve<Method>(a, this->jacobi, {.tolerance = 1e-12, .check_interval = 7});
    EXPECT_TRUE(bitwise_equal(to_host(this->exec, this->x), x_often));
    EXPECT_TRUE(bitwise_equal(often.history, rarely.history));
  };
  check.template operator()<BiCgStab>();
  check.template operator()<Fgmres>();
  check.template operator()<Fgcrodr>();
}

TYPED_TEST(NarrowedMatrixTest, a_copy_of_something_else_makes_a_solve_slower_and_never_wrong) {
  for (double const factor : {1.001, 1.1, -1.0}) {
    typename TestFixture::Copy const other(this->exec, this->grid());
    this->set_scaled(other, factor);
    auto const check = [&]<template <class> class Method>(bool finds_out) {
      SCOPED_TRACE(factor);
      KrylovOptions const options{.tolerance = 1e-10, .max_iterations = 300};
      auto const result = this->template solve<Method>(NarrowedMatrix(this->a, other), this->ilu, options);
      double const norm = this->norm_of_residual();
      EXPECT_NEAR(result.residual_norm, norm, 1e-12 * norm + 1e-14 * result.rhs_norm);
      EXPECT_EQ(result.converged(), result.residual_norm <= 1e-10 * result.rhs_norm) << result.message();
      if (factor == 1.001 || finds_out) {
        EXPECT_TRUE(result.converged()) << result.message();
      }
      EXPECT_EQ(result.converged(), result.cause.empty()) << result.message();
    };
    check.template operator()<BiCgStab>(true);
    check.template operator()<Fgmres>(false);
    check.template operator()<Fgcrodr>(false);
  }
}

TYPED_TEST(NarrowedMatrixTest, may_be_a_class_of_ones_own) {
  typename TestFixture::Copy const other(this->exec, this->grid());
  this->set_scaled(other, 1.001);
  Own<BlockStencil7<double, n, TypeParam>, typename TestFixture::Copy> const own{this->a, other};
  static_assert(RoundedOperator<decltype(own)>);
  auto const check = [&]<template <class> class Method>() {
    auto const result = this->template solve<Method>(own, this->ilu, {.tolerance = 1e-12});
    EXPECT_TRUE(result.converged()) << result.message();
    EXPECT_LE(this->norm_of_residual(), (1e-12 + 1e-14) * result.rhs_norm);
  };
  check.template operator()<BiCgStab>();
  check.template operator()<Fgmres>();
  check.template operator()<Fgcrodr>();
}

TYPED_TEST(NarrowedMatrixTest, may_be_transposed) {
  auto const rhs = to_host(this->exec, this->b);
  NarrowedMatrix const a(transposed(this->a), transposed(this->copy));
  auto const result = this->template solve<BiCgStab>(a, transposed(this->ilu), {.tolerance = 1e-12});
  EXPECT_TRUE(result.converged());
  typename TestFixture::Vector const r(this->exec, this->grid());
  residual(this->exec, transposed(this->a), this->b, this->x, r);
  auto const exact = to_host(this->exec, r);
  residual(this->exec, a, this->b, this->x, r);
  EXPECT_TRUE(bitwise_equal(to_host(this->exec, r), exact));
  double sum = 0.0;
  for (double const value : exact) sum += value * value;
  EXPECT_LE(std::sqrt(sum), 1.01e-12 * result.rhs_norm);
}

// Where nothing is wrong with the copy, iterations that are too few have no cause, and A and the copy are not compared
// where the residual of x is that of the recursion. BiCGStab turns to A itself then, and converges with more of them.
TYPED_TEST(NarrowedMatrixTest, a_copy_of_another_matrix_is_the_cause) {
  typename TestFixture::Copy const other(this->exec, this->grid());
  this->set_scaled(other, -1.0);
  auto const check = [&]<template <class> class Method>(int iterations_with_other) {
    auto const comparisons = [&](const auto& a, const auto& m, int iterations, const char* cause) {
      Method<typename TestFixture::Vector> const method(this->exec, this->grid(),
                                                        {.tolerance = 1e-12, .max_iterations = iterations});
      KokkosEvents const events;
      auto const result = this->solve(method, a, m);
      EXPECT_FALSE(result.converged());
      EXPECT_THAT(result.cause, ::testing::StartsWith(cause)) << result.message();
      EXPECT_EQ(result.cause.empty(), *cause == '\0');
      return std::ranges::count(events.kernels(), "Hyperplane::BlockStencil7::other_copy",
                                &KokkosEvents::Kernel::label);
    };
    auto const* const words = "the copy is not of A as it is now, but differs in block ";
    EXPECT_EQ(comparisons(NarrowedMatrix(this->a, this->copy), this->ilu, 2, ""), 0);
    EXPECT_EQ(comparisons(NarrowedMatrix(this->a, other), this->ilu, iterations_with_other, words), 1);
    NarrowedMatrix const of_transposes(transposed(this->a), transposed(other));
    EXPECT_EQ(comparisons(of_transposes, transposed(this->ilu), iterations_with_other, words), 1);
  };
  check.template operator()<BiCgStab>(8);
  check.template operator()<Fgmres>(30);
  check.template operator()<Fgcrodr>(30);
  auto const result = this->template solve<BiCgStab>(NarrowedMatrix(this->a, other), this->ilu, {.tolerance = 1e-12});
  EXPECT_TRUE(result.converged());
  EXPECT_EQ(result.cause, "");
}

TYPED_TEST(NarrowedMatrixTest, a_breakdown_names_what_is_not_finite) {
  auto const set = [&](const auto& matrix, auto value) {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), matrix.flat());
    Grid const& grid = matrix.grid();
    typename std::remove_cvref_t<decltype(matrix)>::Ref::Packs const packs(host.data());
    typename std::remove_cvref_t<decltype(matrix)>::Ref(matrix.map(), packs)(Point{2, 1, 0}, Direction::east, 1, 0) =
        value;
    Kokkos::deep_copy(this->exec, matrix.flat(), host);
    this->exec.fence();
    EXPECT_TRUE(grid.contains({2, 1, 0}));
  };
  NarrowedMatrix const a(this->a, this->copy);
  set(this->copy, std::numeric_limits<float>::infinity());
  auto const of_copy = this->template solve<BiCgStab>(a, this->ilu, {});
  EXPECT_EQ(of_copy.breakdown, KrylovBreakdown::product);
  EXPECT_EQ(of_copy.cause, "in the copy block east of point (2, 1, 0) is not finite");
  set(this->a, std::numeric_limits<double>::quiet_NaN());
  auto const of_matrix = this->template solve<Fgmres>(a, this->ilu, {});
  EXPECT_EQ(of_matrix.breakdown, KrylovBreakdown::initial_residual);
  EXPECT_EQ(of_matrix.cause, "block east of point (2, 1, 0) is not finite");
}

}  // namespace
}  // namespace hyperplane::test::narrowed_matrix
