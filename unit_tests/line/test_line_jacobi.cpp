// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/line/line_jacobi.hpp>

#include "support/execution_spaces.hpp"
#include "support/line_implicit_reference.hpp"
#include "support/line_transfer.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

namespace hyperplane::test {
namespace {

using enum LineDirection;

template <class Exec>
class LineJacobiTest : public ::testing::Test {};
TYPED_TEST_SUITE(LineJacobiTest, ExecutionSpaces, SpaceNames);

template <class Scalar, int n, class Storage, class Exec>
std::vector<double> jacobi_solve(const Exec& exec, const ReferenceStencil& a, const std::vector<double>& b,
                                 LineDirection direction, const LineJacobiOptions& options) {
  LineJacobi<Scalar, n, Exec, Storage> lines(exec, LineSet::along(a.grid, direction), options);
  lines.factor(exec, to_device<Scalar, n, Scalar>(exec, a));
  auto const x = to_device<Scalar, n>(exec, a.grid, b);
  lines.solve(exec, x, x);
  EXPECT_TRUE(lines.status(exec).ok()) << lines.status(exec).message();
  return to_host(exec, x);
}

template <class Scalar, int n, class Storage, class Exec>
void compare_fixed_number(const Exec& exec) {
  for (auto const& grid : {Grid(1, 1, 1), Grid(5, 4, 3), Grid(17, 2, 9), Grid(9, 17, 5)}) {
    auto const a = random_stencil(grid, n);
    auto const b = random_vector(a.rows());
    for (auto const direction : {i, j, k}) {
      for (int const iterations : {1, 2, 5}) {
        // One sweep from x = 0 has no rest: what is left is the solution of the lines.
        auto const expected = line_implicit_sweep(a, direction, 1.0, b, std::vector<double>(b.size(), 0.0),
                                                  [&](const ReferenceLine& line, const std::vector<double>& rhs) {
                                                    return solve_by_jacobi(line, rhs, 0.0, iterations);
                                                  });
        EXPECT_TRUE(near(
            jacobi_solve<Scalar, n, Storage>(exec, a, b, direction, {.tolerance = 0, .max_iterations = iterations}),
            expected, rounding<Storage>(100, n)))
            << to_string(grid) << ", n = " << n << ", direction " << name(direction) << ", " << iterations;
      }
    }
  }
}

TYPED_TEST(LineJacobiTest, is_the_serial_reference_for_a_fixed_number_of_iterations) {
  compare_fixed_number<double, 2, double>(TypeParam());
  compare_fixed_number<double, 5, double>(TypeParam());
  compare_fixed_number<double, 4, float>(TypeParam());
}

TYPED_TEST(LineJacobiTest, stops_where_the_change_is_small) {
  // On one line, whose criterion nothing else is part of.
  TypeParam const exec;
  constexpr int n = 2;
  auto const a = random_stencil(Grid(1, 20, 1), n);
  auto const b = random_vector(a.rows());
  auto const lines = LineSet::along(a.grid, j);
  auto const line = line_of_stencil(a, lines, 0);
  for (double const tolerance : {1e-1, 1e-4, 1e-8}) {
    for (int const interval : {1, 4}) {
      LineJacobiOptions const options{.tolerance = tolerance, .max_iterations = 100, .check_interval = interval};
      EXPECT_TRUE(near(jacobi_solve<double, n, double>(exec, a, b, j, options),
                       solve_by_jacobi(line, b, tolerance, 100, interval), rounding<double>(100, n)))
          << tolerance << ", " << interval;
    }
  }
}

TYPED_TEST(LineJacobiTest, comes_as_close_to_the_solution_as_asked) {
  TypeParam const exec;
  constexpr int n = 5;
  auto const a = random_stencil(Grid(7, 19, 4), n);
  auto const b = random_vector(a.rows());
  for (auto const direction : {i, j, k}) {
    auto const lines = LineSet::along(a.grid, direction);
    auto const exact = solve_lines(lines, n, b, [&](std::int64_t line) { return line_of_stencil(a, lines, line); });
    auto const close = [&](double tolerance) {
      return jacobi_solve<double, n, double>(exec, a, b, direction, {.tolerance = tolerance, .max_iterations = 200});
    };
    EXPECT_TRUE(near(close(1e-4), exact, 1e-3));
    EXPECT_FALSE(near(close(1e-4), exact, 1e-12)) << "it stops early";
    EXPECT_TRUE(near(close(1e-14), exact, 1e-12));
  }
}

template <class Scalar, int n, class Exec>
void compare_paths(const Exec& exec) {
  for (auto const& grid : {Grid(1, 1, 1), Grid(17, 2, 9), Grid(9, 35, 5)}) {
    auto const a = random_stencil(grid, n);
    auto const b = random_vector(a.rows());
    for (auto const direction : {i, j, k}) {
      // One pass between two looks at the change, several, and several without a look.
      for (LineJacobiOptions options : {LineJacobiOptions{.check_interval = 4},
                                        {.tolerance = 0, .max_iterations = 1},
                                        {.tolerance = 1e-9, .max_iterations = 29, .check_interval = 3},
                                        {.tolerance = 1e-9, .max_iterations = 60, .check_interval = 14},
                                        {.tolerance = 0, .max_iterations = 30}}) {
        auto const solve = [&](LinePath path) {
          options.path = path;
          return jacobi_solve<Scalar, n, Scalar>(exec, a, b, direction, options);
        };
        auto const expected = solve(LinePath::portable);
        for (LinePath const path : line_paths_of<Exec>(n)) {
          EXPECT_EQ(solve(path), expected) << to_string(grid) << ", " << name(direction) << ", " << name(path) << ", "
                                           << options.max_iterations << " iterations";
        }
      }
    }
  }
}

TYPED_TEST(LineJacobiTest, has_the_same_bits_on_all_paths) {
  TypeParam const exec;
  compare_paths<double, 5>(exec);
  compare_paths<float, 3>(exec);
}

/// A line of several, by number.
struct LineOf {
  const std::vector<ReferenceLine>* m_lines;
  const ReferenceLine& operator()(std::int64_t line) const { return (*m_lines)[line]; }
};

TYPED_TEST(LineJacobiTest, solves_lists_of_points) {
  TypeParam const exec;
  constexpr int n = 2;
  auto const lines = LineSet::lists(12, {0, 3, 4, 9}, {7, 1, 4, 0, 11, 2, 3, 10, 5});
  std::vector<ReferenceLine> systems;
  for (int line = 0; line < 3; ++line) systems.push_back(random_line(n, lines.length(line), line));
  LineJacobi<double, n, TypeParam> jacobi(exec, lines, {.tolerance = 1e-14, .max_iterations = 200});
  jacobi.factor(exec, to_lines<double, n, double>(exec, jacobi.layout(), LineOf{&systems}));
  auto const b = random_vector(12 * n);
  auto const x = to_view<double>(exec, b);
  Kokkos::View<double*, typename TypeParam::memory_space> const rows = x;
  jacobi.solve(exec, rows, rows);
  auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, x);
  EXPECT_TRUE(near({found.data(), found.data() + found.size()}, solve_lines(lines, n, b, LineOf{&systems}), 1e-12));
}

TYPED_TEST(LineJacobiTest, names_the_first_singular_block_and_refuses_misuse) {
  TypeParam const exec;
  Grid const grid(5, 11, 3);
  auto reference = random_stencil(grid, 2);
  for (auto const& p : {Point{4, 10, 2}, Point{3, 9, 1}}) {
    for (int c = 0; c < 2; ++c) reference.block(grid.index(p), Direction::center)(1, c) = 0.0;
  }
  LineJacobi<double, 2, TypeParam> lines(exec, LineSet::along(grid, k));
  BlockVector<double, 2, TypeParam> const x(exec, grid), wrong(exec, Grid(11, 5, 3));
  EXPECT_THROW(lines.solve(exec, x, x), Error);
  lines.factor(exec, to_device<double, 2, double>(exec, reference));
  auto const status = lines.status(exec);
  EXPECT_EQ(status.grid_point, (Point{3, 9, 1}));
  EXPECT_EQ(status.line, 3 + 5 * 9);
  EXPECT_EQ(status.position, 1);
  EXPECT_EQ(status.equation, 1);
  EXPECT_THROW(lines.solve(exec, wrong, x), Error);
  EXPECT_THROW((LineJacobi<double, 2, TypeParam>(exec, LineSet::along(grid, k, LineEnds::periodic))), Error);
  EXPECT_THROW((LineJacobi<double, 2, TypeParam>(exec, LineSet::along(grid, k), {.tolerance = -1})), Error);
  EXPECT_THROW((LineJacobi<double, 2, TypeParam>(exec, LineSet::along(grid, k), {.max_iterations = 0})), Error);
  EXPECT_THROW((LineJacobi<double, 2, TypeParam>(exec, LineSet::along(grid, k), {.check_interval = -1})), Error);
  // Blocks that no thread can hold two of.
  EXPECT_THROW((LineJacobi<double, 7, TypeParam>(exec, LineSet::along(grid, k), {.path = LinePath::staged})), Error);
}

}  // namespace
}  // namespace hyperplane::test
