// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

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
