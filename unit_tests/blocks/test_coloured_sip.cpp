// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <cstdint>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/sip/sip.hpp>
#include <vector>

#include "coloured_sip_reference.hpp"
#include "multi_block_fixture.hpp"
#include "support/solver_paths.hpp"

// SIP whose grid blocks are coupled as those of ILU(0) are.
namespace hyperplane::test {
namespace {

template <class Exec>
class ColouredSip : public MultiBlockTest<Exec> {
 protected:
  template <class Storage = double, class MatrixStorage = Storage>
  void expect_in_order(const std::string& what, const MultiBlockGrid& grid, const std::vector<int>& colours,
                       double tolerance) {
    for (double const alpha : {0.0, 0.92}) {
      this->template expect_coupled<Sip<double, Exec, Storage>, MatrixStorage>(
          what + ", alpha = " + std::to_string(alpha), grid,
          {.coupling = Coupling::coloured, .colours = colours, .block = {.alpha = alpha}},
          [&](const MultiBlockReference& a, const std::vector<int>& found) {
            return ReferenceColouredSip(a, found, alpha);
          },
          tolerance);
    }
  }
};
TYPED_TEST_SUITE(ColouredSip, ExecutionSpaces, SpaceNames);

TYPED_TEST(ColouredSip, is_sip_of_grid_blocks_with_couplings_of_ilu0) {
  for (auto const& [what, grid] : awkward_grids()) this->expect_in_order(what, grid, {}, 1e-12);
  auto const grid = cut_grid(Grid(7, 12, 5), {2, 3, 2}).grid;
  this->expect_in_order("a colour for each", grid, {11, 3, 5, 7, 9, 1, 2, 0, 4, 6, 8, 10}, 1e-12);
  this->template expect_in_order<float>("stored as float", grid, {}, 1e-5);
  this->template expect_in_order<float, double>("factors stored as float", grid, {}, 1e-5);
  for (auto const& transform : all_transforms()) {
    this->expect_in_order(to_string(transform), joined_pair(Grid(3, 5, 2), transform), {1, 0}, 1e-12);
  }
}

// With alpha = 0 SIP is ILU(0).
TYPED_TEST(ColouredSip, is_ilu0_of_the_whole_matrix_without_extrapolation) {
  auto const grid = cut_grid(Grid(7, 12, 5), {2, 3, 2}).grid;
  this->template expect_coupled<Sip<double, TypeParam>, double>(
      "alpha = 0", grid, {.coupling = Coupling::coloured, .block = {.alpha = 0}},
      [&](const MultiBlockReference& a, const std::vector<int>& found) {
        return ReferenceOrderedIlu0(a.rows_without_own(), coloured_places(grid, found));
      },
      1e-12);
}

TYPED_TEST(ColouredSip, paths_agree) {
  auto const grid = cut_grid(Grid(9, 17, 6), {2, 2, 2}).grid;
  auto const a = to_device<double, 1, double>(this->exec, MultiBlockReference(grid, 1));
  auto const rhs = to_device<double, 1>(this->exec, grid, random_vector(grid.size()));
  std::vector<double> first;
  for (auto const path : paths_of<TypeParam>()) {
    MultiBlock<Sip<double, TypeParam>> plan(this->exec, grid,
                                            {.coupling = Coupling::coloured, .block = {.path = path}});
    MultiBlockVector<double, 1, TypeParam> const x(this->exec, grid);
    plan.factor(this->exec, a);
    plan.solve(this->exec, rhs, x);
    if (first.empty()) first = to_host(this->exec, x);
    EXPECT_TRUE(near(to_host(this->exec, x), first, 1e-13)) << name(path);
  }
}

/// -1 to each neighbour, also across interfaces, and their number on the diagonal, with a little more.
MultiBlockReference poisson(const MultiBlockGrid& grid) {
  MultiBlockReference a(grid, 1);
  for (auto& block : a.blocks) {
    for (std::int64_t p = 0; p < block.grid.size(); ++p) {
      for (auto const d : stencil7_directions) block.block(p, d)(0, 0) = d == Direction::center ? 6.001 : -1.0;
    }
  }
  return a;
}

TYPED_TEST(ColouredSip, takes_fewer_iterations_than_without_couplings) {
  auto const grid = cut_grid(Grid(24, 20, 16), {2, 2, 2}).grid;
  auto const reference = poisson(grid);
  auto const a = to_device<double, 1, double>(this->exec, reference);
  auto const b = to_device<double, 1>(this->exec, grid, random_vector(grid.size()));
  auto const iterations = [&](Coupling coupling) {
    using Vector = MultiBlockVector<double, 1, TypeParam>;
    MultiBlock<Sip<double, TypeParam>> plan(this->exec, grid, {.coupling = coupling});
    plan.factor(this->exec, a);
    Vector const x(this->exec, grid);
    auto const result = BiCgStab<Vector>(this->exec, grid, {.tolerance = 1e-8}).solve(this->exec, a, plan, b, x);
    EXPECT_TRUE(result.converged());
    return result.iterations;
  };
  EXPECT_LT(iterations(Coupling::coloured), iterations(Coupling::none));
}

TYPED_TEST(ColouredSip, has_no_natural_order) {
  auto const grid = cut_grid(Grid(6, 4, 4), {2, 1, 1}).grid;
  EXPECT_THAT(([&] { MultiBlock<Sip<double, TypeParam>>(this->exec, grid, {.coupling = Coupling::natural}); }),
              ::testing::ThrowsMessage<Error>(
                  ::testing::HasSubstr("this preconditioner has no coupling natural; its couplings: none, coloured")));
}

}  // namespace
}  // namespace hyperplane::test
