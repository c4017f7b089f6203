// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/ghost_points.hpp>
#include <iterator>
#include <string>
#include <vector>

#include "multi_block_fixture.hpp"
#include "support/ghost_fields.hpp"
#include "support/kokkos_events.hpp"
#include "support/message_of.hpp"

namespace hyperplane::test {
namespace {

using ::testing::HasSubstr;

TYPED_TEST_SUITE(MultiBlockTest, ExecutionSpaces, SpaceNames);

/// Every ghost point is written once, and nothing else.
template <class Exec>
void expect_ghosts(const Exec& exec, const std::string& what, const MultiBlockGrid& grid, int layers, int components) {
  GhostField<Exec> const field(exec, grid, components, [](int b) { return b; });
  GhostPoints<Exec> const ghosts(exec, grid, layers);
  ghosts.fill(exec, components, field.read(), field.write());
  auto const expected = expected_ghost_fields(grid, layers, components);
  std::int64_t points = 0;
  for (int b = 0; b < grid.block_count(); ++b) {
    EXPECT_EQ(field.values_of(b), expected[static_cast<std::size_t>(b)])
        << what << ", " << layers << " layers, grid block " << b;
    for (auto const& interface : grid.interfaces(b)) points += interface.points.size();
  }
  EXPECT_EQ(ghosts.size(), points * layers) << what;
}

TYPED_TEST(MultiBlockTest, ghost_points_have_the_values_of_donors) {
  for (auto const& [what, grid] : awkward_grids()) expect_ghosts(this->exec, what, grid, 1, 2);
  for (auto const& transform : all_transforms()) {
    for (int const layers : {1, 2}) {
      expect_ghosts(this->exec, to_string(transform), joined_pair(Grid(3, 5, 2), transform), layers, 1);
    }
  }
  // A direction that is periodic, of several grid blocks and of one that meets itself.
  auto const periodic = cut_grid(Grid(9, 4, 5), {2, 1, 1}, {true, true, false}).grid;
  for (int const layers : {1, 2, 3}) expect_ghosts(this->exec, "periodic", periodic, layers, 3);
  expect_ghosts(this->exec, "no interfaces", MultiBlockGrid({Grid(3, 2, 1)}), 2, 1);
}

TYPED_TEST(MultiBlockTest, ghost_points_behind_thin_donors_have_the_values_behind_these) {
  for (int const layers : {2, 3}) {
    for (auto const& [what, grid] : awkward_grids()) expect_ghosts(this->exec, what, grid, layers, 2);
    for (auto const& transform : all_transforms()) {
      expect_ghosts(this->exec, to_string(transform), thin_between(transform), layers, 1);
    }
    expect_ghosts(this->exec, "thin and wide", thin_and_wide(), layers, 1);
  }
}

TYPED_TEST(MultiBlockTest, ghost_points_of_all_grid_blocks_are_filled_by_one_launch) {
  auto const grid = cut_grid(Grid(8, 6, 5), {2, 3, 1}).grid;
  GhostField<TypeParam> const field(this->exec, grid, 2, [](int b) { return b; });
  GhostPoints<TypeParam> const ghosts(this->exec, grid);
  KokkosEvents const events;
  ghosts.fill(this->exec, 2, field.read(), field.write());
  EXPECT_EQ(events.kernels().size(), 1u);
  EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
  EXPECT_THAT(events.fences(), ::testing::IsEmpty());
}

/// Numbers of both grid blocks, and indices of the ghost point and of the donor's point.
using Walked = std::array<int, 8>;

template <class Wanted>
std::vector<Walked> walked(const MultiBlockGrid& grid, int layers, const Wanted& wanted) {
  std::vector<Walked> result;
  detail::for_each_ghost(grid, layers, wanted, [&](const detail::GhostPair& pair) {
    auto const& [ghost, donor] = pair;
    result.push_back({ghost.block, donor.block, ghost.point.i, ghost.point.j, ghost.point.k, donor.point.i,
                      donor.point.j, donor.point.k});
  });
  return result;
}

/// Ghost points that some grid blocks have, or of which they are donors, are those of all in the same order.
template <class Wanted>
void expect_walks(const std::string& what, const MultiBlockGrid& grid, const Wanted& wanted) {
  auto const concerns = [&](const Walked& pair) { return wanted(pair[0]) || wanted(pair[1]); };
  for (int const layers : {1, 2, 3, 4}) {
    std::vector<Walked> expected, found;
    std::ranges::copy_if(walked(grid, layers, [](int) { return true; }), std::back_inserter(expected), concerns);
    std::ranges::copy_if(walked(grid, layers, wanted), std::back_inserter(found), concerns);
    EXPECT_EQ(found, expected) << what << ", " << layers << " layers";
  }
}

TEST(GhostWalks, to_and_from_grid_blocks_are_those_of_all_in_the_same_order) {
  auto grids = awkward_grids();
  for (auto const& transform : all_transforms()) grids.emplace_back(to_string(transform), thin_between(transform));
  grids.emplace_back("thin and wide", thin_and_wide());
  for (auto const& [what, grid] : grids) {
    for (int b = 0; b < grid.block_count(); ++b) {
      expect_walks(what + ", grid block " + std::to_string(b), grid, [&](int number) { return number == b; });
    }
    expect_walks(what + ", even grid blocks", grid, [](int number) { return number % 2 == 0; });
    expect_walks(what + ", none", grid, [](int) { return false; });
  }
}

/// However many others there are.
TEST(GhostWalks, to_and_from_a_grid_block_pass_no_others) {
  auto const is_third = [](int number) { return number == 3; };
  for (int const blocks : {7, 70}) {
    auto const count = [&](int thickness, int layers) {
      auto const grid = cut_grid(Grid(blocks * thickness, 4, 5), {blocks, 1, 1}).grid;
      return walked(grid, layers, is_third).size();
    };
    // Both sides of both interfaces.
    EXPECT_EQ(count(3, 1), 2 * 2 * 20u) << blocks;
    EXPECT_EQ(count(3, 3), 2 * 2 * 20u * 3) << blocks;
    // Its own two, and those of the next three grid blocks on each side.
    EXPECT_EQ(count(1, 3), (2 + 2 * 3) * 20u * 3) << blocks;
  }
  // Through 5, and with three layers through parts of 2 and 5: from 1, which 3 lies behind, and not from 0.
  EXPECT_EQ(walked(thin_and_wide(), 1, is_third).size(), 4 + 4u);
  EXPECT_EQ(walked(thin_and_wide(), 2, is_third).size(), (4 + 4 + 12) * 2u);
  EXPECT_EQ(walked(thin_and_wide(), 3, is_third).size(), (4 + 4 + 12 + 6) * 3u);
}

TYPED_TEST(MultiBlockTest, ghost_points_refuse_what_cannot_be) {
  using Ghosts = GhostPoints<TypeParam>;
  auto const grid = cut_grid(Grid(8, 6, 5), {4, 1, 1}).grid;
  EXPECT_THAT(message_of([&] { Ghosts(this->exec, grid, 0); }), HasSubstr("GhostPoints: 0 layers are not possible"));
  GhostField<TypeParam> const field(this->exec, grid, 1, [](int b) { return b; });
  EXPECT_THAT(message_of([&] { Ghosts(this->exec, grid).fill(this->exec, 0, field.read(), field.write()); }),
              HasSubstr("GhostPoints::fill: there is no component"));
}

}  // namespace
}  // namespace hyperplane::test
