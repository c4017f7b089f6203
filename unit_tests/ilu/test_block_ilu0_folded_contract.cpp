// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/blocks/parted.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/folded_order.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

// BILU(0) from the corners of the grid to its middle: failures, what is refused, and grid blocks.
namespace hyperplane::test::ilu0_folded_contract {
namespace {

template <class Exec>
class BlockIlu0FoldedContract : public ::testing::Test {};
TYPED_TEST_SUITE(BlockIlu0FoldedContract, ExecutionSpaces, SpaceNames);

constexpr FoldedDirections all_folded{true, true, true};

/// 2 I at every point.
ReferenceStencil diagonal_stencil(const Grid& grid, int n) {
  ReferenceStencil a(grid, n);
  for (auto& blocks : a.blocks) {
    for (int r = 0; r < n; ++r) blocks[static_cast<int>(Direction::center)](r, r) = 2.0;
  }
  return a;
}

/// The same on all paths.
template <class Storage = double, class Exec>
FactorStatus status(const Exec& exec, const ReferenceStencil& a) {
  std::vector<FactorStatus> found;
  for (auto const path : folded_paths_of<Exec>()) {
    BlockIlu0<double, 2, Exec, Storage> ilu(exec, a.grid, {.path = path, .folded = all_folded});
    ilu.factor(exec, to_device<double, 2, double>(exec, a));
    found.push_back(ilu.status(exec));
    EXPECT_EQ(found.back().message(), found.front().message()) << name(path);
  }
  return found.back();
}

TYPED_TEST(BlockIlu0FoldedContract, names_the_first_failure_in_its_order) {
  TypeParam const exec;
  Grid const grid(6, 9, 4);
  for (auto const direction : stencil7_directions) {
    if (direction == Direction::center) continue;
    // Both directions of a middle point come before it. Its pivot vanishes by elimination.
    auto a = diagonal_stencil(grid, 2);
    Point const middle{3, 4, 2};
    Point const other = neighbour(middle, direction);
    a.block(grid.index(middle), direction)(1, 1) = 1.0;
    a.block(grid.index(other), opposite(direction))(1, 1) = 4.0;
    auto const found = status(exec, a);
    EXPECT_EQ(found.point, middle) << found.message();
    EXPECT_EQ(found.equation, 1) << found.message();
    EXPECT_TRUE(found.singular());

    // A block of the neighbour that is not finite is met there.
    a.block(grid.index(other), opposite(direction))(1, 1) = std::numeric_limits<double>::infinity();
    auto const infinite = status(exec, a);
    EXPECT_EQ(infinite.failure, FactorFailure::not_finite) << infinite.message();
    EXPECT_EQ(infinite.point, middle) << infinite.message();
    ASSERT_TRUE(infinite.block.has_value());
    EXPECT_EQ(*infinite.block, (BlockPlace{other, opposite(direction)})) << infinite.message();
    // In 16 bits at the neighbour, whose factors have it.
    auto const in_half = status<Half>(exec, a);
    EXPECT_EQ(in_half.failure, FactorFailure::not_finite) << in_half.message();
    EXPECT_EQ(in_half.block, infinite.block) << in_half.message();

    // One that a float cannot have is the neighbour's failure.
    a.block(grid.index(other), opposite(direction))(1, 1) = 1e40;
    auto const overflow = status<float>(exec, a);
    EXPECT_EQ(overflow.failure, FactorFailure::overflow) << overflow.message();
    EXPECT_EQ(overflow.point, other) << overflow.message();
  }
  // The last point of the grid comes before the second one.
  auto a = diagonal_stencil(grid, 2);
  for (auto const& point : {Point{5, 8, 3}, Point{3, 4, 2}, Point{1, 1, 1}}) {
    for (auto& entry : a.block(grid.index(point), Direction::center).entries) entry = 0.0;
  }
  EXPECT_EQ(status(exec, a).point, (Point{5, 8, 3}));
}

TYPED_TEST(BlockIlu0FoldedContract, other_paths_and_couplings_are_refused) {
  using Ilu = BlockIlu0<double, 2, TypeParam>;
  TypeParam const exec;
  Grid const grid(8, 8, 4);
  auto const expect_error = [](const std::string& message, const auto& call) {
    EXPECT_THAT(message_of(call), ::testing::StartsWith(message));
  };
  for (auto const path : sweep_paths) {
    auto const paths = folded_paths_of<TypeParam>();
    if (path == SweepPath::automatic || std::ranges::find(paths, path) != paths.end()) continue;
    expect_error(std::string("BlockIlu0: folded directions have no path ") + name(path) + " on " + TypeParam::name(),
                 [&] { Ilu(exec, grid, {.path = path, .folded = {.j = true}}); });
  }
  for (auto const coupling : {Coupling::coloured, Coupling::natural}) {
    auto const message =
        std::string("MultiBlock: folded directions have no coupling ") + name(coupling) + ", but none alone";
    BlockIlu0Options const block{.folded = all_folded};
    expect_error(message, [&] {
      MultiBlock<Ilu>(exec, cut_grid(grid, {2, 1, 1}).grid, {.coupling = coupling, .colours = {}, .block = block});
    });
    expect_error(message, [&] { Parted<Ilu>(exec, grid, {.parts = {2, 1, 1}, .coupling = coupling, .block = block}); });
  }
}

TEST(BlockIlu0FoldedChoice, hosts_take_hyperplanes_where_boxes_have_few_slabs_for_the_threads) {
  auto const suits = [](const Grid& grid, const FoldedDirections& folded, int threads) {
    return detail::suits_folded_pieces(FoldedOrder(grid, folded), 8, threads);
  };
  EXPECT_TRUE(suits(Grid(55, 55, 55), all_folded, 64));
  EXPECT_TRUE(suits(Grid(1000, 1, 1000), {.i = true, .k = true}, 16));
  EXPECT_FALSE(suits(Grid(1000, 1, 1000), {.i = true, .k = true}, 32));
  EXPECT_FALSE(suits(Grid(200, 8, 200), {.k = true}, 16));
  // Few points for many threads.
  EXPECT_TRUE(suits(Grid(20, 1, 20), {.i = true, .k = true}, 32));
}

TYPED_TEST(BlockIlu0FoldedContract, parts_without_coupling_are_folded_each) {
  using Ilu = BlockIlu0<double, 2, TypeParam>;
  TypeParam const exec;
  auto const a = random_stencil(Grid(8, 9, 5), 2);
  auto const matrix = to_device<double, 2, double>(exec, a);
  auto const rhs = random_vector(a.rows());
  Parted<Ilu> parted(exec, a.grid, {.parts = {2, 1, 1}, .block = {.folded = all_folded}});
  parted.factor(exec, matrix);
  auto const x = to_device<double, 2>(exec, a.grid, rhs);
  parted.solve(exec, x, x);
  // The same by hand: without couplings between the halves, whose points have an order of their own.
  auto cut = a;
  for (int k = 0; k < 5; ++k) {
    for (int j = 0; j < 9; ++j) {
      for (auto& entry : cut.block(a.grid.index(3, j, k), Direction::east).entries) entry = 0.0;
      for (auto& entry : cut.block(a.grid.index(4, j, k), Direction::west).entries) entry = 0.0;
    }
  }
  std::vector<std::int64_t> order;
  for (int const begin : {0, 4}) {
    for (auto const number : folded_order(Grid(4, 9, 5), all_folded)) {
      Point const p = Grid(4, 9, 5).point(number);
      order.push_back(a.grid.index(p.i + begin, p.j, p.k));
    }
  }
  EXPECT_TRUE(near(to_host(exec, x), ReferenceIlu0(cut, order).solve(rhs), rounding<double>(100, 2)));
}

}  // namespace
}  // namespace hyperplane::test::ilu0_folded_contract
