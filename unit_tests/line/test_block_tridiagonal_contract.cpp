// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>
#include <functional>
#include <hyperplane/line/block_tridiagonal.hpp>
#include <limits>
#include <optional>

#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/line_transfer.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

// What the plan promises beside its result: no allocation, no fence, the given instance, errors.
namespace hyperplane::test {
namespace {

template <class Exec>
class BlockTridiagonalContract : public ::testing::Test {};
TYPED_TEST_SUITE(BlockTridiagonalContract, ExecutionSpaces, SpaceNames);

constexpr int n = 2;

template <class Exec>
struct System {
  Grid grid{9, 10, 4};
  ReferenceStencil reference = random_stencil(grid, n);
  std::vector<double> values = random_vector(grid.size() * n);
  BlockStencil7<double, n, Exec> a;
  BlockVector<double, n, Exec> b;

  explicit System(const Exec& exec)
      : a(to_device<double, n, double>(exec, reference)), b(to_device<double, n>(exec, grid, values)) {}
};

TYPED_TEST(BlockTridiagonalContract, factor_and_solve_launch_one_kernel_each_and_nothing_else) {
  auto const exec = OtherInstance<TypeParam>::make();
  System<TypeParam> const system(exec);
  for (auto const path : line_paths_of<TypeParam>()) {
    for (auto const direction : {LineDirection::i, LineDirection::j, LineDirection::k}) {
      BlockTridiagonal<double, n, TypeParam> solver(exec, LineSet::along(system.grid, direction),
                                                    {.path = path, .partitions = 1});
      exec.fence();
      KokkosEvents const events;
      solver.factor(exec, system.a);
      solver.solve(exec, system.b, system.b);
      EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
      EXPECT_THAT(events.fences(), ::testing::IsEmpty());
      EXPECT_THAT(events.copies(), ::testing::IsEmpty());
      std::vector<std::string> labels;
      for (auto const& kernel : events.kernels()) {
        labels.push_back(kernel.label);
        EXPECT_EQ(kernel.device_and_instance, Kokkos::Tools::Experimental::device_id(exec)) << kernel.label;
      }
      EXPECT_THAT(labels,
                  ::testing::ElementsAre("Hyperplane::BlockTridiagonal::factor", "Hyperplane::FactorStatus::conclude",
                                         "Hyperplane::BlockTridiagonal::solve"));
    }
  }
}

TYPED_TEST(BlockTridiagonalContract, works_while_the_default_instance_is_busy) {
  if constexpr (has_busy_instance<TypeParam>) {
    System<TypeParam> const system{TypeParam()};
    auto const exec = OtherInstance<TypeParam>::make();
    std::optional<BlockTridiagonal<double, n, TypeParam>> solver;
    BusyDefaultInstance<TypeParam> const busy;
    solver.emplace(exec, LineSet::along(system.grid, LineDirection::j));
    solver->factor(exec, system.a);
    solver->solve(exec, system.b, system.b);
    EXPECT_TRUE(solver->status(exec).ok());
    EXPECT_TRUE(busy.still_busy()) << "something waited for the default instance";
  }
}

TYPED_TEST(BlockTridiagonalContract, names_the_first_singular_pivot) {
  TypeParam const exec;
  Grid const grid(9, 10, 4);
  auto reference = random_stencil(grid, n);
  // A row of the diagonal block that is zero with nothing from below: the pivot is exactly zero.
  for (auto const& p : {Point{3, 7, 2}, Point{3, 4, 1}, Point{5, 9, 3}}) {
    for (auto const d : {Direction::center, Direction::south}) {
      for (int c = 0; c < n; ++c) reference.block(grid.index(p), d)(1, c) = 0.0;
    }
  }
  for (auto const path : line_paths_of<TypeParam>()) {
    BlockTridiagonal<double, n, TypeParam> solver(exec, LineSet::along(grid, LineDirection::j), {.path = path});
    solver.factor(exec, to_device<double, n, double>(exec, reference));
    auto const status = solver.status(exec);
    EXPECT_TRUE(status.singular());
    EXPECT_EQ(status.line, 3 + 9 * 1);
    EXPECT_EQ(status.position, 4);
    EXPECT_EQ(status.point, grid.index(3, 4, 1));
    ASSERT_TRUE(status.grid_point.has_value());
    EXPECT_EQ(*status.grid_point, (Point{3, 4, 1}));
    EXPECT_EQ(status.equation, 1);
    EXPECT_THAT(status.message(),
                ::testing::HasSubstr("line 12 along j at position 4, point 129 (3, 4, 1), equation 1"));
    // Not replaced in silence.
    auto const x = to_device<double, n>(exec, grid, std::vector<double>(grid.size() * n, 1.0));
    solver.solve(exec, x, x);
    EXPECT_FALSE(std::isfinite(to_host(exec, x)[grid.index(3, 4, 1) * n]));

    solver.factor(exec, to_device<double, n, double>(exec, random_stencil(grid, n)));
    EXPECT_TRUE(solver.status(exec).ok()) << "a regular matrix clears the status";
    EXPECT_EQ(solver.status(exec).message(), "factorization is regular");

    auto nan = random_stencil(grid, n);
    nan.block(grid.index(1, 2, 3), Direction::center)(0, 1) = std::numeric_limits<double>::quiet_NaN();
    solver.factor(exec, to_device<double, n, double>(exec, nan));
    EXPECT_EQ(solver.status(exec).point, grid.index(1, 2, 3));
  }
}

TYPED_TEST(BlockTridiagonalContract, names_the_singular_point_of_a_list) {
  TypeParam const exec;
  auto const lines = LineSet::lists(20, {0, 2, 7, 10}, {3, 5, 11, 2, 0, 7, 8, 1, 4, 6});
  for (auto const path : line_paths_of<TypeParam>(1)) {
    BlockTridiagonal<double, 1, TypeParam> solver(exec, lines, {.path = path});
    solver.factor(exec, to_lines<double, 1, double>(exec, solver.layout(), [&](std::int64_t line) {
                    auto system = random_line(1, lines.length(line), 1);
                    if (line == 1) system.diagonal[3](0, 0) = system.lower[3](0, 0) = 0.0;
                    return system;
                  }));
    auto const status = solver.status(exec);
    EXPECT_EQ(status.line, 1);
    EXPECT_EQ(status.position, 3);
    EXPECT_EQ(status.point, 7);
    EXPECT_FALSE(status.grid_point.has_value());
    EXPECT_THAT(status.message(), ::testing::HasSubstr("line 1 at position 3, point 7, equation 0"));
  }
}

TYPED_TEST(BlockTridiagonalContract, refuses_what_does_not_fit) {
  TypeParam const exec;
  Grid const grid(3, 4, 5), other(4, 3, 5);
  using Solver = BlockTridiagonal<double, n, TypeParam>;
  using Values = Kokkos::View<double*, TypeParam>;
  Solver solver(exec, LineSet::along(grid, LineDirection::i));
  Solver lists(exec, LineSet::lists(7, {0, 3}, {6, 1, 2}));
  BlockStencil7<double, n, TypeParam> const wrong_a(exec, other);
  BlockVector<double, n, TypeParam> const right(exec, grid), wrong(exec, other);
  LineVector<double, n, TypeParam> const one(exec, solver.layout()), two(exec, solver.layout(), 2);
  LineVector<double, n, TypeParam> const of_list(exec, lists.layout());
  Values const rows("rows", 14), short_rows("rows", 13), grid_rows("rows", grid.size() * n);
  auto const message = [](const std::function<void()>& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  using ::testing::AllOf, ::testing::HasSubstr;
  EXPECT_THAT(message([&] { solver.factor(exec, wrong_a); }), AllOf(HasSubstr("3x4x5"), HasSubstr("4x3x5")));
  EXPECT_THAT(message([&] { lists.factor(exec, wrong_a); }), HasSubstr("the lines are not"));
  EXPECT_THAT(message([&] { solver.solve(exec, right, right); }), HasSubstr("before factor"));
  solver.factor(exec, to_device<double, n, double>(exec, random_stencil(grid, n)));
  EXPECT_THAT(message([&] { solver.solve(exec, wrong, right); }), HasSubstr("the right-hand side"));
  EXPECT_THAT(message([&] { solver.solve(exec, right, wrong); }), HasSubstr("x is on"));
  EXPECT_THAT(message([&] { solver.solve(exec, one, two); }), AllOf(HasSubstr("1 columns"), HasSubstr("2")));
  EXPECT_THAT(message([&] { solver.solve(exec, of_list, one); }), HasSubstr("other lines"));
  EXPECT_THAT(message([&] { solver.solve(exec, grid_rows, grid_rows); }), HasSubstr("belong to lists"));
  EXPECT_THAT(message([&] { lists.solve(exec, short_rows, rows); }), HasSubstr("7 rows of 2"));
  EXPECT_THAT(message([&] { lists.solve(exec, right, right); }), HasSubstr("the lines are not"));
  using Columns = Kokkos::View<double***, Kokkos::LayoutRight, TypeParam>;
  Columns const three("columns", 7, 3, n), of_two("columns", 7, 2, n), short_columns("columns", 6, 3, n);
  EXPECT_THAT(message([&] { lists.solve(exec, three, of_two); }), HasSubstr("has 3 columns, x has 2"));
  EXPECT_THAT(message([&] { lists.solve(exec, three, short_columns); }), HasSubstr("7 rows of columns of 2"));
  EXPECT_EQ(message([&] { solver.solve(exec, right, right); }), "no error");
  EXPECT_THAT(message([&] { Solver(exec, LineSet::lists(7, {0}, {})); }), HasSubstr("there is no line"));
}

TYPED_TEST(BlockTridiagonalContract, takes_a_path_at_its_word) {
  TypeParam const exec;
  auto const lines = LineSet::uniform(3, 4);
  using Solver = BlockTridiagonal<double, n, TypeParam>;
  EXPECT_NE(Solver(exec, lines).path(), LinePath::automatic);
  auto const runs = line_paths_of<TypeParam>();
  for (LinePath const path : line_paths) {
    if (path == LinePath::automatic) continue;
    if (std::find(runs.begin(), runs.end(), path) != runs.end()) {
      EXPECT_EQ(Solver(exec, lines, {.path = path}).path(), path);
    } else {
      EXPECT_THROW(Solver(exec, lines, {.path = path}), Error) << name(path);
    }
  }
  for (int const bits : {64, 128}) {
    EXPECT_THROW(Solver(exec, lines, {.path = LinePath::portable, .load_bits = bits}), Error);
    if (Solver(exec, lines).path() == LinePath::staged) {
      EXPECT_EQ(Solver(exec, lines, {.load_bits = bits}).path(), LinePath::staged);
    } else {
      EXPECT_THROW(Solver(exec, lines, {.load_bits = bits}), Error);
    }
  }
  for (LinePath const path : runs) EXPECT_THROW(Solver(exec, lines, {.path = path, .load_bits = 32}), Error);
}

}  // namespace
}  // namespace hyperplane::test
