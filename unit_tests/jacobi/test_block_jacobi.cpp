// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/richardson.hpp>

#include "support/adjoint_systems.hpp"
#include "support/execution_spaces.hpp"
#include "support/kokkos_events.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/short_factors.hpp"
#include "support/transfer.hpp"
#include "support/transposed_reference.hpp"

namespace hyperplane::test {
namespace {

template <class Exec>
class BlockJacobiTest : public ::testing::Test {};
TYPED_TEST_SUITE(BlockJacobiTest, ExecutionSpaces, SpaceNames);

template <int n, class Storage, class Exec>
void check(const Exec& exec, const Grid& grid) {
  auto const reference = random_stencil(grid, n);
  auto const rhs = random_vector(grid.size() * n);
  std::vector<double> expected;
  for (std::int64_t p = 0; p < grid.size(); ++p) {
    auto const x = inverse(reference.block(p, Direction::center)) *
                   std::vector<double>(rhs.begin() + p * n, rhs.begin() + (p + 1) * n);
    expected.insert(expected.end(), x.begin(), x.end());
  }
  BlockJacobi<double, n, Exec, Storage> jacobi(exec, grid);
  jacobi.factor(exec, to_device<double, n, double>(exec, reference));
  auto const x = to_device<double, n>(exec, grid, rhs);
  jacobi.solve(exec, x, x);
  EXPECT_TRUE(jacobi.status(exec).ok());
  EXPECT_TRUE(near(to_host(exec, x), expected, rounding<Storage>(100, n))) << to_string(grid) << " n = " << n;

  auto const y = to_device<double, n>(exec, grid, rhs);
  jacobi.solve_transposed(exec, y, y);
  auto const adjoint = to_host(exec, y);
  std::vector<double> product;
  for (std::int64_t p = 0; p < grid.size(); ++p) {
    auto const b = transposed_dense(reference.block(p, Direction::center)) *
                   std::vector<double>(adjoint.begin() + p * n, adjoint.begin() + (p + 1) * n);
    product.insert(product.end(), b.begin(), b.end());
  }
  EXPECT_TRUE(near(product, rhs, rounding<Storage>(100, n))) << to_string(grid) << " n = " << n;
}

TYPED_TEST(BlockJacobiTest, inverts_diagonal_blocks) {
  TypeParam const exec;
  for (auto const& grid : {Grid(1, 1, 1), Grid(5, 11, 3), Grid(17, 2, 9)}) {
    check<1, double>(exec, grid);
    check<5, double>(exec, grid);
    check<4, float>(exec, grid);
  }
}

TYPED_TEST(BlockJacobiTest, preconditions_adjoint_systems) {
  TypeParam const exec;
  constexpr int n = 3;
  Grid const grid(6, 9, 5);
  using Vector = BlockVector<double, n, TypeParam>;
  auto const reference = random_stencil(grid, n);
  auto const a = to_device<double, n, double>(exec, reference);
  BlockJacobi<double, n, TypeParam> jacobi(exec, grid);
  jacobi.factor(exec, a);
  expect_adjoint_solved(exec, reference, jacobi,
                        BiCgStab<Vector>(exec, grid, {.tolerance = 1e-10, .max_iterations = 100}),
                        Fgmres<Vector>(exec, grid, {.tolerance = 1e-10, .max_iterations = 100}),
                        Richardson<Vector>(exec, grid, {.tolerance = 1e-10, .max_iterations = 1000}));
}

TYPED_TEST(BlockJacobiTest, factor_and_solve_allocate_nothing_and_fence_nothing) {
  TypeParam const exec;
  Grid const grid(9, 10, 4);
  auto const a = to_device<double, 2, double>(exec, random_stencil(grid, 2));
  auto const x = to_device<double, 2>(exec, grid, random_vector(grid.size() * 2));
  BlockJacobi<double, 2, TypeParam> jacobi(exec, grid);
  exec.fence();
  KokkosEvents const events;
  jacobi.factor(exec, a);
  jacobi.solve(exec, x, x);
  jacobi.solve_transposed(exec, x, x);
  EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
  EXPECT_THAT(events.fences(), ::testing::IsEmpty());
  EXPECT_EQ(events.kernels().size(), 4u);
  for (auto const& kernel : events.kernels()) {
    EXPECT_THAT(kernel.label, ::testing::StartsWith("Hyperplane::"));
    EXPECT_EQ(kernel.device_and_instance, Kokkos::Tools::Experimental::device_id(exec)) << kernel.label;
  }
}

TYPED_TEST(BlockJacobiTest, names_the_first_singular_pivot_and_refuses_misuse) {
  TypeParam const exec;
  Grid const grid(5, 4, 3);
  auto reference = random_stencil(grid, 2);
  for (int c = 0; c < 2; ++c) reference.block(grid.index(3, 2, 1), Direction::center)(1, c) = 0.0;
  BlockJacobi<double, 2, TypeParam> jacobi(exec, grid);
  BlockVector<double, 2, TypeParam> const x(exec, grid);
  EXPECT_THROW(jacobi.solve(exec, x, x), Error);
  EXPECT_THROW(jacobi.solve_transposed(exec, x, x), Error);
  jacobi.factor(exec, to_device<double, 2, double>(exec, reference));
  auto const status = jacobi.status(exec);
  EXPECT_EQ(status.point, (Point{3, 2, 1}));
  EXPECT_EQ(status.equation, 1);
  EXPECT_THROW(jacobi.factor(exec, BlockStencil7<double, 2, TypeParam>(exec, Grid(4, 5, 3))), Error);
}

TYPED_TEST(BlockJacobiTest, has_inverses_of_16_bits_in_any_units) {
  TypeParam const exec;
  compare_in_any_units<BlockJacobi<double, 1, TypeParam, Half>, BlockJacobi<double, 1, TypeParam>>(exec);
  compare_in_any_units<BlockJacobi<double, 5, TypeParam, Half>, BlockJacobi<double, 5, TypeParam>>(exec);
  compare_in_any_units<BlockJacobi<double, 4, TypeParam, BFloat16>, BlockJacobi<double, 4, TypeParam>>(exec);
}

TYPED_TEST(BlockJacobiTest, inverses_that_are_too_large_are_a_status) {
  TypeParam const exec;
  Point const bad{2, 10, 1};
  auto a = random_stencil(Grid(5, 19, 4), 2);
  auto& block = a.block(a.grid.index(bad), Direction::center);
  for (auto& entry : block.entries) entry = 1e-45;
  block(1, 1) = -1e-45;
  BlockJacobi<double, 2, TypeParam, BFloat16> jacobi(exec, a.grid);
  jacobi.factor(exec, to_device<double, 2, double>(exec, a));
  auto const status = jacobi.status(exec);
  EXPECT_EQ(status.failure, FactorFailure::overflow) << status.message();
  EXPECT_EQ(status.point, bad);
}

}  // namespace
}  // namespace hyperplane::test
