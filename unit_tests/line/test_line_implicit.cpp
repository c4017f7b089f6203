// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/line/line_implicit.hpp>
#include <hyperplane/line/line_jacobi.hpp>
#include <type_traits>

#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/line_implicit_reference.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

namespace hyperplane::test {
namespace {

using enum LineDirection;

template <class Exec>
class LineImplicitTest : public ::testing::Test {};
TYPED_TEST_SUITE(LineImplicitTest, ExecutionSpaces, SpaceNames);

std::vector<double> reference_sweeps(const ReferenceStencil& a, const LineImplicitOptions& options,
                                     const std::vector<double>& b, std::vector<double> x) {
  for (int sweep = 0; sweep < options.sweeps; ++sweep) {
    for (auto const direction : options.directions) {
      x = line_implicit_sweep(a, direction, options.relaxation, b, x, solve_exactly);
    }
  }
  return x;
}

template <class Lines, class Scalar, int n, class Storage, class Exec>
std::vector<double> solve_with(const Exec& exec, const ReferenceStencil& a, const std::vector<double>& b,
                               const LineImplicitOptions& options) {
  LineImplicit<Scalar, n, Exec, Storage, Lines> lines(exec, a.grid, options);
  lines.factor(exec, to_device<Scalar, n, Storage>(exec, a));
  auto const x = to_device<Scalar, n>(exec, a.grid, b);
  lines.solve(exec, x, x);
  EXPECT_TRUE(lines.status(exec).ok()) << lines.status(exec).message();
  return to_host(exec, x);
}

template <class Scalar, int n, class Storage, class Exec>
std::vector<double> solve_in_place(const Exec& exec, const ReferenceStencil& a, const std::vector<double>& b,
                                   const LineImplicitOptions& options) {
  return solve_with<BlockTridiagonal<Scalar, n, Exec, Storage>, Scalar, n, Storage>(exec, a, b, options);
}

template <class Scalar, int n, class Storage, class Exec>
void compare_with_reference(const Exec& exec, const std::vector<LineImplicitOptions>& variants) {
  for (auto const& grid : {Grid(1, 1, 1), Grid(5, 4, 3), Grid(17, 2, 9), Grid(9, 17, 5), Grid(1, 7, 1)}) {
    auto const a = random_stencil(grid, n);
    auto const b = random_vector(a.rows());
    for (auto const& options : variants) {
      EXPECT_TRUE(near(solve_in_place<Scalar, n, Storage>(exec, a, b, options),
                       reference_sweeps(a, options, b, std::vector<double>(b.size(), 0.0)), rounding<Storage>(100, n)))
          << to_string(grid) << ", n = " << n << ", first direction " << name(options.directions.front()) << ", "
          << options.sweeps << " sweeps, w = " << options.relaxation;
    }
  }
}

TYPED_TEST(LineImplicitTest, is_the_serial_reference_in_every_direction) {
  std::vector<LineImplicitOptions> variants;
  for (auto const direction : {i, j, k}) {
    variants.push_back({.directions = {direction}});
    variants.push_back({.directions = {direction}, .sweeps = 3});
  }
  compare_with_reference<double, 2, double>(TypeParam(), variants);
}

TYPED_TEST(LineImplicitTest, is_the_serial_reference_for_directions_in_turn_and_relaxation) {
  std::vector<LineImplicitOptions> const variants = {{.directions = {j, i}},
                                                     {.directions = {k, j, i}, .sweeps = 2},
                                                     {.directions = {j}, .relaxation = 0.7},
                                                     {.directions = {i, k}, .sweeps = 2, .relaxation = 1.2}};
  compare_with_reference<double, 2, double>(TypeParam(), variants);
  compare_with_reference<double, 5, double>(TypeParam(), {variants.back()});
  compare_with_reference<double, 4, float>(TypeParam(), {variants.back()});
}

TYPED_TEST(LineImplicitTest, iterates_from_the_x_that_is_given) {
  TypeParam const exec;
  constexpr int n = 2;
  auto const a = random_stencil(Grid(6, 9, 4), n);
  auto const b = random_vector(a.rows(), 3), start = random_vector(a.rows(), 4);
  auto const matrix = to_device<double, n, double>(exec, a);
  for (LineImplicitOptions const& options :
       {LineImplicitOptions{.directions = {j}}, LineImplicitOptions{.directions = {j, k}, .relaxation = 0.9},
        LineImplicitOptions{.directions = {i}, .sweeps = 3}}) {
    LineImplicit<double, n, TypeParam> lines(exec, a.grid, options);
    lines.factor(exec, matrix);
    auto const rhs = to_device<double, n>(exec, a.grid, b);
    auto const x = to_device<double, n>(exec, a.grid, start);
    lines.iterate(exec, rhs, x);
    EXPECT_TRUE(near(to_host(exec, x), reference_sweeps(a, options, b, start), rounding<double>(100, n)));
    EXPECT_TRUE(bitwise_equal(to_host(exec, rhs), b)) << "the right-hand side is kept";
    EXPECT_THROW(lines.iterate(exec, x, x), Error);
  }
}

TYPED_TEST(LineImplicitTest, is_exact_on_a_grid_that_is_one_line) {
  TypeParam const exec;
  constexpr int n = 5;
  std::vector<std::pair<Grid, LineDirection>> const cases = {
      {Grid(23, 1, 1), i}, {Grid(1, 23, 1), j}, {Grid(1, 1, 23), k}};
  for (auto const& [grid, direction] : cases) {
    auto const a = random_stencil(grid, n);
    auto const solution = random_vector(a.rows());
    EXPECT_TRUE(near(solve_in_place<double, n, double>(exec, a, a.apply(solution), {.directions = {direction}}),
                     solution, rounding<double>(100, n)));
  }
}

TYPED_TEST(LineImplicitTest, keeps_the_solution_where_it_is) {
  // A x = b is a fixed point whatever the splitting and the relaxation.
  TypeParam const exec;
  constexpr int n = 2;
  auto const a = random_stencil(Grid(7, 8, 9), n);
  auto const solution = random_vector(a.rows());
  auto const b = to_device<double, n>(exec, a.grid, a.apply(solution));
  auto const x = to_device<double, n>(exec, a.grid, solution);
  LineImplicit<double, n, TypeParam> lines(exec, a.grid, {.directions = {k, i, j}, .sweeps = 2, .relaxation = 1.3});
  lines.factor(exec, to_device<double, n, double>(exec, a));
  lines.iterate(exec, b, x);
  EXPECT_TRUE(near(to_host(exec, x), solution, rounding<double>(100, n)));
}

/// Diffusion that is a thousand times as strong along j, as on cells a factor of 32 longer than high.
ReferenceStencil anisotropic_stencil(const Grid& grid, int n) {
  ReferenceStencil a(grid, n);
  for (auto& blocks : a.blocks) {
    for (auto const d : stencil7_directions) {
      double const strength = d == Direction::south || d == Direction::north ? 1000.0 : 1.0;
      for (int c = 0; c < n; ++c) {
        blocks[static_cast<int>(d)](c, c) = d == Direction::center ? 2 * (1000.0 + 1.0 + 1.0) : -strength;
        if (d == Direction::center) blocks[static_cast<int>(d)](c, (c + 1) % n) += 0.5;
      }
    }
  }
  return a;
}

TYPED_TEST(LineImplicitTest, lines_along_the_strong_coupling_beat_block_jacobi_and_other_lines) {
  TypeParam const exec;
  constexpr int n = 2;
  Grid const grid(10, 30, 8);
  auto const a = to_device<double, n, double>(exec, anisotropic_stencil(grid, n));
  auto const b = to_device<double, n>(exec, grid, random_vector(grid.size() * n));
  using Vector = BlockVector<double, n, TypeParam>;
  auto const iterations = [&](const auto& method, auto&& preconditioner) {
    preconditioner.factor(exec, a);
    Vector const x(exec, grid);
    auto const result = method.solve(exec, a, preconditioner, b, x);
    EXPECT_TRUE(result.converged());
    return result.iterations;
  };
  auto const along = [&](std::vector<LineDirection> directions) {
    return LineImplicit<double, n, TypeParam>(exec, grid, {.directions = std::move(directions)});
  };
  BiCgStab<Vector> const method(exec, grid, {.tolerance = 1e-8, .max_iterations = 500});
  int const jacobi = iterations(method, BlockJacobi<double, n, TypeParam>(exec, grid));
  int const right = iterations(method, along({j}));
  EXPECT_LT(3 * right, jacobi);
  EXPECT_LT(3 * right, iterations(method, along({i})));
  EXPECT_LE(iterations(method, along({j, i, k})), right);

  Fgmres<Vector> const flexible(exec, grid, {.tolerance = 1e-8, .max_iterations = 500, .restart = 60});
  using Inexact = LineImplicit<double, n, TypeParam, double, LineJacobi<double, n, TypeParam>>;
  EXPECT_LE(iterations(flexible, Inexact(exec, grid, {.directions = {j}}, {.tolerance = 1e-4, .max_iterations = 400})),
            iterations(flexible, along({j})) + 2);
}

TYPED_TEST(LineImplicitTest, allocates_nothing_and_fences_nothing) {
  auto const exec = OtherInstance<TypeParam>::make();
  Grid const grid(9, 10, 4);
  auto const a = to_device<double, 2, double>(exec, random_stencil(grid, 2));
  auto const x = to_device<double, 2>(exec, grid, random_vector(grid.size() * 2));
  auto const check = [&]<class Lines>(std::type_identity<Lines>) {
    LineImplicit<double, 2, TypeParam, double, Lines> lines(exec, grid,
                                                            {.directions = {i, j, k}, .sweeps = 2, .relaxation = 0.9});
    exec.fence();
    KokkosEvents const events;
    lines.factor(exec, a);
    EXPECT_EQ(events.kernels().size(), 3 * 2u);
    lines.solve(exec, x, x);
    EXPECT_EQ(events.kernels().size(), 3 * 2u + 6 * 3u - 1) << "the first sweep has no rest";
    EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
    EXPECT_THAT(events.fences(), ::testing::IsEmpty());
    EXPECT_THAT(events.copies(), ::testing::IsEmpty());
    for (auto const& kernel : events.kernels()) {
      EXPECT_THAT(kernel.label, ::testing::StartsWith("Hyperplane::"));
      EXPECT_EQ(kernel.device_and_instance, Kokkos::Tools::Experimental::device_id(exec)) << kernel.label;
    }
  };
  check(std::type_identity<BlockTridiagonal<double, 2, TypeParam>>{});
  check(std::type_identity<LineJacobi<double, 2, TypeParam>>{});
}

TYPED_TEST(LineImplicitTest, names_a_singular_pivot_and_refuses_misuse) {
  TypeParam const exec;
  Grid const grid(5, 11, 3);
  auto reference = random_stencil(grid, 2);
  for (auto const d : {Direction::center, Direction::south}) {
    for (int c = 0; c < 2; ++c) reference.block(grid.index(3, 9, 1), d)(1, c) = 0.0;
  }
  LineImplicit<double, 2, TypeParam> lines(exec, grid, {.directions = {j}});
  BlockVector<double, 2, TypeParam> const x(exec, grid), wrong(exec, Grid(11, 5, 3));
  EXPECT_THROW(lines.solve(exec, x, x), Error);
  lines.factor(exec, to_device<double, 2, double>(exec, reference));
  auto const status = lines.status(exec);
  EXPECT_EQ(status.grid_point, (Point{3, 9, 1}));
  EXPECT_EQ(status.line, 3 + 5 * 1);
  EXPECT_EQ(status.position, 9);
  EXPECT_EQ(status.equation, 1);
  EXPECT_EQ(status.direction, j);
  EXPECT_THAT(status.message(), ::testing::HasSubstr("on line 8 along j at position 9, point"));
  EXPECT_THROW(lines.factor(exec, BlockStencil7<double, 2, TypeParam>(exec, wrong.grid())), Error);
  EXPECT_THROW(lines.solve(exec, wrong, x), Error);
  EXPECT_THROW(lines.solve(exec, x, wrong), Error);

  auto const message = [&](const LineImplicitOptions& options) -> std::string {
    try {
      LineImplicit<double, 2, TypeParam> const refused(exec, grid, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(message({.directions = {}}), HasSubstr("no direction"));
  EXPECT_THAT(message({.sweeps = 0}), HasSubstr("sweeps is 0"));
  EXPECT_THAT(message({.relaxation = 2.0}), HasSubstr("relaxation is 2, "));
}

TYPED_TEST(LineImplicitTest, keeps_padding_of_the_solution_zero) {
  TypeParam const exec;
  Grid const grid(5, 11, 3);
  auto const check = [&]<class Lines>(std::type_identity<Lines>) {
    for (auto const direction : {i, j, k}) {
      LineImplicit<double, 2, TypeParam, double, Lines> lines(
          exec, grid, {.directions = {direction}, .sweeps = 2, .relaxation = 0.9});
      lines.factor(exec, to_device<double, 2, double>(exec, random_stencil(grid, 2)));
      auto const x = to_device<double, 2>(exec, grid, random_vector(grid.size() * 2));
      lines.solve(exec, x, x);
      exec.fence();
      auto const flat = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, x.flat());
      std::int64_t nonzero = 0;
      for (std::size_t e = 0; e < flat.size(); ++e) nonzero += flat(e) != 0.0;
      EXPECT_EQ(nonzero, grid.size() * 2) << name(direction);
    }
  };
  check(std::type_identity<BlockTridiagonal<double, 2, TypeParam>>{});
  check(std::type_identity<LineJacobi<double, 2, TypeParam>>{});
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST(LineImplicitOpenMp, the_same_bits_for_1_2_and_4_threads) {
  auto const a = random_stencil(Grid(9, 40, 6), 5);
  auto const b = random_vector(a.rows());
  auto const check = [&]<class Lines>(std::type_identity<Lines>) {
    LineImplicitOptions const options{.directions = {i, j, k}, .relaxation = 0.9};
    auto const expected = solve_with<Lines, double, 5, double>(Kokkos::OpenMP(1), a, b, options);
    for (int const threads : {2, 4}) {
      EXPECT_TRUE(
          bitwise_equal(solve_with<Lines, double, 5, double>(Kokkos::OpenMP(threads), a, b, options), expected));
    }
  };
  check(std::type_identity<BlockTridiagonal<double, 5, Kokkos::OpenMP>>{});
  check(std::type_identity<LineJacobi<double, 5, Kokkos::OpenMP>>{});
}
#endif

}  // namespace
}  // namespace hyperplane::test
