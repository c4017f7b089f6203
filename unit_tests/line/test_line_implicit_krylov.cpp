// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <hyperplane/csr/point_vector.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <hyperplane/krylov/richardson.hpp>
#include <hyperplane/line/line_implicit_csr.hpp>

#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"

// The line-implicit iteration on an unstructured mesh as the preconditioner of Krylov methods.
namespace hyperplane::test {
namespace {

constexpr int n = 2;
constexpr int points = 90;

template <class Exec>
class LineImplicitKrylov : public ::testing::Test {
 protected:
  using Vector = PointVector<double, n, Exec>;

  LineImplicitKrylov()
      : solution(random_vector(points * n)),
        a(to_device<double, n, double>(exec, reference())),
        b(to_view<double>(exec, reference().dense() * solution)),
        x(exec, points),
        lines(exec, a, LineSet::lists(points, {0, cut, end}, numbers(end))) {
    lines.factor(exec, a);
  }

  /// Two lines, of the points 0 to cut - 1 and cut to end - 1; the others are on no line.
  static constexpr int cut = 25, end = 60;

  /// Strong coupling along lines, as across a boundary layer.
  static ReferenceCsr reference() {
    auto csr = random_csr(points, n);
    for (int row = 0; row < end; ++row) {
      for (auto e = csr.offsets[row]; e < csr.offsets[row + 1]; ++e) {
        int const column = csr.columns[e];
        if (column >= end || std::abs(column - row) > 1 || (column < cut) != (row < cut)) continue;
        for (int c = 0; c < n; ++c) csr.blocks[e](c, c) += column == row ? 100.0 : -50.0;
      }
    }
    return csr;
  }

  static std::vector<std::int64_t> numbers(int count) {
    std::vector<std::int64_t> result;
    for (int p = 0; p < count; ++p) result.push_back(p);
    return result;
  }

  template <template <class> class Method, class Precond>
  KrylovResult run(const Precond& m) {
    Kokkos::deep_copy(exec, x.flat(), 0.0);
    return Method<Vector>(exec, points, {.tolerance = 1e-10, .max_iterations = 200}).solve(exec, a, m, b, x);
  }

  void expect_solved(const KrylovResult& result) {
    EXPECT_TRUE(result.converged()) << name(result.outcome);
    EXPECT_TRUE(near(to_host(x.flat()), solution, 1e-8));
  }

  Exec exec{};
  std::vector<double> solution;
  BlockCsr<double, n, Exec> a;
  Vector b, x;
  LineImplicitCsr<double, n, Exec> lines;
};
TYPED_TEST_SUITE(LineImplicitKrylov, ExecutionSpaces, SpaceNames);

TYPED_TEST(LineImplicitKrylov, helps_bicgstab) {
  auto const with_lines = this->template run<BiCgStab>(this->lines);
  this->expect_solved(with_lines);
  auto const without = this->template run<BiCgStab>(IdentityPreconditioner());
  EXPECT_LT(2 * with_lines.iterations, without.iterations);
}

TYPED_TEST(LineImplicitKrylov, helps_fgmres) {
  auto const with_lines = this->template run<Fgmres>(this->lines);
  this->expect_solved(with_lines);
  auto const without = this->template run<Fgmres>(IdentityPreconditioner());
  EXPECT_LT(2 * with_lines.iterations, without.iterations);
}

TYPED_TEST(LineImplicitKrylov, is_the_correction_iteration_inside_richardson) {
  auto const result = Richardson<PointVector<double, n, TypeParam>>(this->exec, points, {.max_iterations = 3})
                          .solve(this->exec, this->a, this->lines, this->b, this->x);
  EXPECT_EQ(result.iterations, 3);
  LineImplicitCsr<double, n, TypeParam> three(this->exec, this->a, this->lines.lines(), {.sweeps = 3});
  three.factor(this->exec, this->a);
  PointVector<double, n, TypeParam> const expected(this->exec, points);
  three.solve(this->exec, this->b, expected);
  EXPECT_TRUE(near(to_host(this->x.flat()), to_host(expected.flat()), rounding<double>(100, n)));
}

TYPED_TEST(LineImplicitKrylov, refuses_other_numbers_of_points) {
  using Vector = PointVector<double, n, TypeParam>;
  BiCgStab<Vector> const krylov(this->exec, points + 1);
  try {
    krylov.solve(this->exec, this->a, this->lines, this->b, this->x);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::AllOf(::testing::HasSubstr("90 points"), ::testing::HasSubstr("91")));
  }
  EXPECT_THROW(Vector(to_view<double>(this->exec, random_vector(5))), Error);
  EXPECT_THROW(Vector(this->exec, -1), Error);
}

}  // namespace
}  // namespace hyperplane::test
