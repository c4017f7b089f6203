// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <limits>
#include <optional>

#include "multi_block_fixture.hpp"
#include "support/kokkos_events.hpp"
#include "support/solver_paths.hpp"

// SSOR whose grid blocks are coupled.
namespace hyperplane::test {
namespace {

constexpr double ssor_relaxations[] = {1.0, 0.7, 1.4};

template <class Exec>
class ColouredSsor : public MultiBlockTest<Exec> {
 protected:
  /// A solve is that of SSOR of the whole matrix in the order of the colours, for all relaxations.
  template <int n, class Storage = double, class MatrixStorage = Storage>
  void expect_in_order(const std::string& what, const MultiBlockGrid& grid, const std::vector<int>& colours,
                       double tolerance) {
    for (double const w : ssor_relaxations) {
      this->template expect_coupled<Ssor<double, n, Exec, Storage>, MatrixStorage>(
          what + ", w = " + std::to_string(w), grid,
          {.coupling = Coupling::coloured, .colours = colours, .block = {.relaxation = w}},
          [&](const MultiBlockReference& a, const std::vector<int>& found) {
            return ReferenceOrderedSsor(a.rows_without_own(), coloured_places(grid, found), w);
          },
          tolerance);
    }
  }

  /// With Coupling::natural it is that of the box that was cut, in the order of its points.
  template <int n, class Storage = double>
  void expect_of_box(const std::string& what, const CutGrid& cut, double tolerance) {
    for (double const w : ssor_relaxations) {
      this->template expect_coupled<Ssor<double, n, Exec, Storage>, Storage>(
          what + ", w = " + std::to_string(w), cut.grid, {.coupling = Coupling::natural, .block = {.relaxation = w}},
          [&](const MultiBlockReference& a, const std::vector<int>&) {
            return ReferenceOrderedSsor(a.rows(), natural_places(cut), w);
          },
          tolerance);
    }
  }
};
TYPED_TEST_SUITE(ColouredSsor, ExecutionSpaces, SpaceNames);

TYPED_TEST(ColouredSsor, is_an_order_of_the_whole_matrix) {
  for (auto const& [what, grid] : awkward_grids()) {
    this->template expect_in_order<1>(what, grid, {}, 1e-12);
    this->template expect_in_order<3>(what, grid, {}, 1e-12);
  }
  auto const grid = cut_grid(Grid(7, 12, 5), {2, 3, 2}).grid;
  this->template expect_in_order<5>("n = 5", grid, {}, 1e-12);
  this->template expect_in_order<2>("a colour for each", grid, {11, 3, 5, 7, 9, 1, 2, 0, 4, 6, 8, 10}, 1e-12);
  this->template expect_in_order<3, float>("stored as float", grid, {}, 1e-5);
  this->template expect_in_order<3, float, double>("factors stored as float", grid, {}, 1e-5);
  this->template expect_in_order<3, double, float>("a matrix of float", grid, {}, 1e-5);
}

TYPED_TEST(ColouredSsor, whatever_the_axes_of_the_neighbour) {
  for (auto const& transform : all_transforms()) {
    this->template expect_in_order<2>(to_string(transform), joined_pair(Grid(3, 5, 2), transform), {}, 1e-12);
    this->template expect_in_order<2>(to_string(transform), joined_pair(Grid(3, 5, 2), transform), {1, 0}, 1e-12);
  }
}

TYPED_TEST(ColouredSsor, natural_is_ssor_of_the_box) {
  for (auto const& parts : {std::array{1, 1, 1}, std::array{4, 1, 1}, std::array{1, 1, 5}, std::array{2, 3, 2}}) {
    auto const what = std::to_string(parts[0]) + "x" + std::to_string(parts[1]) + "x" + std::to_string(parts[2]);
    auto const cut = cut_grid(Grid(7, 12, 5), parts);
    this->template expect_of_box<1>(what, cut, 1e-12);
    this->template expect_of_box<4>(what, cut, 1e-12);
  }
  this->template expect_of_box<4>("each point a grid block", cut_grid(Grid(3, 5, 2), {3, 5, 2}), 1e-12);
  this->template expect_of_box<3, float>("float", cut_grid(Grid(9, 6, 4), {2, 2, 2}), 1e-5);
}

// The plan of the box itself.
TYPED_TEST(ColouredSsor, natural_differs_from_the_plan_of_the_box_by_rounding) {
  constexpr int n = 3;
  Grid const whole(7, 12, 5);
  auto const cut = cut_grid(whole, {2, 3, 2});
  auto const a = random_stencil(whole, n);
  auto const values = random_vector(whole.size() * n);
  MultiBlockReference parts(cut.grid, n);
  auto const places = natural_places(cut);
  for (int b = 0; b < cut.grid.block_count(); ++b) {
    for (std::int64_t p = 0; p < cut.grid.block(b).size(); ++p) {
      parts.blocks[b].blocks[p] = a.blocks[places[cut.grid.first_point(b) + p]];
    }
  }
  std::vector<double> given(values.size()), expected(values.size());
  auto const to_parts = [&](const std::vector<double>& from, std::vector<double>& to) {
    for (std::size_t p = 0; p < places.size(); ++p) std::copy_n(&from[places[p] * n], n, &to[p * n]);
  };
  to_parts(values, given);
  for (double const w : ssor_relaxations) {
    Ssor<double, n, TypeParam> box(this->exec, whole, {.relaxation = w});
    box.factor(this->exec, to_device<double, n, double>(this->exec, a));
    auto const x_box = to_device<double, n>(this->exec, whole, values);
    box.solve(this->exec, x_box, x_box);
    to_parts(to_host(this->exec, x_box), expected);
    MultiBlock<Ssor<double, n, TypeParam>> plan(this->exec, cut.grid,
                                                {.coupling = Coupling::natural, .block = {.relaxation = w}});
    plan.factor(this->exec, to_device<double, n, double>(this->exec, parts));
    auto const x = to_device<double, n>(this->exec, cut.grid, given);
    plan.solve(this->exec, x, x);
    EXPECT_TRUE(near(to_host(this->exec, x), expected, 1e-13)) << w;
  }
}

TYPED_TEST(ColouredSsor, paths_agree) {
  constexpr int n = 3;
  auto const grid = cut_grid(Grid(9, 17, 6), {2, 2, 2}).grid;
  auto const a = to_device<double, n, double>(this->exec, MultiBlockReference(grid, n));
  auto const rhs = to_device<double, n>(this->exec, grid, random_vector(grid.size() * n));
  std::vector<double> first;
  for (auto const path : paths_of<TypeParam>()) {
    MultiBlock<Ssor<double, n, TypeParam>> plan(
        this->exec, grid, {.coupling = Coupling::coloured, .block = {.relaxation = 1.4, .path = path}});
    MultiBlockVector<double, n, TypeParam> const x(this->exec, grid);
    plan.factor(this->exec, a);
    plan.solve(this->exec, rhs, x);
    auto const values = to_host(this->exec, x);
    if (first.empty()) first = values;
    EXPECT_TRUE(near(values, first, 1e-13)) << name(path);
  }
}

TYPED_TEST(ColouredSsor, krylov_methods_need_no_more_iterations) {
  constexpr int n = 2;
  auto const grid = cut_grid(Grid(12, 16, 8), {2, 2, 2}, {true, false, false}).grid;
  MultiBlockReference const reference(grid, n);
  auto const a = to_device<double, n, double>(this->exec, reference);
  auto const solution = random_vector(grid.size() * n);
  auto const b = to_device<double, n>(this->exec, grid, reference.rows() * solution);
  using Vector = MultiBlockVector<double, n, TypeParam>;
  auto const iterations = [&](Coupling coupling) {
    MultiBlock<Ssor<double, n, TypeParam>> plan(this->exec, grid, {.coupling = coupling});
    plan.factor(this->exec, a);
    Vector const x(this->exec, grid);
    auto const result = BiCgStab<Vector>(this->exec, grid, {.tolerance = 1e-10}).solve(this->exec, a, plan, b, x);
    EXPECT_TRUE(result.converged()) << result.message();
    EXPECT_TRUE(near(to_host(this->exec, x), solution, 1e-7)) << name(coupling);
    return result.iterations;
  };
  EXPECT_LE(iterations(Coupling::coloured), iterations(Coupling::none));
}

// Factors and couplings are shared, and outlive the plan that they are of. Nothing is allocated, and A is only read.
TYPED_TEST(ColouredSsor, copies_and_what_is_launched) {
  constexpr int n = 2;
  auto const grid = cut_grid(Grid(8, 12, 6), {2, 2, 1}).grid;
  using Plan = MultiBlock<Ssor<double, n, TypeParam>>;
  auto const a = to_device<double, n, double>(this->exec, MultiBlockReference(grid, n));
  auto const rhs = to_device<double, n>(this->exec, grid, random_vector(grid.size() * n));
  MultiBlockVector<double, n, TypeParam> const x(this->exec, grid), expected(this->exec, grid);
  std::optional<Plan> original(std::in_place, this->exec, grid,
                               typename Plan::Options{.coupling = Coupling::coloured, .block = {.relaxation = 0.7}});
  this->exec.fence();
  {
    KokkosEvents const events;
    original->factor(this->exec, a);
    original->solve(this->exec, rhs, expected);
    EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
    EXPECT_THAT(events.fences(), ::testing::IsEmpty());
    std::vector<std::string> faces;
    for (auto const& kernel : events.kernels()) {
      if (kernel.label.starts_with("Hyperplane::MultiBlock::factor::")) faces.push_back(kernel.label);
    }
    EXPECT_THAT(
        faces, ::testing::ElementsAre("Hyperplane::MultiBlock::factor::scale", "Hyperplane::MultiBlock::factor::keep"));
  }
  Plan const copy = *original;
  original.reset();
  copy.solve(this->exec, rhs, x);
  EXPECT_TRUE(bitwise_equal(to_host(this->exec, x), to_host(this->exec, expected)));
}

// The first failure in the order of the colours.
TYPED_TEST(ColouredSsor, failures_have_their_grid_block) {
  constexpr int n = 2;
  auto const grid = cut_grid(Grid(6, 4, 4), {3, 1, 1}).grid;
  using Plan = MultiBlock<Ssor<double, n, TypeParam>>;
  auto const message = [&](const MultiBlockReference& reference, const std::vector<int>& colours) {
    Plan plan(this->exec, grid, {.coupling = Coupling::coloured, .colours = colours});
    plan.factor(this->exec, to_device<double, n, double>(this->exec, reference));
    auto const text = plan.status(this->exec).message();
    // The next one begins anew.
    plan.factor(this->exec, to_device<double, n, double>(this->exec, MultiBlockReference(grid, n)));
    EXPECT_TRUE(plan.status(this->exec).ok()) << plan.status(this->exec).message();
    return text;
  };
  for (auto const& colours : std::vector<std::vector<int>>{{0, 1, 2}, {2, 1, 0}, {0, 1, 0}}) {
    for (int const block : {1, 2}) {
      auto const named = "grid block " + std::to_string(block);
      MultiBlockReference singular(grid, n), coupling(grid, n);
      for (int c = 0; c < n; ++c) singular.blocks[block].block(0, Direction::center)(1, c) = 0.0;
      EXPECT_EQ(message(singular, colours),
                named + ": singular pivot at point (0, 0, 0), equation 1: the row of the pivot block is zero");
      // To a lower colour and to a higher one.
      coupling.blocks[block].block(4, Direction::west)(0, 1) = std::numeric_limits<double>::quiet_NaN();
      EXPECT_EQ(message(coupling, colours),
                named + ": not finite at point (0, 2, 0): block west, which points out of the grid");
    }
    // Both grid blocks fail: the one whose colour is lower is named.
    MultiBlockReference both(grid, n);
    both.blocks[1].block(4, Direction::west)(0, 1) = std::numeric_limits<double>::infinity();
    both.blocks[2].block(4, Direction::west)(0, 1) = std::numeric_limits<double>::infinity();
    EXPECT_THAT(message(both, colours), ::testing::StartsWith(colours[2] < 1 ? "grid block 2" : "grid block 1"));
  }
}

// Also what overflows only because it is scaled: here by 1 / (2 - w) = 4.
TYPED_TEST(ColouredSsor, couplings_that_cannot_be_stored_are_a_failure) {
  constexpr int n = 2;
  auto const grid = cut_grid(Grid(4, 3, 2), {2, 1, 1}).grid;
  double const largest = std::numeric_limits<float>::max();
  for (int const block : {0, 1}) {
    auto const place = [&](MultiBlockReference& a) -> double& {
      return a.blocks[block].block(block == 0 ? 1 : 2, block == 0 ? Direction::east : Direction::west)(0, 1);
    };
    for (auto const& colours : {std::vector{0, 1}, std::vector{1, 0}}) {
      auto const status = [&](double coupling, double w) {
        MultiBlockReference reference(grid, n);
        place(reference) = coupling;
        MultiBlock<Ssor<double, n, TypeParam, float>> plan(
            this->exec, grid, {.coupling = Coupling::coloured, .colours = colours, .block = {.relaxation = w}});
        plan.factor(this->exec, to_device<double, n, double>(this->exec, reference));
        return plan.status(this->exec);
      };
      EXPECT_EQ(status(1e60, 1.0).failure, FactorFailure::overflow) << block;
      EXPECT_EQ(status(1e60, 1.0).grid_block, block);
      if (colours[block] == 0) continue;
      EXPECT_TRUE(status(0.5 * largest, 1.0).ok()) << block;
      EXPECT_EQ(status(0.5 * largest, 1.75).failure, FactorFailure::overflow) << block;
    }
  }
}

}  // namespace
}  // namespace hyperplane::test
