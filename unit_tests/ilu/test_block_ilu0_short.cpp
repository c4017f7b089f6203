// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <limits>

#include "support/execution_spaces.hpp"
#include "support/least_team.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/short_factors.hpp"
#include "support/transfer.hpp"

// Factors of 16 bits.
namespace hyperplane::test::ilu0_short {
namespace {

template <class Exec>
class BlockIlu0Short : public ::testing::Test {};
TYPED_TEST_SUITE(BlockIlu0Short, ExecutionSpaces, SpaceNames);

template <int n, class Storage, class Exec, class Scalar = double>
using Ilu = BlockIlu0<Scalar, n, Exec, Storage>;

template <int n, class Storage, class Exec>
void compare_in_both_scalars(const Exec& exec) {
  compare_with_double<Ilu<n, Storage, Exec>, Ilu<n, double, Exec>>(exec);
  compare_with_double<Ilu<n, Storage, Exec, float>, Ilu<n, double, Exec>>(exec);
}

TYPED_TEST(BlockIlu0Short, are_those_of_double_to_rounding) {
  TypeParam const exec;
  compare_in_both_scalars<1, Half>(exec);
  compare_in_both_scalars<4, Half>(exec);
  compare_in_both_scalars<5, Half>(exec);
  compare_in_both_scalars<1, BFloat16>(exec);
  compare_in_both_scalars<3, BFloat16>(exec);
  compare_in_both_scalars<5, BFloat16>(exec);
}

TYPED_TEST(BlockIlu0Short, do_not_depend_on_units) {
  TypeParam const exec;
  compare_in_other_units<Ilu<1, Half, TypeParam>, Ilu<1, double, TypeParam>>(exec);
  compare_in_other_units<Ilu<5, Half, TypeParam>, Ilu<5, double, TypeParam>>(exec);
  compare_in_other_units<Ilu<5, BFloat16, TypeParam>, Ilu<5, double, TypeParam>>(exec);
}

TYPED_TEST(BlockIlu0Short, do_not_depend_on_rows_that_are_much_larger) {
  // As where values are prescribed by a large number on the diagonal.
  TypeParam const exec;
  constexpr int n = 4;
  Grid const grid(9, 17, 5);
  auto reference = in_other_units(random_stencil(grid, n));
  auto rhs = random_vector(grid.size() * n);
  for (std::int64_t p = 0; p < grid.size(); p += 7) {
    for (int r = 0; r < n; ++r) {
      reference.block(p, Direction::center)(r, r) = 1e25;
      rhs[static_cast<std::size_t>(p * n + r)] *= 1e25;
    }
  }
  for (SweepPath const path : paths_of<TypeParam>()) {
    auto const expected = factor_and_solve_short<Ilu<n, double, TypeParam>>(exec, reference, rhs, {.path = path});
    auto const found = factor_and_solve_short<Ilu<n, Half, TypeParam>>(exec, reference, rhs, {.path = path});
    EXPECT_TRUE(near(over_unknowns(found, n), over_unknowns(expected, n), 10 * n * unit_roundoff<Half>)) << name(path);
  }
}

TYPED_TEST(BlockIlu0Short, have_the_same_bits_for_any_number_of_threads) {
  TypeParam const exec;
  constexpr int n = 3;
  auto const reference = random_stencil(Grid(9, 33, 5), n);
  auto const rhs = random_vector(reference.grid.size() * n);
  for (SweepPath const path : paths_of<TypeParam>()) {
    std::vector<double> of_one;
    {
      LeastTeam const team(never_teams);
      of_one = factor_and_solve_short<Ilu<n, Half, TypeParam>>(exec, reference, rhs, {.path = path});
    }
    LeastTeam const team(always_teams);
    EXPECT_TRUE(
        bitwise_equal(factor_and_solve_short<Ilu<n, Half, TypeParam>>(exec, reference, rhs, {.path = path}), of_one))
        << name(path);
  }
}

template <int n, class Storage, class Exec>
FactorStatus status_of(const Exec& exec, const ReferenceStencil& a, SweepPath path) {
  BlockIlu0<double, n, Exec, Storage> ilu(exec, a.grid, {.path = path});
  ilu.factor(exec, to_device<double, n, double>(exec, a));
  return ilu.status(exec);
}

TYPED_TEST(BlockIlu0Short, that_are_too_large_are_a_status) {
  TypeParam const exec;
  constexpr int n = 2;
  Grid const grid(5, 19, 4);
  Point const bad{2, 10, 1};
  for (auto const direction :
       {Direction::west, Direction::south, Direction::bottom, Direction::east, Direction::north, Direction::top}) {
    for (SweepPath const path : paths_of<TypeParam>()) {
      SCOPED_TRACE(std::string(name(direction)) + ", path " + name(path));
      auto a = random_stencil(grid, n);
      // What the neighbour has for the point is nothing, so that no pivot block is large.
      auto const other = grid.index(neighbour(bad, direction));
      for (auto& entry : a.block(other, opposite(direction)).entries) entry = 0;
      a.block(grid.index(bad), direction)(1, 0) = 1e7;
      auto const status = status_of<n, Half>(exec, a, path);
      EXPECT_EQ(status.failure, FactorFailure::overflow) << status.message();
      EXPECT_EQ(status.point, bad);
      auto const of_range = status_of<n, BFloat16>(exec, a, path);
      EXPECT_TRUE(of_range.ok()) << of_range.message();
      a.block(grid.index(bad), direction)(1, 0) = 1e40;
      auto const larger = status_of<n, BFloat16>(exec, a, path);
      EXPECT_EQ(larger.failure, FactorFailure::overflow) << larger.message();
      EXPECT_EQ(larger.point, bad);
    }
  }
}

TYPED_TEST(BlockIlu0Short, of_what_is_not_finite_are_no_overflow) {
  TypeParam const exec;
  Grid const grid(5, 19, 4);
  Point const bad{2, 10, 1};
  for (double const value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (auto const direction : stencil7_directions) {
      auto a = random_stencil(grid, 2);
      a.block(grid.index(bad), direction)(1, 0) = value;
      for (SweepPath const path : paths_of<TypeParam>()) {
        SCOPED_TRACE(std::to_string(value) + " in " + name(direction) + ", path " + name(path));
        auto const status = status_of<2, Half>(exec, a, path);
        EXPECT_EQ(status.failure, FactorFailure::not_finite) << status.message();
        EXPECT_EQ(status.block, (BlockPlace{bad, direction})) << status.message();
      }
    }
  }
}

TYPED_TEST(BlockIlu0Short, do_not_depend_on_what_points_out_of_the_grid) {
  TypeParam const exec;
  constexpr int n = 3;
  auto const reference = random_stencil(Grid(5, 19, 4), n);
  auto outside = reference;
  for (std::int64_t p = 0; p < outside.grid.size(); ++p) {
    for (auto const direction : stencil7_directions) {
      if (outside.grid.contains(neighbour(outside.grid.point(p), direction))) continue;
      for (auto& entry : outside.block(p, direction).entries) entry = 1e100;
    }
  }
  auto const rhs = random_vector(reference.grid.size() * n);
  for (SweepPath const path : paths_of<TypeParam>()) {
    EXPECT_TRUE(bitwise_equal(factor_and_solve_short<Ilu<n, Half, TypeParam>>(exec, outside, rhs, {.path = path}),
                              factor_and_solve_short<Ilu<n, Half, TypeParam>>(exec, reference, rhs, {.path = path})));
    EXPECT_TRUE(
        bitwise_equal(factor_and_solve_short<Ilu<n, BFloat16, TypeParam>>(exec, outside, rhs, {.path = path}),
                      factor_and_solve_short<Ilu<n, BFloat16, TypeParam>>(exec, reference, rhs, {.path = path})));
  }
}

TYPED_TEST(BlockIlu0Short, are_computed_with_in_full_precision) {
  // Diagonal blocks that are exact in every step: what is left is arithmetic in double.
  TypeParam const exec;
  constexpr int n = 3;
  ReferenceStencil reference(Grid(4, 19, 3), n);
  for (auto& blocks : reference.blocks) {
    for (int r = 0; r < n; ++r) blocks[static_cast<int>(Direction::center)](r, r) = 0.5;
  }
  auto const rhs = random_vector(reference.grid.size() * n);
  auto expected = rhs;
  for (auto& value : expected) value *= 2.0;
  for (SweepPath const path : paths_of<TypeParam>()) {
    EXPECT_TRUE(
        bitwise_equal(factor_and_solve_short<Ilu<n, Half, TypeParam>>(exec, reference, rhs, {.path = path}), expected));
    EXPECT_TRUE(bitwise_equal(factor_and_solve_short<Ilu<n, BFloat16, TypeParam>>(exec, reference, rhs, {.path = path}),
                              expected));
  }
}

TYPED_TEST(BlockIlu0Short, take_the_path_that_factors_of_doubles_take) {
  if constexpr (CudaExecutionSpace<TypeParam>) {
    TypeParam const exec;
    for (auto const& grid : {Grid(3, 3, 3), Grid(9, 17, 5), Grid(300, 300, 20)}) {
      auto const expected = Ilu<3, double, TypeParam>(exec, grid).path();
      EXPECT_EQ((Ilu<3, Half, TypeParam>(exec, grid).path()), expected) << to_string(grid);
      EXPECT_EQ((Ilu<3, BFloat16, TypeParam>(exec, grid).path()), expected) << to_string(grid);
    }
  }
}

template <int n, class Storage, class Scalar = double, class Exec>
void compare_bits_of_paths(const Exec& exec) {
  using Plan = Ilu<n, Storage, Exec, Scalar>;
  for (auto const& grid : {Grid(1, 1, 1), Grid(9, 35, 37), Grid(40, 17, 3)}) {
    // In units that a float has, too.
    auto const reference =
        sizeof(Scalar) == sizeof(double) ? in_other_units(random_stencil(grid, n)) : random_stencil(grid, n);
    auto const rhs = random_vector(grid.size() * n);
    auto const expected = factor_and_solve_short<Plan>(exec, reference, rhs, {.path = SweepPath::portable});
    for (SweepPath const path : paths_of<Exec>()) {
      SCOPED_TRACE(to_string(grid) + ", path " + name(path));
      EXPECT_TRUE(bitwise_equal(factor_and_solve_short<Plan>(exec, reference, rhs, {.path = path}), expected));
      auto const x = to_device<Scalar, n>(exec, grid, rhs);
      Plan plan(exec, grid, {.path = path});
      plan.factor(exec, to_device<Scalar, n, Scalar>(exec, reference));
      plan.forward(exec, x, x);
      plan.backward(exec, x, x);
      EXPECT_TRUE(bitwise_equal(to_host(exec, x), expected)) << "one half after the other";
    }
  }
}

TYPED_TEST(BlockIlu0Short, have_the_same_bits_on_all_paths_of_devices) {
  if constexpr (CudaExecutionSpace<TypeParam>) {
    TypeParam const exec;
    compare_bits_of_paths<1, Half>(exec);
    compare_bits_of_paths<5, Half>(exec);
    compare_bits_of_paths<5, Half, float>(exec);
    compare_bits_of_paths<1, BFloat16>(exec);
    compare_bits_of_paths<5, BFloat16>(exec);
  }
}

}  // namespace
}  // namespace hyperplane::test::ilu0_short
