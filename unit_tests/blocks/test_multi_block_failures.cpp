// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/krylov/concepts.hpp>
#include <limits>
#include <new>
#include <string_view>

#include "multi_block_fixture.hpp"
#include "support/message_of.hpp"

namespace hyperplane::test {
namespace {

using ::testing::HasSubstr;

TYPED_TEST_SUITE(MultiBlockTest, ExecutionSpaces, SpaceNames);

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

/// One entry that a float cannot have or that is not finite, at a point of a grid block, for a neighbour there or in
/// another grid block.
template <class Plan>
void expect_failure_at(const CutGrid& cut, int block, const Point& point, double value, Plan& plan) {
  constexpr int n = Plan::block_size;
  typename Plan::execution_space const exec;
  for (auto const direction : stencil7_directions) {
    auto const& grid = cut.grid.block(block);
    Point const begin = cut.boxes[block].begin, other = neighbour(point, direction);
    bool const inside = Grid(6, 8, 3).contains({begin.i + other.i, begin.j + other.j, begin.k + other.k});
    bool const taken = inside && (grid.contains(other) || plan.coupling() != Coupling::none);
    if (direction == Direction::center || !taken) continue;
    MultiBlockReference reference(cut.grid, n);
    reference.blocks[block].block(grid.index(point), direction)(1, 0) = value;
    plan.factor(exec, to_device<double, n, double>(exec, reference));
    auto const status = plan.status(exec);
    bool const finite = std::isfinite(value);
    EXPECT_EQ(status.failure, finite ? FactorFailure::overflow : FactorFailure::not_finite) << status.message();
    bool const named = finite ? status.point == point : status.block == BlockPlace{point, direction};
    EXPECT_TRUE(status.grid_block == block && named)
        << value << ", " << name(plan.coupling()) << ", " << name(direction) << " of " << detail::to_text(point)
        << " of grid block " << block << ": " << status.message();
  }
}

// Factors of float, whatever the direction.
TYPED_TEST(MultiBlockTest, points_whose_factors_cannot_be_stored_are_named) {
  auto const cut = cut_grid(Grid(6, 8, 3), {2, 2, 1});
  for (auto const coupling : {Coupling::none, Coupling::coloured, Coupling::natural}) {
    MultiBlock<BlockIlu0<double, 2, TypeParam, float>> plan(this->exec, cut.grid, {.coupling = coupling});
    for (int const block : {0, 1, 3}) {
      // Inside, at a corner, and at the faces between grid blocks.
      for (auto const& point : {Point{1, 1, 1}, Point{0, 0, 1}, Point{2, 3, 1}, Point{2, 1, 1}}) {
        for (double const value : {1e40, std::numeric_limits<double>::quiet_NaN()}) {
          expect_failure_at(cut, block, point, value, plan);
        }
      }
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
  Couplings const couplings(this->exec, grid, detail::Colouring({0, 1}), factors, {}, nullptr, false, {});
  couplings.factor(this->exec, 0, a.flat().data(), [&] { plans[0].factor(this->exec, a.block(0)); });
  auto const fails = [&] {
    EXPECT_FALSE(bitwise_equal(to_host(a.flat()), before));
    fail("nothing works");
  };
  EXPECT_THROW(couplings.factor(this->exec, 1, a.flat().data(), fails), Error);
  EXPECT_TRUE(bitwise_equal(to_host(a.flat()), before));
}

// So it is where a launch throws behind what has changed A.
TYPED_TEST(MultiBlockTest, a_launch_that_throws_leaves_the_matrix_as_it_was) {
  constexpr int n = 2;
  auto const grid = cut_grid(Grid(9, 4, 3), {3, 1, 1}).grid;
  auto const a = to_device<double, n, double>(this->exec, MultiBlockReference(grid, n));
  auto const before = to_host(a.flat());
  MultiBlock<BlockIlu0<double, n, TypeParam>> ilu(this->exec, grid,
                                                  {.coupling = Coupling::coloured, .colours = {0, 1, 2}});
  namespace tools = Kokkos::Tools::Experimental;
  static int left = 0;
  left = 1;
  tools::set_begin_parallel_for_callback([](const char* label, std::uint32_t, std::uint64_t*) {
    if (std::string_view(label) == "Hyperplane::MultiBlock::factor::scale" && left-- == 0) throw std::bad_alloc();
  });
  EXPECT_THROW(ilu.factor(this->exec, a), std::bad_alloc);
  tools::set_begin_parallel_for_callback(nullptr);
  EXPECT_TRUE(bitwise_equal(to_host(a.flat()), before));
  ilu.factor(this->exec, a);
  EXPECT_TRUE(ilu.status(this->exec).ok());
}

TYPED_TEST(MultiBlockTest, wrong_use_is_refused) {
  constexpr int n = 2;
  auto const grid = cut_grid(Grid(6, 4, 4), {2, 1, 1}).grid;
  auto const other = MultiBlockGrid({Grid(3, 4, 4), Grid(3, 4, 4)});
  using Ilu = MultiBlock<BlockIlu0<double, n, TypeParam>>;
  using Vector = MultiBlockVector<double, n, TypeParam>;
  using Matrix = MultiBlockStencil7<double, n, TypeParam>;
  Ilu ilu(this->exec, grid);
  Matrix const a(this->exec, grid);
  Vector const x(this->exec, grid), y(this->exec, other);
  EXPECT_THAT(message_of([&] { ilu.solve(this->exec, x, x); }), HasSubstr("MultiBlock::solve: called before factor"));
  EXPECT_THAT(message_of([&] { Ilu(this->exec, grid, {.colours = {0, 1}}); }), HasSubstr("coupling none takes none"));
  EXPECT_THAT(message_of([&] { Ilu(this->exec, grid, {.coupling = Coupling::natural, .colours = {0, 1}}); }),
              HasSubstr("coupling natural takes none"));
  EXPECT_THAT(message_of([&] { Ilu(this->exec, grid, {.coupling = static_cast<Coupling>(7)}); }),
              HasSubstr("this preconditioner has no coupling unknown"));
  EXPECT_THAT(message_of([&] { ilu.solve(this->exec, y, x); }),
              HasSubstr("MultiBlock::solve: the right-hand side is on 2 grid blocks (3x4x4, 3x4x4), expected 2 grid "
                        "blocks (3x4x4, 3x4x4) with the same interfaces"));
  EXPECT_THAT(message_of([&] { ilu.factor(this->exec, Matrix(this->exec, other)); }),
              HasSubstr("MultiBlock::factor: A is"));
  EXPECT_THAT(message_of([&] { apply(this->exec, a, x, y); }), HasSubstr("apply: the result is on 2 grid blocks"));
  EXPECT_THAT(message_of([&] { apply(this->exec, a, x, x); }), HasSubstr("the result must not be x"));
  EXPECT_THAT(message_of([&] { residual(this->exec, a, y, x, x); }), HasSubstr("residual: b is on 2 grid blocks"));
  EXPECT_THAT(message_of([&] { Ilu(this->exec, grid, {.coupling = Coupling::coloured, .colours = {0, 0}}); }),
              HasSubstr("grid blocks 0 and 1 have an interface and the same colour, 0"));
  EXPECT_THAT(message_of([&] {
                MultiBlock<BlockJacobi<double, n, TypeParam>>(this->exec, grid, {.coupling = Coupling::coloured});
              }),
              HasSubstr("this preconditioner has no coupling coloured; its couplings: none"));
  EXPECT_THAT(message_of([&] {
                MultiBlock<BlockJacobi<double, n, TypeParam>>(this->exec, grid, {.coupling = Coupling::natural});
              }),
              HasSubstr("this preconditioner has no coupling natural"));
  // Grid blocks of other processes.
  EXPECT_THAT(message_of([&] { Ilu(this->exec, grid, {.coupling = Coupling::coloured}, {}, nullptr); }),
              HasSubstr("MultiBlock: it is not said what other processes have"));
  EXPECT_THAT(message_of([&] { Ilu(this->exec, grid, {}, {0, 1}, nullptr); }),
              HasSubstr("MultiBlock: coupling has to be coloured or natural where there are other processes"));
  // Part of a matrix: a handle of memory of the right size.
  EXPECT_THAT(message_of([&] { BlockStencil7<double, n, TypeParam>(Grid(1, 1, 1), a.flat()); }),
              HasSubstr("are not those of 2 x 2 blocks on a grid of 1x1x1 points"));
  // A handle of the values of a vector.
  EXPECT_EQ((MultiBlockVector<double, n, TypeParam>(grid, x.flat()).block(1).flat().data()), x.block(1).flat().data());
  EXPECT_THAT(message_of([&] { MultiBlockVector<double, n + 1, TypeParam>(grid, x.flat()); }),
              HasSubstr("values are not those of 3 unknowns on " + to_string(grid)));
}

}  // namespace
}  // namespace hyperplane::test
