// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mesh/mesh.hpp"
#include "solver/groups.hpp"
#include "solver/jacobian.hpp"

#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

namespace implicit_flow {
namespace groups_test {

using Exec = Kokkos::DefaultExecutionSpace;
constexpr int lanes = lanes_at_once<Exec>;
constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// One cell, rows and slabs that are no multiple of a vector register, and some that are.
hyperplane::Grid const grids[] = {{1, 1, 1}, {5, 4, 3}, {8, 8, 1}, {19, 17, 3}, {1, 20, 2}, {33, 1, 1}};

Problem<Exec> make_problem(const hyperplane::Grid& cells, double viscosity) {
  Gas gas;
  gas.viscosity = viscosity;
  BoundaryConditions boundary{};
  for (auto& side : boundary.side) side.type = Boundary::slip_wall;
  boundary[Side::imin].type = Boundary::supersonic_inflow;
  boundary[Side::imax].type = Boundary::far_field;
  boundary[Side::jmin] = {Boundary::no_slip_wall, Boundary::slip_wall, 3};
  boundary.free_stream = gas.free_stream(1.5, 0.2);
  return {gas, boundary, compute_metrics(Exec(), make_wavy_box(cells, 0.02))};
}

/// The free stream, disturbed differently in each cell.
Field<Exec> disturbed(const Problem<Exec>& problem) {
  auto const field = make_field(Exec(), "conserved", problem.metrics.cells);
  auto const cells = problem.metrics.cells;
  for_each_point(
      Exec(), "disturb", cells, KOKKOS_LAMBDA(const hyperplane::Point& p) {
        auto w = problem.boundary.free_stream;
        for (int c = 0; c < equations; ++c) {
          w[c] += 0.1 * Kokkos::sin(static_cast<double>(7 * cells.index(p) + 3 * c));
        }
        store(field, p, problem.gas.conserved(w));
      });
  return field;
}

/// The largest difference, relative to the largest value.
template <class View>
double difference(const View& a, const View& b) {
  auto const left = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  auto const right = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
  double largest = 0, scale = 0;
  for (std::size_t v = 0; v < left.size(); ++v) {
    largest = std::max(largest, static_cast<double>(std::abs(left(v) - right(v))));
    scale = std::max(scale, static_cast<double>(std::abs(right(v))));
  }
  EXPECT_GT(scale, 0);
  return largest / scale;
}

using Counts = Kokkos::View<int*, Exec>;

/// Adds 1 for each point, and more than 100 where the group is not what it says.
KOKKOS_INLINE_FUNCTION void count_points(const Group<lanes>& group, const hyperplane::Grid& grid, const Counts& count) {
  for (int lane = 0; lane < lanes; ++lane) {
    if (!grid.contains(group.point[lane])) {
      Kokkos::atomic_add(&count(0), 100);
    } else if (group.has[lane]) {
      Kokkos::atomic_add(&count(grid.index(group.point[lane])), 1);
    }
    bool const follows = group.point[lane] == shifted(group.point[0], 0, lane);
    if (group.is_row && !(group.has[lane] && follows)) Kokkos::atomic_add(&count(0), 100);
  }
}

/// Of the groups of a grid or of a layout.
template <class Points>
Counts count_groups(const hyperplane::Grid& grid, const Points& points) {
  Counts const count("count", static_cast<std::size_t>(grid.size()));
  for_each_group<lanes>(
      Exec(), "count", points, KOKKOS_LAMBDA(const Group<lanes>& group) { count_points(group, grid, count); });
  return count;
}

void expect_ones(const hyperplane::Grid& grid, const Counts& count) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), count);
  for (std::size_t v = 0; v < host.size(); ++v) EXPECT_EQ(host(v), 1) << to_string(grid) << " " << v;
}

TEST(Groups, HaveEachPointOnce) {
  for (auto const& grid : grids) {
    expect_ones(grid, count_groups(grid, grid));
    expect_ones(grid, count_groups(grid, hyperplane::BlockVector<double, 1, Exec>(Exec(), grid).map()));
  }
}

struct IsBelow {
  int end;
  KOKKOS_FUNCTION bool operator()(const hyperplane::Point& p) const { return p.i < end; }
};
struct IsOdd {
  KOKKOS_FUNCTION bool operator()(const hyperplane::Point& p) const { return p.i % 2 == 1; }
};

TEST(Groups, KeepWhatIsAskedFor) {
  Group<4> group{{{4, 0, 0}, {5, 0, 0}, {6, 0, 0}, {7, 0, 0}}, {true, true, true, true}, true};
  EXPECT_TRUE(group.keep(IsBelow{9}));
  EXPECT_TRUE(group.is_row);
  EXPECT_TRUE(group.keep(IsOdd()));
  EXPECT_FALSE(group.is_row);
  for (int lane = 0; lane < 4; ++lane) {
    EXPECT_EQ(group.has[lane], lane % 2 == 1);
    EXPECT_EQ(group.point[lane].i, lane == 1 ? 5 : 7);
  }
  EXPECT_FALSE(group.keep(IsBelow{5}));
}

template <class Storage>
void expect_jacobian_of_single_faces(const hyperplane::Grid& cells, double viscosity, double tolerance) {
  Exec const exec;
  auto const problem = make_problem(cells, viscosity);
  auto const conserved = disturbed(problem);
  hyperplane::BlockStencil7<double, equations, Exec, Storage> const a(exec, cells), expected(exec, cells);
  assemble_jacobian(exec, problem, conserved, 10, a);
  assemble_jacobian<1>(exec, problem, conserved, 10, expected);
  EXPECT_LT(difference(a.flat(), expected.flat()), tolerance) << to_string(cells);
}

TEST(Groups, HaveTheJacobianOfSingleFaces) {
  for (auto const& cells : grids) {
    for (double const viscosity : {0.0, 0.02}) {
      expect_jacobian_of_single_faces<double>(cells, viscosity, 1000 * epsilon);
      expect_jacobian_of_single_faces<float>(cells, viscosity, 10 * std::numeric_limits<float>::epsilon());
    }
  }
}

TEST(Groups, HaveTheResidualOfSingleFaces) {
  Exec const exec;
  for (auto const& cells : grids) {
    for (auto const order : {Order::first, Order::second}) {
      auto const problem = make_problem(cells, 0.02);
      Residual<Exec> const residual(exec, problem);
      hyperplane::BlockVector<double, equations, Exec> const result(exec, cells), expected(exec, cells);
      residual.evaluate(exec, disturbed(problem), order, result);
      for (int direction = 0; direction < directions; ++direction) residual.compute_flux<1>(exec, direction, order);
      residual.sum_fluxes(exec, expected);
      EXPECT_LT(difference(result.flat(), expected.flat()), 1000 * epsilon) << to_string(cells);
    }
  }
}

}  // namespace groups_test
}  // namespace implicit_flow
