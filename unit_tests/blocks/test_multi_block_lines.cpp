// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/line/line_implicit.hpp>
#include <hyperplane/line/line_jacobi.hpp>

#include "multi_block_fixture.hpp"
#include "support/kokkos_events.hpp"
#include "support/message_of.hpp"
#include "support/transposed_reference.hpp"

// The line-implicit iteration in several grid blocks, whose lines are solved together.
namespace hyperplane::test {
namespace {

using ::testing::StartsWith;

TYPED_TEST_SUITE(MultiBlockTest, ExecutionSpaces, SpaceNames);

static_assert(PreconditionerPlan<MultiBlock<LineImplicit<double, 2, Kokkos::DefaultHostExecutionSpace>>,
                                 MultiBlockStencil7<double, 2, Kokkos::DefaultHostExecutionSpace>>);

/// Each grid block has the bits of LineImplicit of it alone, or its values to a tolerance.
template <class P, class Exec>
void expect_single_blocks(const Exec& exec, const MultiBlockGrid& grid, const LineImplicitOptions& options,
                          const std::string& what, double tolerance = 0.0) {
  constexpr int n = P::block_size;
  auto const a = to_device<double, n, double>(exec, MultiBlockReference(grid, n));
  MultiBlock<P> all(exec, grid, {.block = options});
  all.factor(exec, a);
  EXPECT_TRUE(all.status(exec).ok()) << what;
  auto const rhs = to_device<double, n>(exec, grid, random_vector(grid.size() * n));
  MultiBlockVector<double, n, Exec> const x(exec, grid);
  all.solve(exec, rhs, x);
  for (int b = 0; b < grid.block_count(); ++b) {
    P one(exec, grid.block(b), options);
    one.factor(exec, a.block(b));
    BlockVector<double, n, Exec> const expected(exec, grid.block(b));
    one.solve(exec, rhs.block(b), expected);
    auto const got = to_host(exec, x.block(b)), wanted = to_host(exec, expected);
    EXPECT_TRUE(tolerance > 0.0 ? near(got, wanted, tolerance) : bitwise_equal(got, wanted)) << what << ", block " << b;
  }
  all.solve(exec, rhs, rhs);
  EXPECT_TRUE(bitwise_equal(to_host(exec, rhs), to_host(exec, x))) << what << " in place";
}

/// <M^-1 u, v> = <u, M^-T v>.
template <class P, class Exec>
void expect_transposed(const Exec& exec, const MultiBlockGrid& grid, const LineImplicitOptions& options,
                       const std::string& what) {
  constexpr int n = P::block_size;
  MultiBlock<P> lines(exec, grid, {.block = options});
  lines.factor(exec, to_device<double, n, double>(exec, MultiBlockReference(grid, n)));
  auto const u = random_vector(grid.size() * n, 5), v = random_vector(grid.size() * n, 6);
  MultiBlockVector<double, n, Exec> const x(exec, grid), y(exec, grid);
  lines.solve(exec, to_device<double, n>(exec, grid, u), x);
  lines.solve_transposed(exec, to_device<double, n>(exec, grid, v), y);
  EXPECT_TRUE(same_products(to_host(exec, x), v, u, to_host(exec, y), 1e-14)) << what;
}

TYPED_TEST(MultiBlockTest, lines_of_all_grid_blocks_have_the_bits_of_each) {
  using enum LineDirection;
  // Of one I and of several, where lines along k have one stride and where they have not; none is so long that few of
  // them are cut for the sake of threads.
  std::vector<std::pair<std::string, MultiBlockGrid>> const grids{
      {"one I", MultiBlockGrid({Grid(20, 3, 4), Grid(20, 17, 1), Grid(20, 8, 9)})},
      {"several I", MultiBlockGrid({Grid(20, 3, 4), Grid(1, 1, 1), Grid(7, 17, 5), Grid(29, 2, 2)})},
      {"parts", cut_grid(Grid(19, 13, 7), {2, 2, 2}).grid},
      {"a grid block alone", MultiBlockGrid({Grid(5, 6, 7)})}};
  for (auto const& [what, grid] : grids) {
    for (auto const& directions : std::vector<std::vector<LineDirection>>{{i}, {j}, {k}, {k, i, j}}) {
      LineImplicitOptions const options{.directions = directions, .sweeps = 2, .relaxation = 0.8};
      auto const all = what + ", " + std::to_string(directions.size()) + " directions from " + name(directions[0]);
      expect_single_blocks<LineImplicit<double, 3, TypeParam>>(this->exec, grid, options, all);
      expect_single_blocks<LineImplicit<double, 1, TypeParam>>(this->exec, grid, options, all);
      expect_transposed<LineImplicit<double, 3, TypeParam>>(this->exec, grid, options, all);
    }
    using Jacobi = LineImplicit<double, 2, TypeParam, double, LineJacobi<double, 2, TypeParam>>;
    // It stops by the lines of a SIMD group, in which there may be lines of other grid blocks.
    expect_single_blocks<Jacobi>(this->exec, grid, {.directions = {k, j}}, what + ", LineJacobi", 1e-4);
  }
}

// As many launches as one grid has, but for the rest where products of grid blocks follow one another.
TYPED_TEST(MultiBlockTest, lines_of_all_grid_blocks_are_launched_together) {
  constexpr int n = 2;
  auto const launches = [&](const MultiBlockGrid& grid, bool factor) {
    auto const a = to_device<double, n, double>(this->exec, MultiBlockReference(grid, n));
    MultiBlockVector<double, n, TypeParam> const x(this->exec, grid);
    MultiBlock<LineImplicit<double, n, TypeParam>> lines(this->exec, grid, {.block = {.sweeps = factor ? 1 : 2}});
    lines.factor(this->exec, a);
    this->exec.fence();
    KokkosEvents const events;
    factor ? lines.factor(this->exec, a) : lines.solve(this->exec, x, x);
    EXPECT_TRUE(events.allocations().empty());
    EXPECT_TRUE(events.fences().empty());
    std::vector<std::string> labels;
    for (auto const& kernel : events.kernels()) labels.push_back(kernel.label);
    if (HostExecutionSpace<TypeParam>) std::erase(labels, "Hyperplane::LineImplicit::rest");
    return labels;
  };
  MultiBlockGrid const one({Grid(7, 9, 5)}), several({Grid(7, 9, 5), Grid(3, 20, 4), Grid(1, 1, 1)});
  EXPECT_EQ(launches(several, false), launches(one, false));
  EXPECT_EQ(launches(several, true), launches(one, true));
}

TYPED_TEST(MultiBlockTest, failures_of_lines_have_their_grid_block) {
  constexpr int n = 2;
  MultiBlockGrid const grid({Grid(4, 3, 2), Grid(3, 5, 4), Grid(6, 2, 3)});
  MultiBlockReference reference(grid, n);
  auto const make_singular = [&](int block, const Point& p, Direction before) {
    auto const point = grid.block(block).index(p);
    for (int c = 0; c < n; ++c) {
      reference.blocks[block].block(point, Direction::center)(1, c) = 0.0;
      reference.blocks[block].block(point, before)(1, c) = 0.0;
    }
  };
  make_singular(2, {1, 1, 2}, Direction::west);
  make_singular(1, {2, 1, 3}, Direction::bottom);
  MultiBlock<LineImplicit<double, n, TypeParam>> lines(this->exec, grid,
                                                       {.block = {.directions = {LineDirection::i, LineDirection::k}}});
  lines.factor(this->exec, to_device<double, n, double>(this->exec, reference));
  auto const status = lines.status(this->exec);
  // The second direction of grid block 1 comes before the first one of grid block 2.
  EXPECT_EQ(status.grid_block, 1);
  EXPECT_EQ(status.grid_point, (Point{2, 1, 3}));
  EXPECT_EQ(status.point, grid.block(1).index(2, 1, 3));
  EXPECT_EQ(status.line, 2 + 3 * 1);
  EXPECT_EQ(status.position, 3);
  lines.factor(this->exec, to_device<double, n, double>(this->exec, MultiBlockReference(grid, n)));
  EXPECT_TRUE(lines.status(this->exec).ok());
}

TYPED_TEST(MultiBlockTest, lines_refuse_what_they_have_not) {
  using P = MultiBlock<LineImplicit<double, 2, TypeParam>>;
  MultiBlockGrid const grid({Grid(4, 3, 2), Grid(3, 5, 4)});
  EXPECT_THAT(message_of([&] { P(this->exec, grid, {.coupling = Coupling::coloured}); }),
              StartsWith("MultiBlock: this preconditioner has no coupling coloured"));
  EXPECT_THAT(message_of([&] { P(this->exec, grid, {.colours = {0, 1}}); }),
              StartsWith("MultiBlock: colours are given, and coupling none takes none"));
  P const unfactored(this->exec, grid);
  MultiBlockVector<double, 2, TypeParam> const x(this->exec, grid);
  EXPECT_THAT(message_of([&] { unfactored.solve(this->exec, x, x); }),
              StartsWith("MultiBlock::solve: called before factor"));
  BlockTridiagonal<double, 2, TypeParam> lines(this->exec,
                                               LineSet::along({Grid(4, 3, 2), Grid(3, 5, 4)}, LineDirection::i));
  BlockStencil7<double, 2, TypeParam> const a(this->exec, Grid(4, 3, 2));
  EXPECT_THAT(message_of([&] { lines.factor(this->exec, a); }),
              StartsWith("BlockTridiagonal::factor: A is on a grid, but the lines are on several"));
}

}  // namespace
}  // namespace hyperplane::test
