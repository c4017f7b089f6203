// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <hyperplane/blocks/apply.hpp>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/line/line_implicit.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <limits>
#include <string>
#include <vector>

#include "multi_block_grids.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/multi_block_reference.hpp"
#include "support/random_system.hpp"

namespace hyperplane::test {
namespace {

using ::testing::HasSubstr;

template <class Exec>
class MultiBlockTest : public ::testing::Test {
 protected:
  template <int n>
  void expect_product(const std::string& what, const MultiBlockGrid& grid) {
    MultiBlockReference const reference(grid, n);
    auto const rows = reference.rows();
    auto const x_values = random_vector(grid.size() * n), b_values = random_vector(grid.size() * n, 3);
    auto const expected = rows * x_values;
    auto const a = to_device<double, n, double>(exec, reference);
    auto const x = to_device<double, n>(exec, grid, x_values);
    auto const y = to_device<double, n>(exec, grid, b_values);
    apply(exec, a, x, y);
    EXPECT_TRUE(near(to_host(exec, y), expected, 1e-13)) << what << ", n = " << n;
    // In place.
    auto const b = to_device<double, n>(exec, grid, b_values);
    residual(exec, a, b, x, b);
    std::vector<double> rest(b_values.size());
    for (std::size_t e = 0; e < rest.size(); ++e) rest[e] = b_values[e] - expected[e];
    EXPECT_TRUE(near(to_host(exec, b), rest, 1e-13)) << what << ", n = " << n;
  }

  /// A solve with Coupling::coloured is that of BILU(0) of the whole matrix in that order.
  template <int n, class Storage = double, class MatrixStorage = Storage>
  void expect_coloured(const std::string& what, const MultiBlockGrid& grid, const std::vector<int>& colours,
                       double tolerance) {
    MultiBlockReference const reference(grid, n);
    auto const a = to_device<double, n, MatrixStorage>(exec, reference);
    auto const before = to_host(a.flat());
    using Ilu = MultiBlock<BlockIlu0<double, n, Exec, Storage>>;
    Ilu ilu(exec, grid, {.coupling = Coupling::coloured, .colours = colours});
    ilu.factor(exec, a);
    ASSERT_TRUE(ilu.status(exec).ok()) << what << ": " << ilu.status(exec).message();
    EXPECT_TRUE(bitwise_equal(to_host(a.flat()), before)) << what;
    // A may go.
    Kokkos::deep_copy(exec, a.flat(), static_cast<MatrixStorage>(0));
    ReferenceOrderedIlu0 const expected(reference.rows_without_own(), coloured_places(grid, ilu.colours()));
    auto const values = random_vector(grid.size() * n, 4);
    auto const rhs = to_device<double, n>(exec, grid, values);
    MultiBlockVector<double, n, Exec> const x(exec, grid);
    ilu.solve(exec, rhs, x);
    EXPECT_TRUE(near(to_host(exec, x), expected.solve(values), tolerance)) << what << ", n = " << n;
    EXPECT_TRUE(bitwise_equal(to_host(exec, rhs), values)) << what;
    ilu.solve(exec, rhs, rhs);
    EXPECT_TRUE(bitwise_equal(to_host(exec, rhs), to_host(exec, x))) << what << ", in place";
  }

  Exec exec{};
};
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
  constexpr int n = 4;
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

/// A preconditioner as any other.
static_assert(PreconditionerPlan<MultiBlock<BlockIlu0<double, 2, Kokkos::DefaultHostExecutionSpace>>,
                                 MultiBlockStencil7<double, 2, Kokkos::DefaultHostExecutionSpace>>);

// The first failure in the order of the factorization: what comes later fails because of it.
TYPED_TEST(MultiBlockTest, failures_have_their_grid_block) {
  constexpr int n = 2;
  auto const grid = cut_grid(Grid(6, 4, 4), {3, 1, 1}).grid;
  auto const status_of = [&](const MultiBlockReference& reference, const std::vector<int>& colours) {
    MultiBlock<BlockIlu0<double, n, TypeParam>> ilu(
        this->exec, grid, {.coupling = colours.empty() ? Coupling::none : Coupling::coloured, .colours = colours});
    ilu.factor(this->exec, to_device<double, n, double>(this->exec, reference));
    auto const status = ilu.status(this->exec);
    // The next one begins anew.
    ilu.factor(this->exec, to_device<double, n, double>(this->exec, MultiBlockReference(grid, n)));
    EXPECT_TRUE(ilu.status(this->exec).ok()) << ilu.status(this->exec).message();
    return status;
  };
  for (int const block : {0, 1, 2}) {
    // The first point, at the west face: without neighbours before it, where colours rise with numbers or fall.
    for (auto const& colours : std::vector<std::vector<int>>{{}, {0, 1, 0}, {1, 0, 1}, {0, 1, 2}, {2, 1, 0}}) {
      MultiBlockReference reference(grid, n);
      auto& failing = reference.blocks[block];
      failing.block(0, Direction::center)(1, 0) = failing.block(0, Direction::center)(1, 1) = 0.0;
      // What neighbours subtract from that row is zero.
      for (int c = 0; c < n; ++c) failing.block(0, Direction::west)(1, c) = 0.0;
      auto const status = status_of(reference, colours);
      EXPECT_EQ(status.failure, FactorFailure::zero_row) << status.message();
      EXPECT_EQ(status.grid_block, block);
      EXPECT_EQ(status.message(),
                "grid block " + std::to_string(block) +
                    ": singular pivot at point (0, 0, 0), equation 1: the row of the pivot block is zero");
    }
    if (block == 0) continue;
    // A coupling that is not finite, to a lower colour and to a higher one.
    for (auto const& colours : std::vector<std::vector<int>>{{0, 1, 2}, {2, 1, 0}}) {
      MultiBlockReference reference(grid, n);
      reference.blocks[block].block(4, Direction::west)(0, 1) = std::numeric_limits<double>::quiet_NaN();
      auto const status = status_of(reference, colours);
      EXPECT_EQ(status.message(), "grid block " + std::to_string(block) +
                                      ": not finite at point (0, 2, 0): block west, which points out of the grid");
    }
  }
  MultiBlockReference reference(grid, n);
  reference.blocks[2].block(3, Direction::north)(0, 1) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(describe_not_finite(this->exec, to_device<double, n, double>(this->exec, reference)),
            "grid block 2: block north of point (1, 1, 0) is not finite");
  EXPECT_EQ(describe_not_finite(this->exec, to_device<double, n, double>(this->exec, MultiBlockReference(grid, n))),
            "");
}

// Factors of float that couplings overflow.
TYPED_TEST(MultiBlockTest, couplings_that_cannot_be_stored_are_a_failure) {
  constexpr int n = 2;
  auto const grid = cut_grid(Grid(4, 3, 2), {2, 1, 1}).grid;
  for (int const block : {0, 1}) {
    for (auto const& colours : {std::vector{0, 1}, std::vector{1, 0}}) {
      MultiBlockReference reference(grid, n);
      auto const face = block == 0 ? Direction::east : Direction::west;
      reference.blocks[block].block(block == 0 ? 1 : 2, face)(0, 1) = 1e60;
      MultiBlock<BlockIlu0<double, n, TypeParam, float>> ilu(this->exec, grid,
                                                             {.coupling = Coupling::coloured, .colours = colours});
      ilu.factor(this->exec, to_device<double, n, double>(this->exec, reference));
      auto const status = ilu.status(this->exec);
      EXPECT_EQ(status.failure, FactorFailure::overflow) << block << ": " << status.message();
    }
  }
}

// What a factorization has changed in A is as it was, also where it does not end.
TYPED_TEST(MultiBlockTest, a_factorization_that_throws_leaves_the_matrix_as_it_was) {
  constexpr int n = 2;
  auto const grid = cut_grid(Grid(6, 4, 3), {2, 1, 1}).grid;
  auto const a = to_device<double, n, double>(this->exec, MultiBlockReference(grid, n));
  auto const before = to_host(a.flat());
  using Ilu = BlockIlu0<double, n, TypeParam>;
  using Couplings = typename detail::ColouredCouplingsOf<Ilu>::Type;
  std::vector<Ilu> plans;
  std::vector<typename Couplings::Factors> factors;
  for (auto const& block : grid.blocks()) plans.emplace_back(this->exec, block);
  for (auto const& plan : plans) factors.push_back(plan.sweeps().factors());
  Couplings const couplings(this->exec, grid, {0, 1}, factors);
  couplings.factor(this->exec, 0, a.flat().data(), [&] { plans[0].factor(this->exec, a.block(0)); });
  auto const fails = [&] {
    EXPECT_FALSE(bitwise_equal(to_host(a.flat()), before));
    fail("nothing works");
  };
  EXPECT_THROW(couplings.factor(this->exec, 1, a.flat().data(), fails), Error);
  EXPECT_TRUE(bitwise_equal(to_host(a.flat()), before));
}

TYPED_TEST(MultiBlockTest, wrong_use_is_refused) {
  constexpr int n = 2;
  auto const grid = cut_grid(Grid(6, 4, 4), {2, 1, 1}).grid;
  auto const other = MultiBlockGrid({Grid(3, 4, 4), Grid(3, 4, 4)});
  using Ilu = MultiBlock<BlockIlu0<double, n, TypeParam>>;
  using Vector = MultiBlockVector<double, n, TypeParam>;
  using Matrix = MultiBlockStencil7<double, n, TypeParam>;
  auto const message = [](auto call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing thrown";
  };
  Ilu ilu(this->exec, grid);
  Matrix const a(this->exec, grid);
  Vector const x(this->exec, grid), y(this->exec, other);
  EXPECT_THAT(message([&] { ilu.solve(this->exec, x, x); }), HasSubstr("MultiBlock::solve: called before factor"));
  EXPECT_THAT(message([&] { Ilu(this->exec, grid, {.colours = {0, 1}}); }), HasSubstr("coupling none has none"));
  EXPECT_THAT(message([&] { Ilu(this->exec, grid, {.coupling = static_cast<Coupling>(7)}); }),
              HasSubstr("this preconditioner has no coupling unknown"));
  EXPECT_THAT(message([&] { ilu.solve(this->exec, y, x); }),
              HasSubstr("MultiBlock::solve: the right-hand side is on 2 grid blocks (3x4x4, 3x4x4), expected 2 grid "
                        "blocks (3x4x4, 3x4x4) with the same interfaces"));
  EXPECT_THAT(message([&] { ilu.factor(this->exec, Matrix(this->exec, other)); }),
              HasSubstr("MultiBlock::factor: A is"));
  EXPECT_THAT(message([&] { apply(this->exec, a, x, y); }), HasSubstr("apply: the result is on 2 grid blocks"));
  EXPECT_THAT(message([&] { apply(this->exec, a, x, x); }), HasSubstr("the result must not be x"));
  EXPECT_THAT(message([&] { residual(this->exec, a, y, x, x); }), HasSubstr("residual: b is on 2 grid blocks"));
  EXPECT_THAT(message([&] { Ilu(this->exec, grid, {.coupling = Coupling::coloured, .colours = {0, 0}}); }),
              HasSubstr("grid blocks 0 and 1 have an interface and the same colour, 0"));
  EXPECT_THAT(message([&] {
                MultiBlock<BlockJacobi<double, n, TypeParam>>(this->exec, grid, {.coupling = Coupling::coloured});
              }),
              HasSubstr("this preconditioner has no coupling coloured"));
  // Part of a matrix: a handle of memory of the right size.
  EXPECT_THAT(message([&] { BlockStencil7<double, n, TypeParam>(Grid(1, 1, 1), a.flat()); }),
              HasSubstr("are not those of 2 x 2 blocks on a grid of 1x1x1 points"));
}

}  // namespace
}  // namespace hyperplane::test
