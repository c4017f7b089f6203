// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/line/line_implicit.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <limits>

#include "multi_block_fixture.hpp"

namespace hyperplane::test {
namespace {

TYPED_TEST_SUITE(MultiBlockTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(MultiBlockTest, products_over_grids_that_are_awkward) {
  for (auto const& [what, grid] : awkward_grids()) {
    this->template expect_product<1>(what, grid);
    this->template expect_product<3>(what, grid);
  }
}

TYPED_TEST(MultiBlockTest, products_whatever_the_axes_of_the_neighbour) {
  for (auto const& transform : all_transforms()) {
    this->template expect_product<2>(to_string(transform), joined_pair(Grid(3, 5, 2), transform));
  }
}

// What is computed over the parts of a grid is what is computed over the whole.
TYPED_TEST(MultiBlockTest, products_over_parts_are_those_of_the_whole) {
  constexpr int n = 2;
  Grid const whole(9, 14, 5);
  auto const a = random_stencil(whole, n);
  auto const cut = cut_grid(whole, {2, 3, 2});
  MultiBlockReference parts(cut.grid, n);
  auto const values = random_vector(whole.size() * n);
  std::vector<double> given(values.size()), expected(values.size());
  auto const product = a.apply(values);
  for (int b = 0; b < cut.grid.block_count(); ++b) {
    auto const& begin = cut.boxes[b].begin;
    for (std::int64_t p = 0; p < cut.grid.block(b).size(); ++p) {
      Point const here = cut.grid.block(b).point(p);
      auto const q = whole.index(begin.i + here.i, begin.j + here.j, begin.k + here.k);
      parts.blocks[b].blocks[p] = a.blocks[q];
      for (int c = 0; c < n; ++c) {
        given[(cut.grid.first_point(b) + p) * n + c] = values[q * n + c];
        expected[(cut.grid.first_point(b) + p) * n + c] = product[q * n + c];
      }
    }
  }
  MultiBlockVector<double, n, TypeParam> const y(this->exec, cut.grid);
  apply(this->exec, to_device<double, n, double>(this->exec, parts), to_device<double, n>(this->exec, cut.grid, given),
        y);
  EXPECT_TRUE(near(to_host(this->exec, y), expected, 1e-13));
}

TYPED_TEST(MultiBlockTest, without_coupling_every_grid_block_is_solved_by_itself) {
  constexpr int n = 2;
  auto const check = [&]<class P>(const char* what, const MultiBlockGrid& grid) {
    MultiBlockReference const reference(grid, n);
    auto const a = to_device<double, n, double>(this->exec, reference);
    MultiBlock<P> all(this->exec, grid);
    EXPECT_EQ(all.coupling(), Coupling::none);
    all.factor(this->exec, a);
    EXPECT_TRUE(all.status(this->exec).ok()) << what;
    auto const rhs = to_device<double, n>(this->exec, grid, random_vector(grid.size() * n));
    MultiBlockVector<double, n, TypeParam> const x(this->exec, grid);
    all.solve(this->exec, rhs, x);
    for (int b = 0; b < grid.block_count(); ++b) {
      P one(this->exec, grid.block(b));
      one.factor(this->exec, a.block(b));
      BlockVector<double, n, TypeParam> const expected(this->exec, grid.block(b));
      one.solve(this->exec, rhs.block(b), expected);
      EXPECT_TRUE(bitwise_equal(to_host(this->exec, x.block(b)), to_host(this->exec, expected))) << what << b;
    }
  };
  for (auto const& [what, grid] : awkward_grids()) {
    check.template operator()<BlockIlu0<double, n, TypeParam>>(what.c_str(), grid);
  }
  auto const grid = cut_grid(Grid(9, 12, 5), {2, 2, 2}).grid;
  check.template operator()<Ssor<double, n, TypeParam>>("Ssor", grid);
  check.template operator()<BlockJacobi<double, n, TypeParam>>("BlockJacobi", grid);
  check.template operator()<BlockIlu0<double, n, TypeParam, float>>("BlockIlu0, float", grid);
  check.template operator()<LineImplicit<double, n, TypeParam>>("LineImplicit", grid);
}

TYPED_TEST(MultiBlockTest, coloured_is_an_order_of_the_whole_matrix) {
  for (auto const& [what, grid] : awkward_grids()) {
    this->template expect_coloured<1>(what, grid, {}, 1e-12);
    this->template expect_coloured<3>(what, grid, {}, 1e-12);
  }
  auto const grid = cut_grid(Grid(7, 12, 5), {2, 3, 2}).grid;
  this->template expect_coloured<5>("n = 5", grid, {}, 1e-12);
  this->template expect_coloured<16>("n = 16", cut_grid(Grid(5, 4, 3), {2, 2, 1}).grid, {}, 1e-12);
  this->template expect_coloured<2>("a colour for each", grid, {11, 3, 5, 7, 9, 1, 2, 0, 4, 6, 8, 10}, 1e-12);
  int const largest = std::numeric_limits<int>::max();
  this->template expect_coloured<2>("large colours", cut_grid(Grid(6, 3, 3), {2, 1, 1}).grid, {largest, 1}, 1e-12);
  this->template expect_coloured<3, float>("stored as float", grid, {}, 1e-5);
  this->template expect_coloured<3, float, double>("factors stored as float", grid, {}, 1e-5);
  this->template expect_coloured<3, double, float>("a matrix of float", grid, {}, 1e-5);
}

TYPED_TEST(MultiBlockTest, coloured_whatever_the_axes_of_the_neighbour) {
  for (auto const& transform : all_transforms()) {
    this->template expect_coloured<2>(to_string(transform), joined_pair(Grid(3, 5, 2), transform), {}, 1e-12);
    this->template expect_coloured<2>(to_string(transform), joined_pair(Grid(3, 5, 2), transform), {1, 0}, 1e-12);
  }
}

TYPED_TEST(MultiBlockTest, natural_is_bilu0_of_the_box) {
  for (auto const& parts : {std::array{1, 1, 1}, std::array{4, 1, 1}, std::array{1, 3, 1}, std::array{1, 1, 5},
                            std::array{2, 3, 2}, std::array{7, 1, 5}, std::array{7, 12, 5}}) {
    auto const what = std::to_string(parts[0]) + "x" + std::to_string(parts[1]) + "x" + std::to_string(parts[2]);
    auto const cut = cut_grid(Grid(7, 12, 5), parts);
    this->template expect_natural<1>(what, cut, 1e-12);
    this->template expect_natural<4>(what, cut, 1e-12);
  }
  this->template expect_natural<16>("n = 16", cut_grid(Grid(5, 4, 3), {1, 2, 2}), 1e-12);
  this->template expect_natural<3, float>("float", cut_grid(Grid(9, 6, 4), {2, 2, 2}), 1e-5);
}

// Its last points are neighbours of the first, and come after them.
TYPED_TEST(MultiBlockTest, natural_is_bilu0_of_a_periodic_box) {
  for (auto const& parts : {std::array{2, 1, 1}, std::array{1, 1, 1}, std::array{4, 2, 1}, std::array{2, 3, 5}}) {
    for (auto const& periodic : {std::array{true, false, false}, std::array{true, true, true}}) {
      auto const what = std::to_string(parts[0]) + "x" + std::to_string(parts[1]) + "x" + std::to_string(parts[2]);
      auto const cut = cut_grid(Grid(8, 12, 5), parts, periodic);
      this->template expect_natural<2>(what, cut, 1e-12);
      this->template expect_natural<3>(what, cut, 1e-12);
    }
  }
}

TYPED_TEST(MultiBlockTest, coloured_paths_agree) {
  constexpr int n = 3;
  auto const grid = cut_grid(Grid(9, 17, 6), {2, 2, 2}).grid;
  MultiBlockReference const reference(grid, n);
  auto const a = to_device<double, n, double>(this->exec, reference);
  auto const rhs = to_device<double, n>(this->exec, grid, random_vector(grid.size() * n));
  std::vector<double> first;
  for (auto const path : paths_of<TypeParam>()) {
    MultiBlock<BlockIlu0<double, n, TypeParam>> ilu(this->exec, grid,
                                                    {.coupling = Coupling::coloured, .block = {.path = path}});
    MultiBlockVector<double, n, TypeParam> const x(this->exec, grid);
    ilu.factor(this->exec, a);
    ilu.solve(this->exec, rhs, x);
    auto const values = to_host(this->exec, x);
    if (first.empty()) first = values;
    EXPECT_TRUE(near(values, first, 1e-13)) << name(path);
  }
}

// On what is left out of the pattern M is not A, but on A's pattern it is: for a grid that is a line of grid blocks M
// is A.
TYPED_TEST(MultiBlockTest, coloured_is_exact_on_a_line) {
  constexpr int n = 3;
  for (auto const& parts : {std::array{5, 1, 1}, std::array{1, 5, 1}, std::array{1, 1, 5}}) {
    Grid const line(parts[0] > 1 ? 23 : 1, parts[1] > 1 ? 23 : 1, parts[2] > 1 ? 23 : 1);
    auto const grid = cut_grid(line, parts).grid;
    MultiBlockReference const reference(grid, n);
    auto const a = to_device<double, n, double>(this->exec, reference);
    auto const solution = random_vector(grid.size() * n);
    auto const b = to_device<double, n>(this->exec, grid, reference.rows() * solution);
    // A colour between two others leaves fill-in out: ends have to come first.
    MultiBlock<BlockIlu0<double, n, TypeParam>> ilu(this->exec, grid,
                                                    {.coupling = Coupling::coloured, .colours = {0, 1, 2, 3, 4}});
    ilu.factor(this->exec, a);
    ilu.solve(this->exec, b, b);
    EXPECT_TRUE(near(to_host(this->exec, b), solution, 1e-11));
  }
}

TYPED_TEST(MultiBlockTest, krylov_methods_run_over_grid_blocks) {
  constexpr int n = 2;
  auto const grid = cut_grid(Grid(12, 16, 8), {2, 2, 2}, {true, false, false}).grid;
  MultiBlockReference const reference(grid, n);
  auto const a = to_device<double, n, double>(this->exec, reference);
  auto const solution = random_vector(grid.size() * n);
  auto const b = to_device<double, n>(this->exec, grid, reference.rows() * solution);
  using Vector = MultiBlockVector<double, n, TypeParam>;
  auto const iterations = [&](Coupling coupling) {
    MultiBlock<BlockIlu0<double, n, TypeParam>> ilu(this->exec, grid, {.coupling = coupling});
    ilu.factor(this->exec, a);
    Vector const x(this->exec, grid);
    auto const result = BiCgStab<Vector>(this->exec, grid, {.tolerance = 1e-10}).solve(this->exec, a, ilu, b, x);
    EXPECT_TRUE(result.converged()) << result.message();
    EXPECT_TRUE(near(to_host(this->exec, x), solution, 1e-7)) << name(coupling);
    return result.iterations;
  };
  EXPECT_LE(iterations(Coupling::coloured), iterations(Coupling::none));
}

}  // namespace
}  // namespace hyperplane::test
