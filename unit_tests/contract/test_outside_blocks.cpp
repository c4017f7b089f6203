// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>
#include <hyperplane/grid/outside_lanes.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/line/block_tridiagonal.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <hyperplane/stencil/apply.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/solver_paths.hpp"
#include "support/transfer.hpp"

// Blocks that point out of the grid are not used, whatever is in them, or a status names one that is not finite.
namespace hyperplane::test {
namespace {

// Points at the ends of packs of 2, 4, 8 and 16 lanes, and grids that are thinner than a pack.
std::vector<Grid> grids() { return {Grid(5, 19, 3), Grid(20, 16, 2), Grid(1, 3, 4), Grid(3, 1, 1), Grid(1, 1, 1)}; }

/// A stencil, and the same with values that are no numbers in the blocks that point out of the grid in a direction.
ReferenceStencil with_bad_blocks(ReferenceStencil a, Direction direction) {
  for (std::int64_t p = 0; p < a.grid.size(); ++p) {
    if (a.grid.contains(neighbour(a.grid.point(p), direction))) continue;
    for (auto& entry : a.block(p, direction).entries) entry = std::numeric_limits<double>::quiet_NaN();
  }
  return a;
}

template <class Exec>
class OutsideBlocks : public ::testing::Test {
 protected:
  /// `make()` makes a solver; with the clean matrix and with the other one.
  template <int n, class Make>
  void expect_same(const std::string& what, const ReferenceStencil& reference, Direction direction, const Make& make) {
    auto const& grid = reference.grid;
    auto const clean = to_device<double, n, double>(exec, reference);
    auto const bad = to_device<double, n, double>(exec, with_bad_blocks(reference, direction));
    auto const rhs = to_device<double, n>(exec, grid, random_vector(grid.size() * n));
    BlockVector<double, n, Exec> const x(exec, grid), y(exec, grid);
    auto solver = make();
    solver.factor(exec, clean);
    ASSERT_TRUE(solver.status(exec).ok()) << what << ": " << solver.status(exec).message();
    solver.solve(exec, rhs, x);
    auto other = make();
    other.factor(exec, bad);
    if (auto const status = other.status(exec); !status.ok()) {
      EXPECT_THAT(status.message(), ::testing::HasSubstr("points out of the grid")) << what;
      EXPECT_EQ(status.failure, FactorFailure::not_finite) << what;
      return;
    }
    other.solve(exec, rhs, y);
    EXPECT_TRUE(bitwise_equal(to_host(exec, y), to_host(exec, x))) << what << ", " << name(direction);
  }

  template <int n>
  void expect_same_product(const ReferenceStencil& reference, Direction direction) {
    auto const& grid = reference.grid;
    auto const clean = to_device<double, n, double>(exec, reference);
    auto const bad = to_device<double, n, double>(exec, with_bad_blocks(reference, direction));
    auto const x = to_device<double, n>(exec, grid, random_vector(grid.size() * n));
    auto const b = to_device<double, n>(exec, grid, random_vector(grid.size() * n, 5));
    BlockVector<double, n, Exec> const y(exec, grid), z(exec, grid);
    apply(exec, clean, x, y);
    apply(exec, bad, x, z);
    EXPECT_TRUE(bitwise_equal(to_host(exec, z), to_host(exec, y))) << name(direction) << ", " << to_string(grid);
    residual(exec, clean, b, x, y);
    residual(exec, bad, b, x, z);
    EXPECT_TRUE(bitwise_equal(to_host(exec, z), to_host(exec, y))) << name(direction) << ", " << to_string(grid);
  }

  template <int n>
  void expect_all() {
    for (auto const& grid : grids()) {
      auto const a = random_stencil(grid, n);
      for (auto const direction : stencil7_directions) {
        if (direction == Direction::center) continue;
        // On hosts whole packs are multiplied, by zero where there is no neighbour.
        if constexpr (!HostExecutionSpace<Exec>) expect_same_product<n>(a, direction);
        for (SolverPath const path : solver_paths_of<Exec>()) {
          expect_same<n>(name(path), a, direction, [&] { return path.make<BlockIlu0<double, n, Exec>>(exec, grid); });
          if constexpr (n == 1) {
            expect_same<n>("SIP", a, direction, [&] { return path.make<Sip<double, Exec>>(exec, grid); });
          }
        }
        for (SweepPath const path : paths_of<Exec>()) {
          expect_same<n>("SSOR", a, direction, [&] { return Ssor<double, n, Exec>(exec, grid, {.path = path}); });
        }
        expect_same<n>("Jacobi", a, direction, [&] { return BlockJacobi<double, n, Exec>(exec, grid); });
        for (auto const along : {LineDirection::i, LineDirection::j, LineDirection::k}) {
          for (LinePath const path : line_paths_of<Exec>()) {
            for (int const partitions : {1, 2}) {
              expect_same<n>("lines", a, direction, [&] {
                return BlockTridiagonal<double, n, Exec>(exec, LineSet::along(grid, along),
                                                         {.path = path, .partitions = partitions});
              });
            }
          }
        }
      }
    }
  }

  Exec exec{};
};
TYPED_TEST_SUITE(OutsideBlocks, ExecutionSpaces, SpaceNames);

TYPED_TEST(OutsideBlocks, do_not_matter_to_scalars) { this->template expect_all<1>(); }
TYPED_TEST(OutsideBlocks, do_not_matter_to_blocks) { this->template expect_all<2>(); }

template <int lanes>
void expect_lanes(const Grid& grid) {
  using PackType = Pack<float, lanes>;
  SlabMap<lanes> const map(grid);
  auto place = detail::PackPlace::of(map, 0);
  for (std::int64_t pack = 0; pack < map.pack_count(); ++pack, place.advance(map)) {
    auto const padding = detail::padding_lanes<PackType>(map, place);
    EXPECT_EQ(detail::is_full(map, place), !any(padding)) << pack;
    for (int lane = 0; lane < lanes; ++lane) {
      Point p;
      bool const has_point = map.find_point(pack, lane, p);
      EXPECT_EQ(padding[lane], !has_point) << pack << ", lane " << lane;
      if (!has_point) continue;
      for (int d = 0; d < stencil7_size; ++d) {
        auto const direction = static_cast<Direction>(d);
        detail::OutsideLanes<lanes> const outside(map, place, direction);
        block::Matrix<PackType, 1> block{{PackType(1)}};
        if (outside.any()) detail::clear(outside, block);
        EXPECT_EQ(block(0, 0)[lane], grid.contains(neighbour(p, direction)) ? 1 : 0)
            << pack << ", lane " << lane << ", " << name(direction);
      }
    }
  }
}

TEST(OutsideLanes, AreThoseOfPointsWithoutNeighbour) {
  for (auto const& grid : grids()) {
    expect_lanes<2>(grid);
    expect_lanes<4>(grid);
    expect_lanes<8>(grid);
    expect_lanes<16>(grid);
  }
}

}  // namespace
}  // namespace hyperplane::test
