// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/transposed.hpp>
#include <hyperplane/line/line_implicit.hpp>
#include <hyperplane/line/line_implicit_csr.hpp>
#include <hyperplane/line/line_jacobi.hpp>
#include <vector>

#include "support/adjoint_systems.hpp"
#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/kokkos_events.hpp"
#include "support/line_implicit_reference.hpp"
#include "support/line_transfer.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"
#include "support/transposed_reference.hpp"

// The transposes of LineImplicit, LineImplicitCsr and LineJacobi.
namespace hyperplane::test::line_implicit_transposed_tests {
namespace {

using enum LineDirection;

template <class Exec>
class LineImplicitTransposed : public ::testing::Test {};
TYPED_TEST_SUITE(LineImplicitTransposed, ExecutionSpaces, SpaceNames);

/// The last direction comes first.
template <class SolveLine>
std::vector<double> transposed_sweeps(const ReferenceStencil& a, const LineImplicitOptions& options,
                                      const std::vector<double>& b, const SolveLine& solve_line) {
  auto const at = transposed_reference(a);
  std::vector<double> x(b.size(), 0.0);
  for (int sweep = 0; sweep < options.sweeps; ++sweep) {
    for (auto direction = options.directions.rbegin(); direction != options.directions.rend(); ++direction) {
      x = line_implicit_sweep(at, *direction, options.relaxation, b, x, solve_line);
    }
  }
  return x;
}

/// solve_transposed() is the reference and the adjoint of solve().
template <int n, class Lines, class Exec, class SolveLine>
void check(const Exec& exec, const Grid& grid, const LineImplicitOptions& options,
           const typename Lines::Options& line_options, const SolveLine& solve_line) {
  SCOPED_TRACE(to_string(grid) + ", n = " + std::to_string(n) + ", first direction " +
               name(options.directions.front()) + ", w = " + std::to_string(options.relaxation));
  using Storage = typename Lines::storage_type;
  auto const reference = random_stencil(grid, n);
  LineImplicit<double, n, Exec, Storage, Lines> lines(exec, grid, options, line_options);
  lines.factor(exec, to_device<double, n, Storage>(exec, reference));
  auto const u = random_vector(grid.size() * n, 1), v = random_vector(grid.size() * n, 2);
  auto const x = to_device<double, n>(exec, grid, u), y = to_device<double, n>(exec, grid, v);
  lines.solve(exec, x, x);
  lines.solve_transposed(exec, y, y);
  EXPECT_TRUE(near(to_host(exec, y), transposed_sweeps(reference, options, v, solve_line), rounding<Storage>(100, n)));
  EXPECT_TRUE(same_products(to_host(exec, x), v, u, to_host(exec, y), rounding<Storage>(20, n)));
}

TYPED_TEST(LineImplicitTransposed, is_the_adjoint_in_every_direction_and_for_directions_in_turn) {
  TypeParam const exec;
  using Lines = BlockTridiagonal<double, 2, TypeParam>;
  for (auto const& grid : {Grid(1, 1, 1), Grid(5, 4, 3), Grid(9, 17, 5), Grid(1, 7, 1)}) {
    for (auto const direction : {i, j, k}) {
      check<2, Lines>(exec, grid, {.directions = {direction}}, {}, solve_exactly);
      check<2, Lines>(exec, grid, {.directions = {direction}, .sweeps = 3}, {}, solve_exactly);
    }
    check<2, Lines>(exec, grid, {.directions = {j, i}, .sweeps = 2}, {}, solve_exactly);
    check<2, Lines>(exec, grid, {.directions = {i, j, k}, .relaxation = 0.8}, {}, solve_exactly);
    check<2, Lines>(exec, grid, {.directions = {k, j}, .sweeps = 2, .relaxation = 1.2}, {.partitions = 2},
                    solve_exactly);
    check<3, BlockTridiagonal<double, 3, TypeParam, float>>(exec, grid, {.directions = {k, i}, .sweeps = 2}, {},
                                                            solve_exactly);
  }
}

TYPED_TEST(LineImplicitTransposed, is_the_adjoint_with_a_fixed_number_of_iterations_along_lines) {
  TypeParam const exec;
  using Lines = LineJacobi<double, 3, TypeParam>;
  for (auto const direction : {i, j, k}) {
    for (int const iterations : {1, 2, 5}) {
      auto const by_jacobi = [&](const ReferenceLine& line, const std::vector<double>& rhs) {
        return solve_by_jacobi(line, rhs, 0.0, iterations);
      };
      LineJacobiOptions const options{.tolerance = 0, .max_iterations = iterations};
      check<3, Lines>(exec, Grid(9, 17, 5), {.directions = {direction}}, options, by_jacobi);
      check<3, Lines>(exec, Grid(5, 4, 1), {.directions = {direction}, .sweeps = 2, .relaxation = 0.9}, options,
                      by_jacobi);
    }
  }
  LineImplicit<double, 3, TypeParam, double, Lines> const lines(exec, Grid(2, 3, 4), {.directions = {i, j}});
  BlockVector<double, 3, TypeParam> const x(exec, Grid(2, 3, 4));
  EXPECT_THAT(message_of([&] { lines.solve_transposed(exec, x, x); }),
              ::testing::HasSubstr("LineImplicit::solve_transposed: lines of 2 directions"));
}

TYPED_TEST(LineImplicitTransposed, line_jacobi_converges_to_the_transposed_solution_of_lists_too) {
  TypeParam const exec;
  constexpr int n = 2;
  auto const lines = LineSet::lists(9, {0, 1, 3, 8}, {4, 0, 8, 1, 7, 2, 6, 3});
  auto const line_of = [&](std::int64_t line) { return random_line(n, lines.length(line), 7 + unsigned(line)); };
  auto const b = random_vector(lines.point_count() * n);
  LineJacobi<double, n, TypeParam> solver(exec, lines, {.tolerance = 1e-14, .max_iterations = 200});
  auto const x = to_view<double>(exec, b);
  EXPECT_THROW(solver.solve_transposed(exec, x, x), Error);
  solver.factor(exec, to_lines<double, n, double>(exec, solver.layout(), line_of));
  solver.solve_transposed(exec, x, x);
  auto const expected = solve_lines(lines, n, b, [&](std::int64_t line) { return transposed_line(line_of(line)); });
  EXPECT_TRUE(near(to_host(x), expected, 1e-12));
}

TYPED_TEST(LineImplicitTransposed, of_general_matrices_is_the_adjoint) {
  TypeParam const exec;
  constexpr int n = 3;
  auto const reference = random_csr(23, n);
  auto const a = to_device<double, n, double>(exec, reference);
  auto const lines = LineSet::lists(23, {0, 1, 6, 15}, {4, 0, 8, 1, 7, 2, 6, 3, 20, 19, 18, 10, 11, 12, 13});
  for (int const sweeps : {1, 3}) {
    for (double const w : {1.0, 0.8}) {
      LineImplicitCsr<double, n, TypeParam> plan(exec, a, lines,
                                                 {.sweeps = sweeps, .relaxation = w, .transposed = true});
      plan.factor(exec, a);
      auto const u = random_vector(23 * n, 1), v = random_vector(23 * n, 2);
      auto const x = to_view<double>(exec, u), y = to_view<double>(exec, v);
      plan.solve(exec, x, x);
      exec.fence();
      {
        KokkosEvents const events;
        plan.solve_transposed(exec, y, y);
        EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
        EXPECT_THAT(events.fences(), ::testing::IsEmpty());
      }
      EXPECT_TRUE(same_products(to_host(x), v, u, to_host(y), 1e-14)) << sweeps << ", " << w;
    }
  }
  LineImplicitCsr<double, n, TypeParam> plain(exec, a, lines);
  plain.factor(exec, a);
  auto const x = to_view<double>(exec, random_vector(23 * n));
  EXPECT_THAT(message_of([&] { plain.solve_transposed(exec, x, x); }), ::testing::HasSubstr("option transposed"));
}

TYPED_TEST(LineImplicitTransposed, preconditions_adjoint_systems) {
  TypeParam const exec;
  constexpr int n = 3;
  Grid const grid(6, 9, 5);
  using Vector = BlockVector<double, n, TypeParam>;
  auto const reference = random_stencil(grid, n);
  auto const a = to_device<double, n, double>(exec, reference);
  LineImplicit<double, n, TypeParam> lines(exec, grid, {.directions = {i, k}});
  lines.factor(exec, a);
  expect_adjoint_solved(exec, reference, lines,
                        BiCgStab<Vector>(exec, grid, {.tolerance = 1e-10, .max_iterations = 50}),
                        Fgmres<Vector>(exec, grid, {.tolerance = 1e-10, .max_iterations = 50}));
}

}  // namespace
}  // namespace hyperplane::test::line_implicit_transposed_tests
