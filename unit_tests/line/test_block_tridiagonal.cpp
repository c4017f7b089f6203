// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <hyperplane/line/block_tridiagonal.hpp>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/line_options.hpp"
#include "support/line_transfer.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

namespace hyperplane::test {
namespace {

template <class Exec>
class BlockTridiagonals : public ::testing::Test {};
TYPED_TEST_SUITE(BlockTridiagonals, ExecutionSpaces, SpaceNames);

constexpr auto directions = {LineDirection::i, LineDirection::j, LineDirection::k};

std::vector<Grid> grids() { return {Grid(1, 1, 1), Grid(5, 3, 4), Grid(19, 10, 2), Grid(3, 17, 9)}; }

/// The system on a grid is solved: against the reference, and A x = b on each line.
template <class Scalar, int n, class Storage, class Exec>
void check_grid(const Exec& exec, const Grid& grid, LineDirection direction, const BlockTridiagonalOptions& options) {
  SCOPED_TRACE(to_string(grid) + " along " + name(direction) + ", n = " + std::to_string(n) + ", " + describe(options));
  auto const reference = random_stencil(grid, n);
  auto const rhs = random_vector(grid.size() * n);
  auto const lines = LineSet::along(grid, direction);
  auto const expected =
      solve_lines(lines, n, rhs, [&](std::int64_t line) { return line_of_stencil(reference, lines, line); });
  BlockTridiagonal<Scalar, n, Exec, Storage> solver(exec, lines, options);
  solver.factor(exec, to_device<Scalar, n, Storage>(exec, reference));
  auto const b = to_device<Scalar, n>(exec, grid, rhs);
  BlockVector<Scalar, n, Exec> const x(exec, grid);
  solver.solve(exec, b, x);
  EXPECT_TRUE(solver.status(exec).ok()) << solver.status(exec).message();
  EXPECT_TRUE(near(to_host(exec, x), expected, rounding<Storage>(20, n)));
  solver.solve(exec, b, b);
  EXPECT_TRUE(bitwise_equal(to_host(exec, b), to_host(exec, x))) << "in place";
  // Padding is as it was.
  auto const flat = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, x.flat());
  std::size_t nonzero = 0, expected_nonzero = 0;
  for (std::size_t e = 0; e < flat.size(); ++e) nonzero += flat(e) != 0;
  for (double const value : expected) expected_nonzero += value != 0;
  EXPECT_EQ(nonzero, expected_nonzero);
}

TYPED_TEST(BlockTridiagonals, solve_lines_of_a_stencil_in_every_direction) {
  TypeParam const exec;
  for (auto const& options : line_options_of<TypeParam>()) {
    for (auto const& grid : grids()) {
      for (auto const direction : directions) {
        check_grid<double, 1, double>(exec, grid, direction, options);
        check_grid<double, 5, double>(exec, grid, direction, options);
      }
    }
  }
}

TYPED_TEST(BlockTridiagonals, solve_in_single_and_mixed_precision) {
  TypeParam const exec;
  for (auto const& options : line_options_of<TypeParam>()) {
    for (auto const direction : directions) {
      check_grid<float, 3, float>(exec, Grid(7, 21, 3), direction, options);
      check_grid<double, 3, float>(exec, Grid(7, 21, 3), direction, options);
      check_grid<float, 1, float>(exec, Grid(7, 21, 3), direction, options);
      check_grid<double, 1, float>(exec, Grid(7, 21, 3), direction, options);
    }
  }
}

/// Blocks of more entries than a thread of CUDA gathers at a time, by a number that does not divide them.
TYPED_TEST(BlockTridiagonals, solve_lines_along_j_of_large_blocks) {
  TypeParam const exec;
  for (auto const& options : line_options_of<TypeParam>()) {
    check_grid<double, 6, double>(exec, Grid(19, 10, 2), LineDirection::j, options);
    check_grid<float, 7, float>(exec, Grid(7, 21, 3), LineDirection::j, options);
  }
}

/// The rows of each point in another order, so that the largest entries are not on the diagonals of blocks.
ReferenceLine with_rows_rotated(const ReferenceLine& line, int first) {
  auto result = line;
  for (auto const blocks : {&ReferenceLine::lower, &ReferenceLine::diagonal, &ReferenceLine::upper}) {
    for (int p = 0; p < line.length(); ++p) {
      for (int r = 0; r < line.n; ++r) {
        for (int c = 0; c < line.n; ++c) (result.*blocks)[p](r, c) = (line.*blocks)[p]((r + first + p) % line.n, c);
      }
    }
  }
  return result;
}

enum class Rows { dominant, rotated };

/// Lists, in arrays of points and in line storage, with many columns.
template <int n, class Exec>
void check_lists(const Exec& exec, const LineSet& lines, const BlockTridiagonalOptions& options,
                 Rows rows = Rows::dominant) {
  SCOPED_TRACE(std::to_string(lines.count()) + " lines, n = " + std::to_string(n) + ", " + describe(options));
  auto const line_of = [&](std::int64_t line) {
    auto const dominant = random_line(n, lines.length(line), 7 + unsigned(line));
    return rows == Rows::dominant ? dominant : with_rows_rotated(dominant, static_cast<int>(line));
  };
  BlockTridiagonal<double, n, Exec> solver(exec, lines, options);
  solver.factor(exec, to_lines<double, n, double>(exec, solver.layout(), line_of));
  EXPECT_TRUE(solver.status(exec).ok()) << solver.status(exec).message();

  auto const rhs = random_vector(lines.point_count() * n);
  auto const expected = solve_lines(lines, n, rhs, line_of);
  auto const b = to_view<double>(exec, rhs);
  solver.solve(exec, b, b);
  EXPECT_TRUE(near(to_host(b), expected, rounding<double>(20, n)));

  constexpr int columns = 3;
  std::vector<double> values, expected_values;
  for (std::int64_t line = 0; line < lines.count(); ++line) {
    for (int p = 0; p < lines.length(line); ++p) {
      for (int column = 0; column < columns; ++column) {
        for (int c = 0; c < n; ++c) {
          values.push_back((column + 1) * rhs[lines.point(line, p) * n + c]);
          expected_values.push_back((column + 1) * expected[lines.point(line, p) * n + c]);
        }
      }
    }
  }
  auto const many = to_lines<double, n>(exec, solver.layout(), columns, values);
  LineVector<double, n, Exec> const x(exec, solver.layout(), columns);
  solver.solve(exec, many, x);
  EXPECT_TRUE(near(to_host(exec, x), expected_values, rounding<double>(20, n)));
  solver.solve(exec, many, many);
  EXPECT_TRUE(bitwise_equal(to_host(exec, many), to_host(exec, x))) << "in place";
}

LineSet lists_of_many_lengths(int count) {
  std::vector<std::int64_t> offsets{0}, points;
  int const point_count = 20 * count;
  for (int line = 0; line < count; ++line) {
    for (int p = 0; p < 1 + line * 7 % 13; ++p) {
      points.push_back((static_cast<std::int64_t>(points.size()) * 7 + 3) % point_count);
    }
    offsets.push_back(static_cast<std::int64_t>(points.size()));
  }
  return LineSet::lists(point_count, offsets, points);
}

TYPED_TEST(BlockTridiagonals, solve_lists_and_many_columns) {
  TypeParam const exec;
  for (auto const& options : line_options_of<TypeParam>()) {
    for (auto const& lines : {lists_of_many_lengths(1), lists_of_many_lengths(41), LineSet::uniform(9, 1),
                              LineSet::uniform(33, 6), LineSet::lists(6, {0, 2}, {4, 1}).completed()}) {
      check_lists<1>(exec, lines, options);
      check_lists<3>(exec, lines, options);
    }
  }
}

TYPED_TEST(BlockTridiagonals, exchange_rows_of_some_lines) {
  TypeParam const exec;
  for (auto const& options : line_options_of<TypeParam>()) {
    for (auto const& lines : {lists_of_many_lengths(41), LineSet::uniform(33, 6)}) {
      check_lists<3>(exec, lines, options, Rows::rotated);
      check_lists<8>(exec, lines, options, Rows::rotated);
    }
  }
}

TYPED_TEST(BlockTridiagonals, solve_again_after_another_factorization) {
  TypeParam const exec;
  constexpr int n = 2;
  Grid const grid(6, 11, 3);
  auto const rhs = random_vector(grid.size() * n);
  auto const b = to_device<double, n>(exec, grid, rhs);
  for (auto const path : line_paths_of<TypeParam>()) {
    auto const lines = LineSet::along(grid, LineDirection::k);
    BlockTridiagonal<double, n, TypeParam> solver(exec, lines, {.path = path});
    for (unsigned const seed : {5u, 6u}) {
      auto const reference = random_stencil(grid, n, seed);
      solver.factor(exec, to_device<double, n, double>(exec, reference));
      BlockVector<double, n, TypeParam> const x(exec, grid);
      solver.solve(exec, b, x);
      auto const expected =
          solve_lines(lines, n, rhs, [&](std::int64_t line) { return line_of_stencil(reference, lines, line); });
      EXPECT_TRUE(near(to_host(exec, x), expected, rounding<double>(20, n)));
    }
  }
}

TYPED_TEST(BlockTridiagonals, give_the_same_bits_from_a_stencil_and_from_lines) {
  TypeParam const exec;
  constexpr int n = 3;
  Grid const grid(9, 18, 4);
  auto const reference = random_stencil(grid, n);
  auto const rhs = random_vector(grid.size() * n);
  for (auto const path : line_paths_of<TypeParam>()) {
    for (auto const direction : directions) {
      auto const lines = LineSet::along(grid, direction);
      BlockTridiagonal<double, n, TypeParam> solver(exec, lines, {.path = path});
      auto const b = to_device<double, n>(exec, grid, rhs);
      solver.factor(exec, to_device<double, n, double>(exec, reference));
      solver.solve(exec, b, b);
      auto const of_grid = to_host(exec, b);

      std::vector<double> in_lines;
      for (std::int64_t o = 0; o < lines.size(); ++o) {
        auto const line = lines.line_of(o);
        for (int c = 0; c < n; ++c) {
          in_lines.push_back(rhs[lines.point(line, static_cast<int>(o - lines.first(line))) * n + c]);
        }
      }
      solver.factor(exec, to_lines<double, n, double>(exec, solver.layout(), [&](std::int64_t line) {
                      return line_of_stencil(reference, lines, line);
                    }));
      auto const x = to_lines<double, n>(exec, solver.layout(), 1, in_lines);
      solver.solve(exec, x, x);
      auto const of_lines = to_host(exec, x);
      std::vector<double> reordered(of_grid.size());
      for (std::int64_t o = 0; o < lines.size(); ++o) {
        auto const line = lines.line_of(o);
        auto const point = lines.point(line, static_cast<int>(o - lines.first(line)));
        for (int c = 0; c < n; ++c) reordered[point * n + c] = of_lines[o * n + c];
      }
      EXPECT_TRUE(bitwise_equal(reordered, of_grid)) << name(direction);
    }
  }
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST(BlockTridiagonalThreads, do_not_change_the_result) {
  constexpr int n = 3;
  Grid const grid(9, 18, 4);
  auto const reference = random_stencil(grid, n);
  std::vector<double> first;
  for (int const threads : {1, 2, 3}) {
    Kokkos::OpenMP const exec(threads);
    BlockTridiagonal<double, n, Kokkos::OpenMP> solver(exec, LineSet::along(grid, LineDirection::i));
    auto const b = to_device<double, n>(exec, grid, random_vector(grid.size() * n));
    solver.factor(exec, to_device<double, n, double>(exec, reference));
    solver.solve(exec, b, b);
    auto const x = to_host(exec, b);
    if (first.empty()) first = x;
    EXPECT_TRUE(bitwise_equal(x, first)) << threads << " threads";
  }
}
#endif

}  // namespace
}  // namespace hyperplane::test
