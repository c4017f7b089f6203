// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/blocks/narrow.hpp>
#include <hyperplane/csr/narrow.hpp>
#include <hyperplane/csr/tall_product.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <hyperplane/krylov/narrowed_matrix.hpp>
#include <hyperplane/krylov/simultaneous_bicgstab.hpp>
#include <hyperplane/krylov/simultaneous_fgmres.hpp>
#include <vector>

#include "simultaneous_fixture.hpp"
#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/message_of.hpp"
#include "support/multi_block_reference.hpp"
#include "support/several_vectors.hpp"

// Copies in float of matrices of several grid blocks, and for several right-hand sides.
namespace hyperplane::test::narrowed_several {
namespace {

template <class Exec>
class NarrowedSeveral : public ::testing::Test {
 protected:
  static double norm_of_difference(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t e = 0; e < a.size(); ++e) sum += (a[e] - b[e]) * (a[e] - b[e]);
    return std::sqrt(sum);
  }

  Exec exec{};
};
TYPED_TEST_SUITE(NarrowedSeveral, ExecutionSpaces, SpaceNames);

/// What a method for several right-hand sides is compared with asks for the number of rows.
template <class Matrix, class Copy>
struct Rows : NarrowedMatrix<Matrix, Copy> {
  Rows(const Matrix& a, const Copy& copy) : NarrowedMatrix<Matrix, Copy>(a, copy) {}
  std::int64_t rows() const { return this->exact().rows(); }
};

TYPED_TEST(NarrowedSeveral, right_hand_sides_have_the_solves_of_single_ones) {
  constexpr int n = 3, count = 4, rows = 120;
  auto reference = random_csr(rows, n);
  for (int row = 0; row < rows; ++row) {
    for (int r = 0; r < n; ++r) reference.blocks[block_at(reference, row, row)](r, r) -= 2.0 * n;
  }
  auto const a = to_device<double, n, double>(this->exec, reference);
  Rows const narrow(a, narrowed<float>(this->exec, a));
  // They end, and have their residuals renewed, at different times.
  auto b = random_vectors(count, rows * n), guess = HostVectors(count, std::vector<double>(b[0].size(), 0.0));
  guess[1] = random_vector(rows * n, 9);
  b[2] = reference.dense() * guess[1];
  for (auto& value : guess[2]) value = 1e-7;
  auto const check = [&]<template <class> class Several, template <class> class Single>(const KrylovOptions& options) {
    auto const results = compare_with_single_solves<Several, Single, n, count>(
        this->exec, narrow, IdentityPreconditioner(), b, guess, options);
    for (auto const& result : results) {
      EXPECT_TRUE(result.converged()) << result.message();
      EXPECT_GT(result.iterations, 10);
    }
  };
  for (int const interval : {1, 3}) {
    check.template operator()<SimultaneousBiCgStab, BiCgStab>({.tolerance = 1e-12, .check_interval = interval});
    check.template operator()<SimultaneousFgmres, Fgmres>({.tolerance = 1e-12, .check_interval = interval});
  }
}

TYPED_TEST(NarrowedSeveral, grid_blocks_are_solved_as_accurately) {
  constexpr int n = 2;
  MultiBlockReference reference(cut_grid(Grid(9, 14, 5), {2, 2, 1}).grid, n);
  auto const a = to_device<double, n, double>(this->exec, reference);
  auto const copy = narrowed<float>(this->exec, a);
  auto const rhs = random_vector(reference.grid.size() * n);
  auto const b = to_device<double, n>(this->exec, reference.grid, rhs);
  MultiBlockVector<double, n, TypeParam> const x(this->exec, reference.grid);
  MultiBlock<BlockIlu0<double, n, TypeParam, float>> ilu(this->exec, reference.grid);
  ilu.factor(this->exec, copy);
  auto const result = BiCgStab<MultiBlockVector<double, n, TypeParam>>(this->exec, reference.grid, {.tolerance = 1e-12})
                          .solve(this->exec, NarrowedMatrix(a, copy), ilu, b, x);
  EXPECT_TRUE(result.converged()) << result.message();
  EXPECT_LE(this->norm_of_difference(reference.rows() * to_host(this->exec, x), rhs), 1.01e-12 * result.rhs_norm);
}

TYPED_TEST(NarrowedSeveral, grid_blocks_are_named_that_overflow) {
  constexpr int n = 2;
  MultiBlockReference reference(cut_grid(Grid(9, 14, 5), {2, 2, 1}).grid, n);
  reference.blocks[2].block(0, Direction::north)(0, 1) = 1e100;
  auto const a = to_device<double, n, double>(this->exec, reference);
  EXPECT_THAT(message_of([&] { narrowed<float>(this->exec, a); }),
              ::testing::HasSubstr("narrow: grid block 2: block north of point (0, 0, 0): entry (0, 1) is 1e+100"));
  MultiBlockStencil7<double, n, TypeParam, float> const other(this->exec, MultiBlockGrid({Grid(2, 2, 2)}, {}));
  EXPECT_THAT(message_of([&] { narrow(this->exec, a, other); }), ::testing::HasSubstr("narrow: the copy is on"));
}

TYPED_TEST(NarrowedSeveral, copies_of_other_matrices_are_the_cause) {
  constexpr int n = 2, rows = 40;
  auto reference = random_csr(rows, n);
  for (int row = 0; row < rows; ++row) {
    for (int r = 0; r < n; ++r) reference.blocks[block_at(reference, row, row)](r, r) += 4.0 * n;
  }
  auto negative = reference;
  for (auto& block : negative.blocks) {
    for (auto& entry : block.entries) entry = -entry;
  }
  auto const a = to_device<double, n, double>(this->exec, reference);
  NarrowedMatrix const other(a, narrowed<float>(this->exec, to_device<double, n, double>(this->exec, negative)));
  using Vectors = PointVectors<double, n, 2, TypeParam>;
  auto const solve = [&]<template <class> class Method>(int iterations) {
    Vectors const b(this->exec, rows), x(this->exec, rows);
    Kokkos::deep_copy(this->exec, b.flat(), 1.0);
    Method<Vectors> const method(this->exec, rows, {.tolerance = 1e-12, .max_iterations = iterations});
    return method.solve(this->exec, other, IdentityPreconditioner(), b, x);
  };
  auto const check = [&](const auto& results) {
    for (auto const& result : results) {
      EXPECT_FALSE(result.converged());
      EXPECT_THAT(result.message(), ::testing::HasSubstr(": the copy is not of A as it is now, but differs in block"));
    }
  };
  check(solve.template operator()<SimultaneousBiCgStab>(4));
  check(solve.template operator()<SimultaneousFgmres>(20));
  // BiCGStab turns to A itself, and converges with more of them.
  for (auto const& result : solve.template operator()<SimultaneousBiCgStab>(100)) {
    EXPECT_TRUE(result.converged()) << result.message();
    EXPECT_EQ(result.cause, "");
  }

  MultiBlockReference blocks(cut_grid(Grid(9, 14, 5), {2, 2, 1}).grid, n);
  auto const copy = narrowed<float>(this->exec, to_device<double, n, double>(this->exec, blocks));
  blocks.blocks[2].block(0, Direction::north)(0, 1) = 7.0;
  EXPECT_EQ(describe_other_copy(this->exec, to_device<double, n, double>(this->exec, blocks), copy),
            "grid block 2: the copy is not of A as it is now, but differs in block north of point (0, 0, 0)");
}

}  // namespace
}  // namespace hyperplane::test::narrowed_several
