// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <hyperplane/krylov/transposed.hpp>
#include <hyperplane/line/block_tridiagonal.hpp>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/kokkos_events.hpp"
#include "support/line_transfer.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"
#include "support/transposed_reference.hpp"

// Solves with the transpose of block tridiagonal matrices.
namespace hyperplane::test {
namespace {

template <class Exec>
class TransposedLines : public ::testing::Test {};
TYPED_TEST_SUITE(TransposedLines, ExecutionSpaces, SpaceNames);

/// Arrays of points and vectors of two columns, in place and not.
template <class Scalar, int n, class Storage, class Exec>
void check_transposed(const Exec& exec, const LineSet& lines, const BlockTridiagonalOptions& options) {
  bool const periodic = lines.ends() == LineEnds::periodic;
  SCOPED_TRACE(std::to_string(lines.count()) + " lines of up to " + std::to_string(lines.longest()) +
               (periodic ? ", periodic" : "") + ", n = " + std::to_string(n) + ", " +
               std::to_string(options.partitions) + " partitions, path " + name(options.path));
  auto const line_of = [&](std::int64_t line) {
    auto system = random_line(n, lines.length(line), 7 + unsigned(line));
    system.periodic = periodic;
    return system;
  };
  BlockTridiagonal<Scalar, n, Exec, Storage> solver(exec, lines, options);
  solver.factor(exec, to_lines<Scalar, n, Storage>(exec, solver.layout(), line_of));
  EXPECT_TRUE(solver.status(exec).ok()) << solver.status(exec).message();
  auto const rhs = random_vector(lines.point_count() * n);
  auto const expected = solve_lines(lines, n, rhs, [&](std::int64_t line) { return transposed_line(line_of(line)); });
  auto const b = to_view<Scalar>(exec, rhs), x = to_view<Scalar>(exec, rhs);
  solver.solve_transposed(exec, b, x);
  EXPECT_TRUE(near(to_host(x), expected, rounding<Storage>(20, n)));
  solver.solve_transposed(exec, b, b);
  EXPECT_TRUE(bitwise_equal(to_host(b), to_host(x)));
  constexpr int columns = 2;
  auto const right = to_lines<Scalar, n>(exec, solver.layout(), columns, in_columns(lines, n, columns, rhs));
  LineVector<Scalar, n, Exec> const solved(exec, solver.layout(), columns);
  solver.solve_transposed(exec, right, solved);
  EXPECT_TRUE(near(to_host(exec, solved), in_columns(lines, n, columns, expected), rounding<Storage>(20, n)));
}

/// Of 1, 20, 3 and 29 points, with some points on no line.
LineSet mixed_lists(LineEnds ends) {
  std::vector<std::int64_t> points;
  for (std::int64_t p = 0; p < 53; ++p) points.push_back((p * 7 + 3) % 60);
  return LineSet::lists(60, {0, 1, 21, 24, 53}, points, ends);
}

TYPED_TEST(TransposedLines, are_solved_whatever_their_ends_and_parts) {
  TypeParam const exec;
  for (auto const path : line_paths_of<TypeParam>()) {
    for (auto const ends : {LineEnds::open, LineEnds::periodic}) {
      for (int const partitions : {1, 2, 5}) {
        BlockTridiagonalOptions const options{.path = path, .partitions = partitions};
        for (int const length : {1, 2, 3, 4, 5, 18}) {
          check_transposed<double, 1, double>(exec, LineSet::uniform(19, length, ends), options);
          check_transposed<double, 3, double>(exec, LineSet::uniform(3, length, ends), options);
        }
        check_transposed<double, 2, double>(exec, mixed_lists(ends), options);
        check_transposed<double, 5, float>(exec, mixed_lists(ends), options);
        check_transposed<float, 2, float>(exec, mixed_lists(ends), options);
      }
    }
    check_transposed<double, 4, double>(exec, LineSet::uniform(2, 40), {.path = path, .partitions = 0});
    check_transposed<double, 6, double>(exec, LineSet::uniform(2, 7, LineEnds::periodic), {.path = path});
    check_transposed<double, 16, double>(exec, LineSet::uniform(9, 6), {.path = path, .partitions = 1});
  }
}

TYPED_TEST(TransposedLines, of_a_grid_are_solved_in_every_direction) {
  TypeParam const exec;
  constexpr int n = 3;
  Grid const grid(13, 10, 6);
  auto const reference = random_stencil(grid, n);
  auto const a = to_device<double, n, double>(exec, reference);
  auto const u = random_vector(grid.size() * n, 1), v = random_vector(grid.size() * n, 2);
  for (auto const path : line_paths_of<TypeParam>()) {
    for (auto const direction : {LineDirection::i, LineDirection::j, LineDirection::k}) {
      for (auto const ends : {LineEnds::open, LineEnds::periodic}) {
        for (int const partitions : {1, 2}) {
          SCOPED_TRACE(std::string("direction ") + std::to_string(static_cast<int>(direction)) + ", path " +
                       name(path) + (ends == LineEnds::periodic ? ", periodic" : ""));
          auto const lines = LineSet::along(grid, direction, ends);
          BlockTridiagonal<double, n, TypeParam> solver(exec, lines, {.path = path, .partitions = partitions});
          solver.factor(exec, a);
          auto const x = to_device<double, n>(exec, grid, u), y = to_device<double, n>(exec, grid, v);
          solver.solve(exec, x, x);
          transposed(solver).solve(exec, y, y);
          EXPECT_TRUE(near(
              to_host(exec, y),
              solve_lines(lines, n, v,
                          [&](std::int64_t line) { return transposed_line(line_of_stencil(reference, lines, line)); }),
              rounding<double>(20, n)));
          EXPECT_TRUE(same_products(to_host(exec, x), v, u, to_host(exec, y), 1e-14)) << "the adjoint of solve()";
        }
      }
    }
  }
}

TYPED_TEST(TransposedLines, allocate_nothing_fence_nothing_and_refuse_misuse) {
  TypeParam const exec;
  Grid const grid(9, 10, 4);
  BlockTridiagonal<double, 2, TypeParam> solver(exec, LineSet::along(grid, LineDirection::i, LineEnds::periodic));
  auto const x = to_device<double, 2>(exec, grid, random_vector(grid.size() * 2));
  EXPECT_THAT(message_of([&] { solver.solve_transposed(exec, x, x); }),
              ::testing::HasSubstr("BlockTridiagonal::solve_transposed: called before factor"));
  solver.factor(exec, to_device<double, 2, double>(exec, random_stencil(grid, 2)));
  exec.fence();
  {
    KokkosEvents const events;
    solver.solve_transposed(exec, x, x);
    EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
    EXPECT_THAT(events.fences(), ::testing::IsEmpty());
  }
  BlockVector<double, 2, TypeParam> const other(exec, Grid(4, 10, 9));
  EXPECT_THAT(message_of([&] { solver.solve_transposed(exec, other, x); }),
              ::testing::HasSubstr("BlockTridiagonal::solve_transposed: the right-hand side"));
  auto const rows = to_view<double>(exec, random_vector(grid.size() * 2));
  EXPECT_THROW(solver.solve_transposed(exec, rows, rows), Error);
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST(TransposedLinesOpenMp, the_same_bits_for_1_2_and_4_threads) {
  Grid const grid(9, 40, 6);
  auto const reference = random_stencil(grid, 4);
  auto const solve = [&](int threads) {
    Kokkos::OpenMP const exec(threads);
    auto const lines = LineSet::along(grid, LineDirection::j, LineEnds::periodic);
    BlockTridiagonal<double, 4, Kokkos::OpenMP> solver(exec, lines, {.partitions = 2});
    solver.factor(exec, to_device<double, 4, double>(exec, reference));
    auto const x = to_device<double, 4>(exec, grid, random_vector(grid.size() * 4));
    solver.solve_transposed(exec, x, x);
    return to_host(exec, x);
  };
  auto const expected = solve(1);
  EXPECT_TRUE(bitwise_equal(solve(2), expected));
  EXPECT_TRUE(bitwise_equal(solve(4), expected));
}
#endif

}  // namespace
}  // namespace hyperplane::test
