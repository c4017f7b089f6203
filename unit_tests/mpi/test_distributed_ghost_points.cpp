// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <cstddef>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/mpi/distributed_ghost_points.hpp>

#include "distributed_fixture.hpp"
#include "support/ghost_fields.hpp"
#include "support/message_of.hpp"

namespace hyperplane::test {
namespace {

using ::testing::HasSubstr;

template <class Exec>
class DistributedGhosts : public DistributedTest<Exec> {
 protected:
  /// Every ghost point of this rank is written once, and nothing else, again and again.
  void expect_ghosts(const std::string& what, const MultiBlockGrid& whole, int layers, int components) {
    auto const expected = expected_ghost_fields(whole, layers, components);
    for (auto const& [how, owners] : owner_lists(whole, this->world.size())) {
      DistributedGrid const grid(this->world, whole, owners);
      DistributedGhostPoints<double, Exec> const ghosts(this->exec, grid, {layers, components});
      for (int time = 0; time < 2; ++time) {
        GhostField<Exec> const field(this->exec, grid.local(), components, [&](int b) { return grid.blocks()[b]; });
        ghosts.start(this->exec, field.read());
        ghosts.finish(this->exec, field.read(), field.write());
        for (int b = 0; b < grid.local().block_count(); ++b) {
          EXPECT_EQ(field.values_of(b), expected[static_cast<std::size_t>(grid.blocks()[b])])
              << what << ", " << how << ", " << layers << " layers, grid block " << grid.blocks()[b];
        }
      }
    }
  }
};

TYPED_TEST_SUITE(DistributedGhosts, ExecutionSpaces, SpaceNames);

TYPED_TEST(DistributedGhosts, have_the_values_of_donors) {
  for (auto const& [what, grid] : awkward_grids()) this->expect_ghosts(what, grid, 1, 2);
  for (auto const& transform : all_transforms()) {
    this->expect_ghosts(to_string(transform), joined_pair(Grid(3, 5, 2), transform), 2, 1);
  }
  this->expect_ghosts("periodic", cut_grid(Grid(9, 4, 5), {2, 1, 1}, {true, true, false}).grid, 3, 5);
}

TYPED_TEST(DistributedGhosts, behind_thin_donors_have_the_values_behind_these) {
  for (auto const& [what, grid] : awkward_grids()) this->expect_ghosts(what, grid, 3, 2);
  auto const transforms = all_transforms();
  for (std::size_t t = 0; t < transforms.size(); t += 5) {
    this->expect_ghosts(to_string(transforms[t]), thin_between(transforms[t]), 2, 1);
  }
  this->expect_ghosts("thin and wide", thin_and_wide(), 3, 1);
}

/// Two grid blocks of the last rank meet at more points than can be counted in the time of a test. The first rank, of
/// which a grid block meets one of them, has its own ghost points all the same.
TEST(GhostLists, of_a_rank_do_not_take_longer_for_what_others_have) {
  Communicator const world(MPI_COMM_WORLD);
  int const last = world.size() - 1;
  if (last == 0) GTEST_SKIP() << "there is no other rank";
  constexpr int wide = 1 << 22;
  Interface const small{
      .block = 0, .face = Direction::east, .points = {{4, 0, 0}, {5, 3, 2}}, .donor = 1, .donor_begin = {0, 7, 2}};
  Interface const large{
      .block = 1, .face = Direction::top, .points = {{0, 0, 3}, {wide, wide, 4}}, .donor = 2, .donor_begin = {0, 0, 0}};
  DistributedGrid const grid(world,
                             MultiBlockGrid({Grid(5, 3, 2), Grid(wide, wide, 4), Grid(wide, wide, 1)}, {small, large}),
                             {0, last, last});
  if (world.rank() == last) return;
  for (int const layers : {1, 3}) {
    detail::GhostLists const lists(grid, layers);
    std::size_t const points = world.rank() == 0 ? 6u * static_cast<std::size_t>(layers) : 0u;
    EXPECT_EQ(lists.local.size(), 0u);
    EXPECT_EQ(lists.sent.size(), points);
    EXPECT_EQ(lists.received.size(), points);
  }
}

TYPED_TEST(DistributedGhosts, refuse_what_cannot_be_on_all_ranks) {
  using Ghosts = DistributedGhostPoints<double, TypeParam>;
  DistributedGrid const grid(this->world, cut_grid(Grid(8, 6, 5), {4, 1, 1}).grid);
  EXPECT_THAT(message_of([&] { Ghosts(this->exec, grid, {.layers = 0}); }),
              HasSubstr("GhostPoints: 0 layers are not possible"));
  EXPECT_THAT(message_of([&] { Ghosts(this->exec, grid, {.components = 0}); }),
              HasSubstr("DistributedGhostPoints: 0 components are not possible"));
  if (this->world.size() == 1) return;
  EXPECT_THAT(message_of([&] { Ghosts(this->exec, grid, {.components = 1 + this->world.rank()}); }),
              HasSubstr("DistributedGhostPoints: layers and components: rank 1 has others than rank 0"));
}

}  // namespace
}  // namespace hyperplane::test
