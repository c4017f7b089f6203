// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cmath>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/csr/point_vector.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/line/block_tridiagonal.hpp>
#include <hyperplane/line/line_implicit.hpp>
#include <hyperplane/line/line_implicit_csr.hpp>
#include <hyperplane/line/line_jacobi.hpp>
#include <hyperplane/sweep/choose_storage.hpp>
#include <type_traits>
#include <vector>

#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/short_factors.hpp"
#include "support/transfer.hpp"

// The line-implicit iteration, and block Jacobi inside lines, with lines of 16 bits.
namespace hyperplane::test::line_implicit_short {
namespace {

template <class Exec>
class LineImplicitShort : public ::testing::Test {};
TYPED_TEST_SUITE(LineImplicitShort, ExecutionSpaces, SpaceNames);

constexpr int n = 2;

/// Diffusion on a grid whose layers along j grow from 0.002 of a cell's width by a fifth each, with blocks that couple
/// unknowns, in units of a code.
ReferenceStencil stretched_grid(const Grid& grid) {
  auto a = random_stencil(grid, n);
  for (std::int64_t p = 0; p < grid.size(); ++p) {
    double const height = 0.002 * std::pow(1.2, grid.point(p).j);
    for (auto& entry : a.block(p, Direction::center).entries) entry *= 0.01 * height;
    for (auto const direction : stencil7_directions) {
      if (direction == Direction::center) continue;
      bool const across = direction == Direction::south || direction == Direction::north;
      double const coupling = across ? 1 / height : height;
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) a.block(p, direction)(r, c) *= 0.02 * coupling;
        a.block(p, direction)(r, r) -= coupling;
        a.block(p, Direction::center)(r, r) += coupling;
      }
    }
  }
  return in_other_units(a);
}

template <class Preconditioner, class Exec>
int iterations(const Exec& exec, const ReferenceStencil& reference, const std::vector<double>& rhs) {
  using Vector = BlockVector<double, n, Exec>;
  using Storage = typename Preconditioner::Matrix::storage_type;
  Preconditioner m(exec, reference.grid, {.directions = {LineDirection::j}});
  m.factor(exec, to_device<double, n, Storage>(exec, reference));
  EXPECT_TRUE(m.status(exec).ok()) << m.status(exec).message();
  auto const a = to_device<double, n, double>(exec, reference);
  auto const b = to_device<double, n>(exec, reference.grid, rhs);
  Vector const x(exec, reference.grid);
  auto const result =
      BiCgStab<Vector>(exec, reference.grid, {.tolerance = 1e-8, .max_iterations = 300}).solve(exec, a, m, b, x);
  EXPECT_TRUE(result.converged()) << name(result.outcome);
  return result.iterations;
}

TYPED_TEST(LineImplicitShort, takes_as_many_iterations_on_a_stretched_grid) {
  TypeParam const exec;
  auto const a = stretched_grid(Grid(11, 24, 6));
  auto const rhs = times_equations(random_vector(a.rows()), n);
  int const of_double = iterations<LineImplicit<double, n, TypeParam>>(exec, a, rhs);
  int const of_half = iterations<LineImplicit<double, n, TypeParam, Half>>(exec, a, rhs);
  using Lines = BlockTridiagonal<double, n, TypeParam, Half>;
  int const beside_float = iterations<LineImplicit<double, n, TypeParam, float, Lines>>(exec, a, rhs);
  this->RecordProperty("of_double", of_double);
  this->RecordProperty("of_half", of_half);
  EXPECT_LE(of_half, of_double + 2 + of_double / 10);
  EXPECT_LE(beside_float, of_double + 2 + of_double / 10);
}

template <class Storage, class Exec>
std::vector<double> implicit_solve(const Exec& exec, const ReferenceStencil& a, const std::vector<double>& rhs,
                                   bool transposed) {
  LineImplicit<double, n, Exec, Storage> m(exec, a.grid,
                                           {.directions = {LineDirection::j, LineDirection::i}, .sweeps = 2});
  m.factor(exec, to_device<double, n, double>(exec, a));
  auto const x = to_device<double, n>(exec, a.grid, rhs);
  if (transposed) {
    m.solve_transposed(exec, x, x);
  } else {
    m.solve(exec, x, x);
  }
  return to_host(exec, x);
}

TYPED_TEST(LineImplicitShort, is_that_of_double_to_rounding) {
  TypeParam const exec;
  auto const a = random_stencil(Grid(9, 11, 3), n);
  auto const rhs = random_vector(a.rows());
  for (bool const transposed : {false, true}) {
    EXPECT_TRUE(near(implicit_solve<Half>(exec, a, rhs, transposed), implicit_solve<double>(exec, a, rhs, transposed),
                     20 * n * unit_roundoff<Half>));
  }
}

TYPED_TEST(LineImplicitShort, is_that_of_double_along_lists) {
  TypeParam const exec;
  constexpr int points = 40;
  auto const a = to_device<double, n, double>(exec, random_csr(points, n));
  auto const lines = LineSet::lists(points, {0, 3, 8}, {4, 5, 7, 20, 21, 22, 30, 31});
  auto const rhs = random_vector(points * n);
  auto const solve = [&]<class Storage>(Storage) {
    LineImplicitCsr<double, n, TypeParam, Storage> m(exec, a, lines, {.sweeps = 2});
    m.factor(exec, a);
    PointVector<double, n, TypeParam> const x(exec, points);
    Kokkos::deep_copy(exec, x.flat(), to_view<double>(exec, rhs));
    m.solve(exec, x, x);
    return to_host(x.flat());
  };
  EXPECT_TRUE(near(solve(Half()), solve(0.0), 20 * n * unit_roundoff<Half>));
}

/// By a number of iterations, in the units of `reference` or in others.
template <class Storage, class Exec>
std::vector<double> jacobi_solve(const Exec& exec, const ReferenceStencil& reference, const std::vector<double>& rhs,
                                 const LineJacobiOptions& options, bool other_units, bool transposed) {
  LineJacobi<double, n, Exec, Storage> lines(exec, LineSet::along(reference.grid, LineDirection::j), options);
  lines.factor(exec, to_device<double, n, double>(exec, other_units ? in_other_units(reference) : reference));
  EXPECT_TRUE(lines.status(exec).ok()) << lines.status(exec).message();
  auto const given = !other_units ? rhs : transposed ? over_unknowns(rhs, n) : times_equations(rhs, n);
  auto const x = to_device<double, n>(exec, reference.grid, given);
  if (transposed) {
    lines.solve_transposed(exec, x, x);
  } else {
    lines.solve(exec, x, x);
  }
  auto const found = to_host(exec, x);
  return !other_units ? found : transposed ? times_equations(found, n) : over_unknowns(found, n);
}

TYPED_TEST(LineImplicitShort, has_lines_that_iterate_as_those_of_double) {
  TypeParam const exec;
  auto const a = random_stencil(Grid(9, 17, 3), n);
  auto const rhs = random_vector(a.rows());
  constexpr LineJacobiOptions fixed{.tolerance = 0, .max_iterations = 5};
  for (bool const transposed : {false, true}) {
    auto const expected = jacobi_solve<double>(exec, a, rhs, fixed, false, transposed);
    EXPECT_TRUE(
        near(jacobi_solve<Half>(exec, a, rhs, fixed, true, transposed), expected, 20 * n * unit_roundoff<Half>));
    EXPECT_TRUE(near(jacobi_solve<BFloat16>(exec, a, rhs, fixed, false, transposed), expected,
                     20 * n * unit_roundoff<BFloat16>));
  }
  // The criterion is in the units of unknowns, whatever blocks are stored in.
  constexpr LineJacobiOptions until{.tolerance = 1e-2, .max_iterations = 50};
  EXPECT_TRUE(near(jacobi_solve<Half>(exec, a, rhs, until, false, false),
                   jacobi_solve<double>(exec, a, rhs, until, false, false), 20 * n * unit_roundoff<Half>));
}

TYPED_TEST(LineImplicitShort, is_chosen_where_it_is_near_enough) {
  TypeParam const exec;
  auto a = random_stencil(Grid(5, 9, 3), n);
  auto const choose = [&]<class M>(std::type_identity<M>, double fraction) {
    return choose_storage<M>(exec, to_device<double, n, double>(exec, a), {.fraction = fraction},
                             {.directions = {LineDirection::j, LineDirection::i}, .sweeps = 2});
  };
  std::type_identity<LineImplicit<double, n, TypeParam>> const direct;
  EXPECT_EQ(choose(direct, 0.05), StorageKind::half);
  EXPECT_EQ(choose(direct, 1e-5), StorageKind::single_precision);
  EXPECT_EQ(choose(direct, 0), StorageKind::double_precision);
  // Whatever the type that is given, the matrix stays the same.
  using Jacobi = LineImplicit<double, n, TypeParam, Half, LineJacobi<double, n, TypeParam, Half>>;
  EXPECT_EQ(choose(std::type_identity<Jacobi>{}, 1e-5), StorageKind::single_precision);
  MultiBlockStencil7<double, n, TypeParam> const of_one(exec, MultiBlockGrid({a.grid}));
  Kokkos::deep_copy(exec, of_one.block(0).flat(), to_device<double, n, double>(exec, a).flat());
  EXPECT_EQ((choose_storage<MultiBlock<LineImplicit<double, n, TypeParam>>>(exec, of_one)), StorageKind::half);
  a.block(a.grid.index(2, 4, 1), Direction::north)(1, 0) = 1e7;
  EXPECT_EQ(choose(direct, 0.9), StorageKind::bfloat16);
}

TYPED_TEST(LineImplicitShort, has_a_status_for_blocks_that_are_too_large) {
  TypeParam const exec;
  Grid const grid(3, 19, 2);
  Point const bad{1, 7, 1};
  auto a = random_stencil(grid, n);
  a.block(grid.index(bad), Direction::north)(1, 0) = 1e7;
  LineJacobi<double, n, TypeParam, Half> lines(exec, LineSet::along(grid, LineDirection::j));
  lines.factor(exec, to_device<double, n, double>(exec, a));
  auto const status = lines.status(exec);
  EXPECT_EQ(status.failure, FactorFailure::overflow) << status.message();
  EXPECT_EQ(status.grid_point, bad);
}

}  // namespace
}  // namespace hyperplane::test::line_implicit_short
