// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <hyperplane/array/stencil7.hpp>
#include <hyperplane/array/updates.hpp>
#include <hyperplane/field/field_jacobi.hpp>
#include <hyperplane/field/field_ssor.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <numeric>
#include <utility>

#include "stencil7_fixture.hpp"
#include "support/array_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/matchers.hpp"

// Jacobi and SSOR of seven-point stencils on fields.
namespace hyperplane::test {
namespace {

TYPED_TEST_SUITE(Stencil7Test, ExecutionSpaces, SpaceNames);

/// x = M^-1 r for SSOR by its definition in any order of the points.
std::vector<double> reference_ssor(const Grid& grid, const std::vector<std::int64_t>& order, double w,
                                   const std::vector<double>& r,
                                   const std::function<double(std::int64_t, Direction)>& coefficient) {
  std::vector<std::int64_t> position(order.size());
  for (std::size_t p = 0; p < order.size(); ++p) position[order[p]] = static_cast<std::int64_t>(p);
  std::vector<double> x(r.size(), 0.0);
  auto const relax = [&](std::int64_t p, double right, bool lower) {
    for (auto const d : stencil7_directions) {
      Point const q = neighbour(grid.point(p), d);
      if (d == Direction::center || !grid.contains(q)) continue;
      if ((position[grid.index(q)] < position[p]) == lower) right -= coefficient(p, d) * x[grid.index(q)];
    }
    x[p] = w * right / coefficient(p, Direction::center);
  };
  for (auto const p : order) relax(p, (2 - w) / w * r[p], true);
  for (auto p = order.rbegin(); p != order.rend(); ++p) relax(*p, coefficient(*p, Direction::center) * x[*p], false);
  return x;
}

/// A matrix with variable coefficients on fields, and what tests need of it.
template <class T, class Exec>
struct FieldProblem {
  FieldProblem(const Exec& exec, const Grid& given)
      : grid(given),
        layout(layouts_of({grid.ni(), grid.nj(), grid.nk()}, 1)[0]),
        a(random_coefficients<T>(exec, layouts_of(layout.extents, stencil7_size)[3])),
        matrix(ArrayRef<const T>(a.ref())),
        r(exec, layout, 3),
        right(exec, grid),
        z(exec, grid) {
    copy(exec, Box::of(grid), r, right);
  }
  double coefficient(std::int64_t p, Direction d) const {
    Point const q = grid.point(p);
    return a.at(q.i, q.j, q.k, static_cast<int>(d));
  }
  std::vector<double> found(const Exec& exec) const {
    exec.fence();
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, z.flat());
    return {host.data(), host.data() + host.size()};
  }

  Grid grid;
  ArrayLayout layout;
  TestArray<T, Exec> a;
  VariableStencil7<T> matrix;
  TestArray<T, Exec> r;
  ScalarField<T, Exec> right;
  ScalarField<T, Exec> z;
};

TYPED_TEST(Stencil7Test, ssor_is_its_definition_in_both_orders) {
  TypeParam const exec;
  for (auto const& grid : {Grid(1, 1, 1), Grid(5, 4, 3), Grid(1, 7, 2), Grid(11, 2, 9)}) {
    FieldProblem<double, TypeParam> const problem(exec, grid);
    std::vector<std::int64_t> natural(static_cast<std::size_t>(grid.size()));
    std::iota(natural.begin(), natural.end(), 0);
    auto red_black = natural;
    std::stable_partition(red_black.begin(), red_black.end(), [&](std::int64_t p) {
      auto const q = grid.point(p);
      return (q.i + q.j + q.k) % 2 == 0;
    });
    for (auto const ordering : {SsorOrdering::hyperplane, SsorOrdering::red_black}) {
      for (double const w : {0.7, 1.0, 1.4}) {
        FieldSsor<VariableStencil7<double>, TypeParam> ssor(exec, grid, {.relaxation = w, .ordering = ordering});
        ssor.factor(exec, problem.matrix);
        ssor.solve(exec, problem.right, problem.z);
        auto const expected =
            reference_ssor(grid, ordering == SsorOrdering::red_black ? red_black : natural, w, problem.r.expected(),
                           [&](std::int64_t p, Direction d) { return problem.coefficient(p, d); });
        EXPECT_TRUE(near(problem.found(exec), expected, rounding<double>(100, 1)))
            << to_string(grid) << ", " << name(ordering) << ", w = " << w;
        EXPECT_TRUE(ssor.status(exec).ok());
      }
    }
  }
}

TYPED_TEST(Stencil7Test, jacobi_is_its_definition) {
  TypeParam const exec;
  for (auto const& [grid, sweeps] : {std::pair(Grid(7, 4, 5), 1), std::pair(Grid(7, 4, 5), 2),
                                     std::pair(Grid(7, 4, 5), 3), std::pair(Grid(1030, 3, 2), 2)}) {
    FieldProblem<double, TypeParam> const problem(exec, grid);
    double const w = 0.8;
    FieldJacobi<VariableStencil7<double>, TypeParam> jacobi(exec, grid, {.relaxation = w, .sweeps = sweeps});
    jacobi.factor(exec, problem.matrix);
    jacobi.solve(exec, problem.right, problem.z);
    std::vector<double> z(static_cast<std::size_t>(grid.size()), 0.0);
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      auto const before = z;
      for (std::int64_t p = 0; p < grid.size(); ++p) {
        double sum = problem.r.values[p];
        for (auto const d : stencil7_directions) {
          Point const q = neighbour(grid.point(p), d);
          if (grid.contains(q)) sum -= problem.coefficient(p, d) * before[grid.index(q)];
        }
        z[p] += w * sum / problem.coefficient(p, Direction::center);
      }
    }
    EXPECT_TRUE(near(problem.found(exec), z, rounding<double>(100, 1))) << sweeps;
  }
}

TYPED_TEST(Stencil7Test, preconditioners_save_iterations) {
  // The Poisson equation, in natural order, with constant coefficients.
  TypeParam const exec;
  Grid const grid(20, 17, 15);
  using Matrix = ConstantStencil7<double>;
  using Vector = ScalarField<double, TypeParam>;
  Matrix const a{-1, -1, -1, 6, -1, -1, -1};
  Vector const b(exec, grid), x(exec, grid);
  TestArray<double, TypeParam> const right(exec, layouts_of({20, 17, 15}, 1)[0]);
  copy(exec, Box::of(grid), right, b);
  BiCgStab<Vector> const method(exec, grid, {.tolerance = 1e-10});
  auto const iterations = [&](const auto& m) {
    fill(exec, Box::of(grid), 0.0, x);
    auto const result = method.solve(exec, a, m, b, x);
    EXPECT_TRUE(result.converged());
    return result.iterations;
  };
  int const none = iterations(IdentityPreconditioner{});
  auto const with = [&](auto&& m) {
    m.factor(exec, a);
    return iterations(m);
  };
  int const jacobi = with(FieldJacobi<Matrix, TypeParam>(exec, grid, {.relaxation = 0.9, .sweeps = 3}));
  int const red_black = with(FieldSsor<Matrix, TypeParam>(exec, grid));
  int const planes = with(FieldSsor<Matrix, TypeParam>(exec, grid, {.ordering = SsorOrdering::hyperplane}));
  EXPECT_LT(jacobi, none);
  EXPECT_LT(red_black, none);
  EXPECT_LE(planes, red_black);
  // Converged from a guess: the residual that counts is that of x.
  Fgmres<Vector> const other(exec, grid, {.tolerance = 1e-10});
  FieldSsor<Matrix, TypeParam> ssor(exec, grid);
  ssor.factor(exec, a);
  fill(exec, Box::of(grid), 1.0, x);
  EXPECT_TRUE(other.solve(exec, a, ssor, b, x).converged());
}

TYPED_TEST(Stencil7Test, allocates_nothing_and_fences_nothing) {
  auto const exec = OtherInstance<TypeParam>::make();
  Grid const grid(9, 8, 7);
  FieldProblem<double, TypeParam> const problem(exec, grid);
  using Matrix = VariableStencil7<double>;
  FieldJacobi<Matrix, TypeParam> jacobi(exec, grid, {.sweeps = 2});
  FieldSsor<Matrix, TypeParam> red_black(exec, grid);
  FieldSsor<Matrix, TypeParam> planes(exec, grid, {.ordering = SsorOrdering::hyperplane});
  exec.fence();
  KokkosEvents const events;
  apply(exec, problem.matrix, problem.right, problem.z);
  EXPECT_EQ(events.kernels().size(), 1u);
  jacobi.factor(exec, problem.matrix);
  jacobi.solve(exec, problem.right, problem.z);
  EXPECT_EQ(events.kernels().size(), 3u);
  red_black.factor(exec, problem.matrix);
  red_black.solve(exec, problem.right, problem.z);
  EXPECT_EQ(events.kernels().size(), 6u);
  planes.factor(exec, problem.matrix);
  planes.solve(exec, problem.right, problem.z);
  EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
  EXPECT_THAT(events.fences(), ::testing::IsEmpty());
  EXPECT_THAT(events.copies(), ::testing::IsEmpty());
  for (auto const& kernel : events.kernels()) {
    EXPECT_THAT(kernel.label, ::testing::StartsWith("Hyperplane::"));
    EXPECT_EQ(kernel.device_and_instance, Kokkos::Tools::Experimental::device_id(exec)) << kernel.label;
  }
}

TYPED_TEST(Stencil7Test, refuses_misuse) {
  TypeParam const exec;
  Grid const grid(3, 4, 5);
  FieldProblem<double, TypeParam> const problem(exec, grid);
  using Matrix = VariableStencil7<double>;
  using Ssor = FieldSsor<Matrix, TypeParam>;
  using Jacobi = FieldJacobi<Matrix, TypeParam>;
  EXPECT_THROW(Ssor(exec, grid, {.relaxation = 2.0}), Error);
  EXPECT_THROW(Jacobi(exec, grid, {.relaxation = 0.0}), Error);
  EXPECT_THROW(Jacobi(exec, grid, {.sweeps = 0}), Error);
  Ssor ssor(exec, grid);
  EXPECT_THROW(ssor.solve(exec, problem.right, problem.z), Error) << "before factor";
  ssor.factor(exec, problem.matrix);
  EXPECT_THROW(ssor.solve(exec, problem.z, problem.z), Error);
  EXPECT_THROW(ssor.solve(exec, problem.right, ScalarField<double, TypeParam>(exec, Grid(4, 3, 5))), Error);
  EXPECT_THROW((ScalarField<double, TypeParam>(Grid(4, 3, 5), problem.z.flat()).grid(),
                ScalarField<double, TypeParam>(Grid(4, 4, 5), problem.z.flat())),
               Error);
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST(Stencil7OpenMp, the_same_bits_for_1_2_and_4_threads) {
  using Exec = Kokkos::OpenMP;
  std::vector<double> expected;
  for (int const threads : {1, 2, 4}) {
    Exec const exec(threads);
    FieldProblem<double, Exec> const problem(exec, Grid(33, 20, 11));
    FieldSsor<VariableStencil7<double>, Exec> ssor(exec, problem.grid, {.relaxation = 1.2});
    ssor.factor(exec, problem.matrix);
    ssor.solve(exec, problem.right, problem.z);
    auto const found = problem.found(exec);
    if (threads == 1) expected = found;
    EXPECT_TRUE(bitwise_equal(found, expected)) << threads;
  }
}
#endif

}  // namespace
}  // namespace hyperplane::test
