// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <hyperplane/blocks/cut_grid.hpp>

#include "distributed_fixture.hpp"

namespace hyperplane::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(AssignBlocks, by_points_and_contiguous) {
  EXPECT_THAT(assign_blocks(cut_grid(Grid(8, 4, 4), {8, 1, 1}).grid, 4), ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
  EXPECT_THAT(assign_blocks(MultiBlockGrid({Grid(1, 1, 1), Grid(9, 9, 9), Grid(1, 1, 1)}), 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(assign_blocks(MultiBlockGrid({Grid(3, 3, 3)}), 5), ElementsAre(2));
  EXPECT_THAT(assign_blocks(MultiBlockGrid({Grid(3, 3, 3)}), 2), ElementsAre(0));
  EXPECT_THAT(thrown_text([] { assign_blocks(MultiBlockGrid({Grid(3, 3, 3)}), 0); }),
              HasSubstr("assign_blocks: 0 owners, expected at least 1"));
}

TEST(DistributedGrid, grid_blocks_of_this_rank) {
  Communicator const world(MPI_COMM_WORLD);
  for (auto const& [what, whole] : awkward_grids()) {
    for (auto const& [how, owners] : owner_lists(whole, world.size())) {
      DistributedGrid const grid(world, whole, owners);
      std::size_t local_interfaces = 0;
      int count = 0;
      for (int b = 0; b < whole.block_count(); ++b) {
        EXPECT_EQ(grid.owner(b), owners[b]);
        EXPECT_EQ(grid.is_local(b), owners[b] == world.rank());
        if (!grid.is_local(b)) continue;
        EXPECT_EQ(grid.local_number(b), count);
        EXPECT_EQ(grid.blocks()[count], b);
        EXPECT_TRUE(grid.local().block(count) == whole.block(b));
        for (auto const& interface : whole.interfaces(b)) local_interfaces += owners[interface.donor] == world.rank();
        ++count;
      }
      EXPECT_EQ(grid.local().block_count(), count) << what << ", " << how;
      EXPECT_EQ(grid.local().interfaces().size(), local_interfaces) << what << ", " << how;
      EXPECT_TRUE(grid == DistributedGrid(world, whole, owners));
    }
  }
}

TEST(DistributedGrid, ranks_have_to_agree) {
  Communicator const world(MPI_COMM_WORLD);
  auto const whole = cut_grid(Grid(8, 4, 4), {4, 1, 1}).grid;
  // Two grid blocks that meet by whole faces, the second one as it is or turned around the axis i.
  Interface const whole_face{.block = 0, .face = Direction::east, .points = {{1, 0, 0}, {2, 4, 4}}, .donor = 1};
  std::vector const straight{whole_face};
  std::vector turned{whole_face};
  turned[0].donor_begin = {0, 0, 3};
  turned[0].transform = {{1, -3, 2}};
  for (int other = 1; other < world.size(); ++other) {
    bool const differs = world.rank() == other;
    auto const named = " rank " + std::to_string(other) + " has others than rank 0";
    EXPECT_EQ(thrown_text([&] {
                DistributedGrid const grid(world, differs ? cut_grid(Grid(9, 4, 4), {4, 1, 1}).grid : whole);
              }),
              "DistributedGrid: grid blocks:" + named +
                  ": grid block 3 of 3x4x4 points; rank 0 has grid block 3 of 2x4x4 points");
    EXPECT_EQ(thrown_text([&] {
                DistributedGrid const grid(world, differs ? cut_grid(Grid(6, 4, 4), {3, 1, 1}).grid : whole);
              }),
              "DistributedGrid: grid blocks:" + named + ": no more; rank 0 has grid block 3 of 2x4x4 points");
    EXPECT_EQ(thrown_text([&] {
                DistributedGrid const grid(
                    world, differs ? cut_grid(Grid(8, 4, 4), {4, 1, 1}, {true, false, false}).grid : whole);
              }),
              "DistributedGrid: interfaces:" + named +
                  ": west face of grid block 0, points [0, 1) x [0, 4) x [0, 4), donor 3 from (1, 0, 0), axes "
                  "(+1, +2, +3); rank 0 has east face of grid block 0, points [1, 2) x [0, 4) x [0, 4), donor 1 from "
                  "(0, 0, 0), axes (+1, +2, +3)");
    EXPECT_EQ(thrown_text([&] {
                DistributedGrid const grid(world, differs ? MultiBlockGrid({Grid(2, 4, 4), Grid(2, 4, 4)}, turned)
                                                          : MultiBlockGrid({Grid(2, 4, 4), Grid(2, 4, 4)}, straight));
              }),
              "DistributedGrid: interfaces:" + named +
                  ": east face of grid block 0, points [1, 2) x [0, 4) x [0, 4), donor 1 from (0, 0, 3), axes "
                  "(+1, -3, +2); rank 0 has east face of grid block 0, points [1, 2) x [0, 4) x [0, 4), donor 1 from "
                  "(0, 0, 0), axes (+1, +2, +3)");
    EXPECT_EQ(thrown_text([&] {
                DistributedGrid const grid(world, whole, differs ? std::vector{0, 0, 0, 1} : std::vector{0, 0, 0, 0});
              }),
              "DistributedGrid: owners:" + named);
  }
  int const last = world.size() - 1;
  auto const who = "rank " + std::to_string(last) + ": DistributedGrid: ";
  auto const given = [&](const std::vector<int>& owners) {
    return thrown_text(
        [&] { DistributedGrid const grid(world, whole, world.rank() == last ? owners : std::vector{0, 0, 0, 0}); });
  };
  EXPECT_THAT(given({0, 0}), HasSubstr(who + "2 owners for 4 grid blocks (2x4x4"));
  EXPECT_THAT(given({0, 0, -1, 0}),
              HasSubstr(who + "the owner of grid block 2 is rank -1, there are " + std::to_string(world.size())));
  EXPECT_THAT(given({0, world.size(), 0, 0}), HasSubstr(who + "the owner of grid block 1 is rank"));
}

TEST(DistributedGrid, in_words_and_wrong_use) {
  Communicator const world(MPI_COMM_WORLD);
  DistributedGrid const grid(world, MultiBlockGrid({Grid(2, 3, 4), Grid(1, 1, 1)}), {0, 0});
  EXPECT_EQ(to_string(grid), "2 grid blocks (2x3x4, 1x1x1) on " + std::to_string(world.size()) +
                                 (world.size() == 1 ? " rank" : " ranks"));
  EXPECT_THAT(thrown_text([&] { grid.owner(2); }), HasSubstr("there is no grid block 2 in 2 grid blocks"));
  if (world.rank() > 0) {
    EXPECT_EQ(to_string(grid.local()), "0 grid blocks");
    EXPECT_THAT(thrown_text([&] { grid.local_number(1); }),
                HasSubstr("grid block 1 is of rank 0, this is rank " + std::to_string(world.rank())));
  }
}

}  // namespace
}  // namespace hyperplane::test
