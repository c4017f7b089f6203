// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "distributed_devices_fixture_cuda.hpp"

#include <gmock/gmock.h>

#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/transposed.hpp>
#include <string>
#include <utility>
#include <vector>

// Coupling::natural whose kernels go on from the device of a rank to that of the next one: the bits of the whole box.
namespace hyperplane::test {
namespace {

using Exec = Kokkos::Cuda;
template <int n, class Storage = double>
using Ilu = BlockIlu0<double, n, Exec, Storage>;
template <int n, class Storage = double>
using OverRelaxed = Ssor<double, n, Exec, Storage>;

TEST_F(DistributedDevices, bits_of_the_box) {
  if (!can_run()) GTEST_SKIP() << "it takes ranks with devices of their own";
  for (auto const& box : {Grid(5, 4, 8), Grid(9, 17, 13), Grid(40, 33, 21), Grid(31, 20, 37)}) {
    expect_bits_of_box<Ilu<5>>(box);
    expect_bits_of_box<Ilu<3, float>>(box);
    expect_bits_of_box<OverRelaxed<5>>(box, {.relaxation = 1.3});
    expect_bits_of_box<OverRelaxed<3, float>>(box, {.relaxation = 1.3});
  }
  expect_bits_of_box<Ilu<2>>(Grid(6, 5, world.size()));
}

// One device has recursions over points for them.
TEST_F(DistributedDevices, scalars_have_the_bits_of_the_box) {
  if (!can_run()) GTEST_SKIP() << "it takes ranks with devices of their own";
  for (auto const& box : {Grid(1, 1, 2 * world.size()), Grid(9, 17, 13), Grid(31, 70, 37)}) {
    expect_bits_of_box<Ilu<1>>(box);
    expect_bits_of_box<OverRelaxed<1>>(box, {.relaxation = 1.3});
  }
}

TEST_F(DistributedDevices, ranks_with_several_grid_blocks) {
  if (!can_run()) GTEST_SKIP() << "it takes ranks with devices of their own";
  Grid const box(9, 17, 37);
  for (int const of_rank : {1, 2, 3}) {
    auto const whole = stack(box, of_rank);
    for (auto const& owners : {assign_blocks(whole, world.size()), owners_downwards(of_rank)}) {
      DistributedGrid const grid(world, whole, owners);
      expect_bits_of_box<Ilu<5>>(box, grid, {});
      expect_bits_of_box<OverRelaxed<3, float>>(box, grid, {.relaxation = 1.3});
    }
  }
  // Numbers fall along k, on each rank, too.
  for (int const of_rank : {1, 3}) {
    auto const downwards = stack_downwards(box, of_rank);
    DistributedGrid const grid(world, downwards, assign_blocks(downwards, world.size()));
    expect_bits_of_box<Ilu<5>>(box, grid, {});
    expect_bits_of_box<OverRelaxed<3, float>>(box, grid, {.relaxation = 1.3});
  }
  // The lowest rank has one more than the others.
  auto const whole = cut_grid(box, {1, 1, world.size() + 1}).grid;
  std::vector<int> owners{0};
  for (int rank = 0; rank < world.size(); ++rank) owners.push_back(rank);
  expect_bits_of_box<Ilu<1>>(box, DistributedGrid(world, whole, owners), {});
}

TEST_F(DistributedDevices, failures_name_rank_and_point) {
  if (!can_run()) GTEST_SKIP() << "it takes ranks with devices of their own";
  for (int const of_rank : {1, 3}) {
    // Of the last grid block, and what crosses the cut above rank 0.
    for (auto const& [number, place] : {std::pair{of_rank * world.size() - 1, BlockPlace{{2, 3, 0}}},
                                        {of_rank - 1, BlockPlace{{2, 3, 3}, Direction::top}}}) {
      expect_failure<Ilu<5>>(of_rank, number, place);
      expect_failure<OverRelaxed<5>>(of_rank, number, place);
    }
    expect_overflow<Ilu<5>>(of_rank, of_rank - 1, {2, 3, 3});
  }
}

TEST_F(DistributedDevices, krylov_methods_converge) {
  if (!can_run()) GTEST_SKIP() << "it takes ranks with devices of their own";
  constexpr int n = 5;
  auto const whole = stack(Grid(20, 19, 9 * world.size()));
  DistributedGrid const grid(world, whole);
  auto const a = to_ranks<double, n, double>(exec, grid, MultiBlockReference(whole, n));
  auto const b = to_ranks<double, n>(exec, grid, random_vector(whole.size() * n));
  DistributedMultiBlock<Ilu<n>> plan(exec, grid, {.coupling = Coupling::natural});
  plan.factor(exec, a);
  DistributedVector<double, n, Exec> const x(exec, grid), r(exec, grid);
  BiCgStab<DistributedVector<double, n, Exec>> const krylov(exec, grid, {.tolerance = 1e-10});
  auto const result = krylov.solve(exec, a, plan, b, x);
  EXPECT_TRUE(result.converged()) << result.message();
}

TEST_F(DistributedDevices, adjoint_systems_are_solved) {
  if (!can_run()) GTEST_SKIP() << "it takes ranks with devices of their own";
  constexpr int n = 5;
  auto const whole = stack(Grid(12, 9, 5 * world.size()));
  DistributedGrid const grid(world, whole);
  MultiBlockReference const reference(whole, n);
  auto const a = to_ranks<double, n, double>(exec, grid, reference);
  auto const solution = random_vector(whole.size() * n, 5);
  auto const b = to_ranks<double, n>(exec, grid, reference.rows().transposed() * solution);
  DistributedMultiBlock<OverRelaxed<n>> plan(exec, grid, {.coupling = Coupling::natural});
  ASSERT_TRUE(plan.goes_through_devices());
  plan.factor(exec, a);
  DistributedVector<double, n, Exec> const x(exec, grid);
  auto const result = BiCgStab<DistributedVector<double, n, Exec>>(exec, grid, {.tolerance = 1e-11})
                          .solve(exec, transposed(a), transposed(plan), b, x);
  EXPECT_TRUE(result.converged()) << result.message();
  EXPECT_TRUE(near(to_host(exec, x), part_of_rank(grid, n, solution), 1e-7));
}

TEST_F(DistributedDevices, other_grids_paths_and_transports_go_by_colours) {
  if (!can_run()) GTEST_SKIP() << "it takes ranks with devices of their own";
  using Plan = DistributedMultiBlock<OverRelaxed<5>>;
  int const ranks = world.size();
  auto const goes = [&](const MultiBlockGrid& whole, Transport transport, SweepPath path = SweepPath::automatic) {
    return Plan(exec, DistributedGrid(world, whole, transport),
                {.coupling = Coupling::natural, .block = {.path = path}})
        .goes_through_devices();
  };
  Grid const box(2 * ranks, 2 * ranks, 2 * ranks);
  auto const along_k = cut_grid(box, {1, 1, ranks}).grid;
  EXPECT_TRUE(goes(along_k, Transport::peer));
  EXPECT_TRUE(goes(along_k, Transport::peer, SweepPath::slab));
  // All ranks decide as the one whose path is another.
  EXPECT_FALSE(goes(along_k, Transport::peer, world.rank() == 0 ? SweepPath::portable : SweepPath::automatic));
  EXPECT_FALSE(goes(along_k, Transport::host));
  EXPECT_FALSE(goes(cut_grid(box, {1, ranks, 1}).grid, Transport::automatic));
  std::vector<int> in_turn;
  for (int b = 0; b < 2 * ranks; ++b) in_turn.push_back(b % ranks);
  EXPECT_FALSE(Plan(exec, DistributedGrid(world, cut_grid(box, {1, 1, 2 * ranks}).grid, in_turn),
                    {.coupling = Coupling::natural})
                   .goes_through_devices());
}

TEST_F(DistributedDevices, options_out_of_range_are_refused_as_by_colours) {
  if (!can_run()) GTEST_SKIP() << "it takes ranks with devices of their own";
  DistributedGrid const grid(world, stack(Grid(3, 3, 2 * world.size())));
  bool const wrong = world.rank() + 1 == world.size();
  EXPECT_THAT(thrown_text([&] {
                DistributedMultiBlock<OverRelaxed<5>>(
                    exec, grid, {.coupling = Coupling::natural, .block = {.relaxation = wrong ? 2.0 : 1.0}});
              }),
              ::testing::HasSubstr("rank " + std::to_string(world.size() - 1) + ": Ssor: relaxation is 2"));
  EXPECT_THAT(thrown_text([&] {
                DistributedMultiBlock<Ilu<5>>(
                    exec, grid, {.coupling = Coupling::natural, .block = {.right_hand_sides = wrong ? 4 : 1}});
              }),
              ::testing::HasSubstr("BlockIlu0: 4 right-hand sides at a time, expected 1 to 3"));
}

}  // namespace
}  // namespace hyperplane::test
