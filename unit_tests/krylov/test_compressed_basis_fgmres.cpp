// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <hyperplane/krylov/compressed_basis_fgmres.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <hyperplane/krylov/narrowed_matrix.hpp>
#include <hyperplane/stencil/narrow.hpp>
#include <vector>

#include "krylov_fixture.hpp"
#include "support/execution_spaces.hpp"

// FGMRES with directions in float, beside that with directions in double.
namespace hyperplane::test {
namespace {

template <class Exec>
class CompressedBasis : public Krylov<Exec> {
 protected:
  using typename Krylov<Exec>::Vector;

  /// ||b - A x||, of the serial reference.
  double residual_of_x() const {
    auto const product = this->reference.apply(to_host(this->exec, this->x));
    auto const rhs = to_host(this->exec, this->b);
    double sum = 0.0;
    for (std::size_t i = 0; i < rhs.size(); ++i) sum += (rhs[i] - product[i]) * (rhs[i] - product[i]);
    return std::sqrt(sum);
  }

  /// Another matrix, with a right-hand side of the solution that there is.
  void take(const ReferenceStencil& matrix) {
    this->reference = matrix;
    this->a = to_device<double, n, double>(this->exec, matrix);
    this->b = to_device<double, n>(this->exec, matrix.grid, matrix.apply(this->solution));
    this->ilu.factor(this->exec, this->a);
    this->jacobi.factor(this->exec, this->a);
  }

  /// Each equation times a power of two of its own, and each unknown, up to 2^17.
  void scale_badly() {
    auto matrix = this->reference;
    auto const power = [](std::int64_t number, int c, int step) {
      return std::exp2(static_cast<double>((number * step + 11 * c) % 35) - 17.0);
    };
    for (std::int64_t p = 0; p < matrix.grid.size(); ++p) {
      for (auto const d : stencil7_directions) {
        auto& block = matrix.block(p, d);
        Point const other = neighbour(matrix.grid.point(p), d);
        auto const q = matrix.grid.contains(other) ? matrix.grid.index(other) : p;
        for (int r = 0; r < n; ++r) {
          for (int c = 0; c < n; ++c) block(r, c) *= power(p, r, 13) * power(q, c, 17);
        }
      }
    }
    take(matrix);
  }
};
TYPED_TEST_SUITE(CompressedBasis, ExecutionSpaces, SpaceNames);

// The directions are those of double, but for rounding, in which both orders of orthogonalization agree.
TYPED_TEST(CompressedBasis, has_the_norms_of_directions_in_double) {
  auto const compare = [&](const auto& m) {
    KrylovOptions const options{.tolerance = 1e-5, .restart = 50};
    auto const expected = this->template run<Fgmres>(m, options);
    auto const found = this->template run<CompressedBasisFgmres>(m, options);
    ASSERT_EQ(found.iterations, expected.iterations);
    for (std::size_t i = 0; i < expected.history.size(); ++i) {
      EXPECT_NEAR(found.history[i], expected.history[i], 1e-6 * expected.history[0]) << "iteration " << i;
    }
  };
  compare(this->ilu);
  compare(this->jacobi);
  compare(IdentityPreconditioner{});
}

TYPED_TEST(CompressedBasis, x_becomes_as_exact_as_with_directions_in_double) {
  auto const compare = [&](const auto& m, int restart) {
    KrylovOptions const options{.tolerance = 1e-12, .max_iterations = 1000, .restart = restart};
    auto const expected = this->template run<Fgmres>(m, options);
    auto const found = this->template run<CompressedBasisFgmres>(m, options);
    EXPECT_TRUE(found.converged()) << found.message();
    EXPECT_LE(this->residual_of_x(), 1.01e-12 * found.rhs_norm);
    EXPECT_LE(found.iterations, expected.iterations + expected.iterations / 2);
  };
  for (int const restart : {1, 2, 30}) {
    compare(this->ilu, restart);
    compare(this->jacobi, restart);
  }
  this->scale_badly();
  compare(this->ilu, 30);
  compare(this->jacobi, 30);
}

// What rounding does not let the residual of x become is not reached, whatever a cycle's estimate promises.
TYPED_TEST(CompressedBasis, claims_no_convergence_that_is_not_there) {
  auto const check = [&](const auto& m) {
    auto const result =
        this->template run<CompressedBasisFgmres>(m, {.tolerance = 1e-18, .max_iterations = 90, .restart = 60});
    EXPECT_EQ(result.outcome, KrylovOutcome::max_iterations);
    EXPECT_EQ(result.iterations, 90);
    EXPECT_NEAR(result.residual_norm, this->residual_of_x(), 1e-15 * result.rhs_norm);
    EXPECT_LE(result.residual_norm, 1e-14 * result.rhs_norm);
  };
  check(this->ilu);
  this->scale_badly();
  check(this->ilu);
}

TYPED_TEST(CompressedBasis, takes_products_of_a_copy_in_float) {
  auto const copy = narrowed<float>(this->exec, this->a);
  Kokkos::deep_copy(this->exec, this->x.flat(), 0.0);
  CompressedBasisFgmres<typename TestFixture::Vector> const method(this->exec, this->grid(), {.tolerance = 1e-12});
  auto const result = method.solve(this->exec, NarrowedMatrix(this->a, copy), this->ilu, this->b, this->x);
  EXPECT_TRUE(result.converged()) << result.message();
  EXPECT_LE(this->residual_of_x(), 1.01e-12 * result.rhs_norm);
}

/// 1, 2 and 4 in turn on the diagonal.
ReferenceStencil three_values(const Grid& grid) {
  ReferenceStencil a(grid, n);
  for (std::int64_t p = 0; p < grid.size(); ++p) {
    for (int c = 0; c < n; ++c) a.block(p, Direction::center)(c, c) = std::exp2(static_cast<double>((p + c) % 3));
  }
  return a;
}

// A product that lies in the directions so far, but for what their rounding leaves of it.
TYPED_TEST(CompressedBasis, ends_where_no_direction_is_left) {
  this->take(three_values(this->grid()));
  auto const result =
      this->template run<CompressedBasisFgmres>(IdentityPreconditioner{}, {.tolerance = 1e-12, .restart = 30});
  EXPECT_TRUE(result.converged()) << result.message();
  EXPECT_LE(result.iterations, 6);
  EXPECT_LE(this->residual_of_x(), 1.01e-12 * result.rhs_norm);
}

// Where the matrix makes zero of a part of the right-hand side, nothing but that part is left.
TYPED_TEST(CompressedBasis, a_singular_system_is_not_solved) {
  auto matrix = three_values(this->grid());
  for (std::int64_t p = 0; p < matrix.grid.size(); p += 5) matrix.block(p, Direction::center)(0, 0) = 0.0;
  this->take(matrix);
  this->b = to_device<double, n>(this->exec, this->grid(), std::vector<double>(this->solution.size(), 1.0));
  double const least = std::sqrt(std::ceil(static_cast<double>(this->grid().size()) / 5.0));
  this->template run<CompressedBasisFgmres>(IdentityPreconditioner{}, {.max_iterations = 3});
  EXPECT_NEAR(this->residual_of_x(), least, 1e-6 * least);
  auto const result = this->template run<CompressedBasisFgmres>(IdentityPreconditioner{}, {.max_iterations = 40});
  EXPECT_FALSE(result.converged());
  EXPECT_NEAR(result.residual_norm, this->residual_of_x(), 1e-10 * least);
}

}  // namespace
}  // namespace hyperplane::test
