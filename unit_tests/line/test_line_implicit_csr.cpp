// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hyperplane/line/line_implicit_csr.hpp>
#include <hyperplane/line/line_jacobi.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "support/csr_changes.hpp"
#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/line_implicit_reference.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/writable_csr.hpp"

namespace hyperplane::test {
namespace {

template <class Exec>
class LineImplicitCsrTest : public ::testing::Test {};
TYPED_TEST_SUITE(LineImplicitCsrTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(LineImplicitCsrTest, is_the_iteration_on_the_grid_where_the_mesh_is_one) {
  TypeParam const exec;
  constexpr int n = 2;
  Grid const grid(5, 9, 4);
  auto const stencil = random_stencil(grid, n);
  auto const a = to_device<double, n, double>(exec, to_csr(stencil));
  auto const b = random_vector(stencil.rows());
  for (auto const direction : {LineDirection::i, LineDirection::j, LineDirection::k}) {
    for (double const w : {1.0, 0.8}) {
      std::vector<double> expected(b.size(), 0.0);
      for (int sweep = 0; sweep < 3; ++sweep) {
        expected = line_implicit_sweep(stencil, direction, w, b, expected, solve_exactly);
      }
      LineImplicitCsr<double, n, TypeParam> lines(exec, a, LineSet::along(grid, direction),
                                                  {.sweeps = 3, .relaxation = w});
      lines.factor(exec, a);
      auto const x = to_view<double>(exec, b);
      lines.solve(exec, x, x);
      EXPECT_TRUE(lines.status(exec).ok());
      EXPECT_TRUE(near(to_host(x), expected, rounding<double>(100, n))) << name(direction) << ", w = " << w;
    }
  }
}

/// What is on lines of a mesh: the diagonal and neighbours on a line, of all points.
DenseMatrix line_part(const DenseMatrix& a, int n, const LineSet& lines) {
  DenseMatrix m(a.n);
  auto const take = [&](std::int64_t p, std::int64_t q) {
    for (int e = 0; e < n * n; ++e) {
      auto const r = static_cast<int>(p * n + e / n), c = static_cast<int>(q * n + e % n);
      m(r, c) = a(r, c);
    }
  };
  for (std::int64_t p = 0; p < lines.point_count(); ++p) take(p, p);
  for (std::int64_t line = 0; line < lines.count(); ++line) {
    for (int position = 1; position < lines.length(line); ++position) {
      take(lines.point(line, position), lines.point(line, position - 1));
      take(lines.point(line, position - 1), lines.point(line, position));
    }
  }
  return m;
}

template <class Scalar, int n, class Storage, class Exec>
void compare_on_mesh(const Exec& exec, const LineSet& lines, const LineImplicitOptions& options) {
  auto const reference = random_csr(static_cast<int>(lines.point_count()), n);
  auto const dense = reference.dense(), m = line_part(dense, n, lines), rest = m - dense, inverse_m = inverse(m);
  auto const b = random_vector(dense.n, 3), start = random_vector(dense.n, 4);
  auto expected = start;
  for (int sweep = 0; sweep < options.sweeps; ++sweep) {
    auto right = rest * expected;
    for (std::size_t r = 0; r < b.size(); ++r) right[r] += b[r];
    auto const solved = inverse_m * right;
    for (std::size_t r = 0; r < b.size(); ++r) expected[r] += options.relaxation * (solved[r] - expected[r]);
  }
  auto const a = to_device<Scalar, n, Storage>(exec, reference);
  LineImplicitCsr<Scalar, n, Exec, Storage> iteration(exec, a, lines, options);
  iteration.factor(exec, a);
  auto const rhs = to_view<Scalar>(exec, b), x = to_view<Scalar>(exec, start);
  iteration.iterate(exec, rhs, x);
  EXPECT_TRUE(iteration.status(exec).ok());
  EXPECT_TRUE(near(to_host(x), expected, rounding<Storage>(100, n))) << n;
}

TYPED_TEST(LineImplicitCsrTest, is_the_dense_reference_on_a_mesh_with_lines_of_different_lengths) {
  TypeParam const exec;
  // Rising, falling and jumping lines (whose neighbours need not be coupled), points on none.
  auto const lines = LineSet::lists(30, {0, 5, 6, 13, 16}, {3, 4, 5, 6, 7, 20, 19, 18, 17, 16, 15, 14, 13, 29, 0, 11});
  compare_on_mesh<double, 2, double>(exec, lines, {.sweeps = 2});
  compare_on_mesh<double, 5, double>(exec, lines, {.sweeps = 2, .relaxation = 1.1});
  compare_on_mesh<double, 4, float>(exec, lines, {.sweeps = 1});
}

TYPED_TEST(LineImplicitCsrTest, is_block_jacobi_on_a_mesh_without_lines) {
  compare_on_mesh<double, 2, double>(TypeParam(), LineSet::lists(30, {0}, {}), {.sweeps = 2});
}

TYPED_TEST(LineImplicitCsrTest, takes_the_inexact_solver_of_lines) {
  TypeParam const exec;
  constexpr int n = 2;
  auto const reference = random_csr(25, n);
  auto const lines =
      LineSet::lists(25, {0, 10, 20}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15});
  auto const a = to_device<double, n, double>(exec, reference);
  auto const b = to_view<double>(exec, random_vector(50));
  auto const solve = [&](auto&& iteration) {
    iteration.factor(exec, a);
    auto const x = to_view<double>(exec, std::vector<double>(50, 0.0));
    iteration.solve(exec, b, x);
    return to_host(x);
  };
  using Inexact = LineImplicitCsr<double, n, TypeParam, double, std::int64_t, LineJacobi<double, n, TypeParam>>;
  auto const exact = solve(LineImplicitCsr<double, n, TypeParam>(exec, a, lines, {.sweeps = 3}));
  EXPECT_TRUE(near(solve(Inexact(exec, a, lines, {.sweeps = 3})), exact, 1e-3));
  EXPECT_TRUE(
      near(solve(Inexact(exec, a, lines, {.sweeps = 3}, {.tolerance = 1e-14, .max_iterations = 200})), exact, 1e-11));
}

TYPED_TEST(LineImplicitCsrTest, allocates_nothing_and_fences_nothing) {
  auto const exec = OtherInstance<TypeParam>::make();
  auto const a = to_device<double, 2, double>(exec, random_csr(20, 2));
  auto const x = to_view<double>(exec, random_vector(40));
  LineImplicitCsr<double, 2, TypeParam> lines(exec, a, LineSet::lists(20, {0, 4}, {3, 4, 5, 6}),
                                              {.sweeps = 2, .relaxation = 0.9});
  exec.fence();
  KokkosEvents const events;
  lines.factor(exec, a);
  lines.solve(exec, x, x);
  EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
  EXPECT_THAT(events.fences(), ::testing::IsEmpty());
  EXPECT_EQ(events.kernels().size(), 4u + 2u + 3u);
  for (auto const& kernel : events.kernels()) {
    EXPECT_THAT(kernel.label, ::testing::StartsWith("Hyperplane::"));
    EXPECT_EQ(kernel.device_and_instance, Kokkos::Tools::Experimental::device_id(exec)) << kernel.label;
  }
}

/// What a plan says where offsets or columns are written to after it was made, and that it is as before when they are
/// what they were.
template <class Plan, class Offset>
void compare_changed_structures(const LineSet& lines) {
  using Exec = typename Plan::execution_space;
  constexpr int n = Plan::block_size, first_row = 17;
  Exec const exec;
  auto const size = lines.point_count() * n;
  auto const reference = random_csr(static_cast<int>(lines.point_count()), n);
  WritableCsr<n, Exec, Offset> const a(exec, reference);
  Plan plan(exec, a.matrix, lines, {.sweeps = 2, .transposed = true});
  auto const b = to_view<double>(exec, random_vector(size));
  auto const x = to_view<double>(exec, random_vector(size)), y = to_view<double>(exec, random_vector(size));
  auto const solve = [&] {
    plan.factor(exec, a.matrix);
    EXPECT_TRUE(plan.status(exec).ok()) << plan.status(exec).message();
    plan.solve(exec, b, x);
    plan.solve_transposed(exec, b, y);
    return std::pair(to_host(x), to_host(y));
  };
  auto const expected = solve();
  for (auto const& [what, row, to] : changes_of(reference, first_row)) {
    a.write(exec, to);
    plan.factor(exec, a.matrix);
    auto const status = plan.status(exec);
    EXPECT_EQ(status.failure, FactorFailure::other_structure) << what;
    EXPECT_EQ(status.point, row) << what;
    EXPECT_EQ(plan.lines().point(status.line, status.position), row) << what;
    a.write(exec, reference);
    auto const again = solve();
    EXPECT_TRUE(bitwise_equal(again.first, expected.first)) << what;
    EXPECT_TRUE(bitwise_equal(again.second, expected.second)) << what;
  }
}

TYPED_TEST(LineImplicitCsrTest, notices_a_structure_that_changes_under_it) {
  auto const lines = LineSet::lists(41, {0, 5, 6, 9}, {3, 4, 5, 6, 7, 20, 19, 18, 17});
  compare_changed_structures<LineImplicitCsr<double, 2, TypeParam>, std::int64_t>(lines);
  compare_changed_structures<LineImplicitCsr<double, 1, TypeParam, double, int>, int>(lines);
}

// Of several rows the first is named, whatever line it is on and whatever pivots there are, and columns that are none
// lead no solve out of a vector.
TYPED_TEST(LineImplicitCsrTest, names_the_first_row_that_changed_and_reads_no_columns_that_are_none) {
  TypeParam const exec;
  auto const reference = with_zero_equation(random_csr(3000, 2), 3);
  WritableCsr<2, TypeParam, std::int64_t> const a(exec, reference);
  LineImplicitCsr<double, 2, TypeParam> plan(exec, a.matrix, LineSet::lists(3000, {0, 2}, {2990, 2989}),
                                             {.sweeps = 2, .transposed = true});
  auto changed = reference;
  for (int const row : {2990, 1700, 1699, 12}) {
    changed.columns[static_cast<std::size_t>(reference.offsets[row])] = std::numeric_limits<int>::max() - row;
  }
  a.write(exec, changed);
  auto const x = to_view<double>(exec, random_vector(6000));
  for (int repeat = 0; repeat < 3; ++repeat) {
    plan.factor(exec, a.matrix);
    EXPECT_EQ(plan.status(exec).message(),
              "other structure on line 13 at position 0, point 12: the matrix has other columns there, or in another "
              "order, than the plan was made of");
    plan.solve(exec, x, x);
    plan.solve_transposed(exec, x, x);
    exec.fence();
  }
}

TYPED_TEST(LineImplicitCsrTest, refuses_other_arrays_with_another_structure) {
  TypeParam const exec;
  auto const reference = random_csr(41, 2);
  auto const a = to_device<double, 2, double>(exec, reference);
  LineImplicitCsr<double, 2, TypeParam> plan(exec, a, LineSet::lists(41, {0, 2}, {3, 4}));
  plan.factor(exec, to_device<double, 2, double>(exec, reference));
  EXPECT_TRUE(plan.status(exec).ok());
  EXPECT_THAT(
      message_of([&] { plan.factor(exec, to_device<double, 2, double>(exec, changes_of(reference, 17).front().to)); }),
      ::testing::StartsWith("LineImplicitCsr::factor: row 17 of A has other columns"));
}

TYPED_TEST(LineImplicitCsrTest, names_a_singular_pivot_and_refuses_misuse) {
  TypeParam const exec;
  auto reference = random_csr(20, 2);
  for (auto e = reference.offsets[5]; e < reference.offsets[6]; ++e) {
    for (int c = 0; c < 2; ++c) reference.blocks[e](1, c) = 0.0;
  }
  auto const a = to_device<double, 2, double>(exec, reference);
  auto const lines = LineSet::lists(20, {0, 1, 5}, {0, 7, 6, 5, 4});
  using Lines = LineImplicitCsr<double, 2, TypeParam>;
  Lines iteration(exec, a, lines);
  auto const x = to_view<double>(exec, random_vector(40)), wrong = to_view<double>(exec, random_vector(41));
  EXPECT_THROW(iteration.solve(exec, x, x), Error);
  iteration.factor(exec, a);
  auto const status = iteration.status(exec);
  EXPECT_EQ(status.line, 1);
  EXPECT_EQ(status.position, 2);
  EXPECT_EQ(status.point, 5);
  EXPECT_EQ(status.equation, 1);
  EXPECT_THROW(iteration.solve(exec, wrong, x), Error);
  EXPECT_THROW(iteration.solve(exec, x, wrong), Error);
  EXPECT_THROW(iteration.iterate(exec, x, x), Error);
  EXPECT_THROW(iteration.factor(exec, to_device<double, 2, double>(exec, random_csr(19, 2))), Error);

  auto const message = [&](const auto& matrix, const LineSet& of,
                           const LineImplicitOptions& options = {}) -> std::string {
    try {
      Lines const refused(exec, matrix, of, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  using ::testing::HasSubstr;
  using Csr = BlockCsr<double, 2, TypeParam>;
  EXPECT_THAT(message(a, LineSet::lists(21, {0, 1}, {0})), HasSubstr("21 points, A has 20 rows"));
  EXPECT_THAT(message(a, LineSet::lists(20, {0, 2}, {0, 1}, LineEnds::periodic)), HasSubstr("open"));
  EXPECT_THAT(message(a, lines, {.sweeps = 0}), HasSubstr("sweeps is 0"));
  auto const pair = LineSet::lists(2, {0, 2}, {0, 1});
  EXPECT_THAT(message(Csr(exec, {0, 1, 2}, {0, 0}), pair), HasSubstr("row 1 has no diagonal block"));
  typename Csr::Columns const out_of_range = to_view<int>(exec, {0, 7});
  typename Csr::Offsets const falling = to_view<std::int64_t>(exec, {0, 3, 2});
  Csr const right(exec, {0, 1, 2}, {0, 1});
  EXPECT_THAT(message(Csr(right.offsets(), out_of_range, right.values()), pair), HasSubstr("row 1 has column 7"));
  EXPECT_THAT(message(Csr(falling, right.columns(), right.values()), pair), HasSubstr("row 0 has blocks 0 to 3 of 2"));
  EXPECT_THAT(message(Csr(exec, {0, 3, 4}, {0, 1, 1, 1}), pair), HasSubstr("row 0 has column 1 twice"));
}

}  // namespace
}  // namespace hyperplane::test
