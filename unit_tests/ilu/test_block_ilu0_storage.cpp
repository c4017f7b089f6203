// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/ilu/block_ilu0.hpp>

#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/solver_paths.hpp"
#include "support/transfer.hpp"

// Where values are kept and what may alias: storage of the matrix other than that of the factors, solves in place.
namespace hyperplane::test::ilu0_storage {
namespace {

template <class Exec>
class BlockIlu0Storage : public ::testing::Test {};
TYPED_TEST_SUITE(BlockIlu0Storage, ExecutionSpaces, SpaceNames);

constexpr int n = 3;

std::vector<Grid> grids() { return {Grid(1, 1, 1), Grid(5, 4, 3), Grid(4, 19, 3), Grid(1, 33, 2)}; }

template <class Scalar, class MatrixStorage, class Storage, class Exec>
std::vector<double> factor_and_solve(const Exec& exec, const ReferenceStencil& reference,
                                     const std::vector<double>& rhs, const SolverPath& path) {
  auto const b = to_device<Scalar, n>(exec, reference.grid, rhs);
  BlockVector<Scalar, n, Exec> const x(exec, reference.grid);
  auto ilu = path.make<BlockIlu0<Scalar, n, Exec, Storage>>(exec, reference.grid);
  ilu.factor(exec, to_device<Scalar, n, MatrixStorage>(exec, reference));
  ilu.solve(exec, b, x);
  EXPECT_TRUE(ilu.status(exec).ok()) << ilu.status(exec).message();
  return to_host(exec, x);
}

TYPED_TEST(BlockIlu0Storage, of_the_matrix_need_not_be_that_of_the_factors) {
  TypeParam const exec;
  for (auto const& grid : grids()) {
    auto const reference = random_stencil(grid, n);
    auto rounded = reference;
    for (auto& blocks : rounded.blocks) {
      for (auto& block : blocks) {
        for (auto& entry : block.entries) entry = static_cast<float>(entry);
      }
    }
    auto const rhs = random_vector(grid.size() * n);
    for (SolverPath const path : solver_paths_of<TypeParam>()) {
      SCOPED_TRACE(to_string(grid) + ", path " + name(path));
      // A matrix kept as float is the matrix of the rounded values, whatever keeps the factors.
      EXPECT_TRUE(bitwise_equal(factor_and_solve<double, float, double>(exec, reference, rhs, path),
                                factor_and_solve<double, double, double>(exec, rounded, rhs, path)));
      EXPECT_TRUE(bitwise_equal(factor_and_solve<double, float, float>(exec, reference, rhs, path),
                                factor_and_solve<double, double, float>(exec, rounded, rhs, path)));
      EXPECT_TRUE(near(factor_and_solve<double, double, float>(exec, reference, rhs, path),
                       ReferenceIlu0(reference).solve(rhs), rounding<float>(20, n)));
    }
  }
}

TYPED_TEST(BlockIlu0Storage, narrow_is_computed_with_in_full_precision) {
  // Diagonal blocks that are exact in float in every step: what is left is arithmetic in double.
  TypeParam const exec;
  Grid const grid(4, 19, 3);
  ReferenceStencil reference(grid, n);
  for (auto& blocks : reference.blocks) {
    for (int r = 0; r < n; ++r) blocks[static_cast<int>(Direction::center)](r, r) = 0.5;
  }
  auto const rhs = random_vector(grid.size() * n);
  auto expected = rhs;
  for (auto& value : expected) value *= 2.0;
  for (SolverPath const path : solver_paths_of<TypeParam>()) {
    EXPECT_TRUE(bitwise_equal(factor_and_solve<double, float, float>(exec, reference, rhs, path), expected));
  }
}

TYPED_TEST(BlockIlu0Storage, of_the_solution_may_be_that_of_the_right_hand_side) {
  TypeParam const exec;
  for (auto const& grid : grids()) {
    auto const reference = random_stencil(grid, n);
    auto const rhs = random_vector(grid.size() * n);
    for (SolverPath const path : solver_paths_of<TypeParam>()) {
      SCOPED_TRACE(to_string(grid) + ", path " + name(path));
      auto ilu = path.make<BlockIlu0<double, n, TypeParam>>(exec, grid);
      ilu.factor(exec, to_device<double, n, double>(exec, reference));
      auto const b = to_device<double, n>(exec, grid, rhs);
      // What x held before does not matter.
      auto const x = to_device<double, n>(exec, grid, std::vector<double>(rhs.size(), 1e300));
      ilu.solve(exec, b, x);
      EXPECT_TRUE(bitwise_equal(to_host(exec, b), rhs));
      ilu.solve(exec, b, b);
      EXPECT_TRUE(bitwise_equal(to_host(exec, b), to_host(exec, x)));
    }
  }
}

TYPED_TEST(BlockIlu0Storage, of_copies_of_a_plan_is_shared) {
  TypeParam const exec;
  Grid const grid(4, 19, 3);
  auto const rhs = random_vector(grid.size() * n);
  auto const a = to_device<double, n, double>(exec, random_stencil(grid, n));
  for (SolverPath const path : solver_paths_of<TypeParam>()) {
    auto ilu = path.make<BlockIlu0<double, n, TypeParam>>(exec, grid);
    ilu.factor(exec, a);
    auto const copy = ilu;
    auto const x = to_device<double, n>(exec, grid, rhs), y = to_device<double, n>(exec, grid, rhs);
    ilu.solve(exec, x, x);
    copy.solve(exec, y, y);
    EXPECT_TRUE(bitwise_equal(to_host(exec, y), to_host(exec, x)));
  }
}

TYPED_TEST(BlockIlu0Storage, paths_agree_to_rounding) {
  // Path against path, on grids that are large for the serial reference.
  TypeParam const exec;
  auto const paths = solver_paths_of<TypeParam>();
  for (auto const& grid : {Grid(31, 37, 11), Grid(3, 131, 5), Grid(97, 9, 13)}) {
    auto const reference = random_stencil(grid, n);
    auto const rhs = random_vector(grid.size() * n);
    auto const expected = factor_and_solve<double, double, double>(exec, reference, rhs, paths.front());
    for (SolverPath const path : paths) {
      EXPECT_TRUE(
          near(factor_and_solve<double, double, double>(exec, reference, rhs, path), expected, rounding<double>(50, n)))
          << to_string(grid) << ", path " << name(path);
    }
  }
}

}  // namespace
}  // namespace hyperplane::test::ilu0_storage
