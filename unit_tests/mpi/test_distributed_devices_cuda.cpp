// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <algorithm>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/richardson.hpp>
#include <hyperplane/mpi/detail/choose_transport.hpp>
#include <limits>

#include "distributed_fixture.hpp"
#include "support/transfer.hpp"

// Coupling::natural whose kernels go on from the device of a rank to that of the next one: the bits of the whole box.
namespace hyperplane::test {
namespace {

using Exec = Kokkos::Cuda;

class DistributedDevices : public DistributedTest<Exec> {
 protected:
  MultiBlockGrid stack(const Grid& box) const { return cut_grid(box, {1, 1, this->world.size()}).grid; }

  /// The same on all ranks.
  bool can_run() const {
    DistributedGrid const grid(world, stack(Grid(3, 3, world.size())));
    return world.size() > 1 && detail::describe_missing(exec, grid, Transport::peer).empty() &&
           BlockIlu0Part<double, 5, Exec>::lacking().empty();
  }

  template <int n, class Storage = double>
  void expect_bits_of_box(const Grid& box) {
    auto const whole = stack(box);
    DistributedGrid const grid(world, whole);
    // The system of the box: parts of it are one after the other.
    auto const system = random_stencil(box, n);
    auto const rhs = random_vector(system.rows());
    DistributedStencil7<double, n, Exec, Storage> const a(exec, grid);
    int const own = grid.blocks()[0];
    ReferenceStencil part(whole.block(own), n);
    auto const first = system.blocks.begin() + whole.first_point(own);
    std::copy(first, first + part.grid.size(), part.blocks.begin());
    Kokkos::deep_copy(exec, a.block(own).flat(), to_device<double, n, Storage>(exec, part).flat());
    auto const b = to_ranks<double, n>(exec, grid, rhs);
    DistributedVector<double, n, Exec> const x(exec, grid);

    DistributedMultiBlock<BlockIlu0<double, n, Exec, Storage>> plan(exec, grid, {.coupling = Coupling::natural});
    ASSERT_TRUE(plan.goes_through_devices());
    BlockIlu0<double, n, Exec, Storage> reference(exec, box, {.path = SweepPath::portable});
    reference.factor(exec, to_device<double, n, Storage>(exec, system));
    auto const y = to_device<double, n>(exec, box, rhs);
    reference.solve(exec, y, y);
    auto const expected = part_of_rank(grid, n, to_host(exec, y));
    for (int repetition = 0; repetition < 5; ++repetition) {
      plan.factor(exec, a);
      EXPECT_TRUE(plan.status(exec).ok());
      plan.factor(exec, a);
      plan.solve(exec, b, x);
      plan.solve(exec, x, x);
      plan.solve(exec, b, x);
      EXPECT_TRUE(bitwise_equal(to_host(exec, x.local()), expected)) << to_string(box) << ", n = " << n;
    }
    // Products have them, too, and so have iterates of the two, which begin with M^-1 b.
    KrylovOptions const some{.tolerance = 0, .max_iterations = 4};
    Richardson<BlockVector<double, n, Exec>>(exec, box, some)
        .solve(exec, to_device<double, n, Storage>(exec, system), reference, to_device<double, n>(exec, box, rhs), y);
    Richardson<DistributedVector<double, n, Exec>>(exec, grid, some).solve(exec, a, plan, b, x);
    EXPECT_TRUE(bitwise_equal(to_host(exec, x.local()), part_of_rank(grid, n, to_host(exec, y))))
        << to_string(box) << ", n = " << n << ", iterates";
  }
};

TEST_F(DistributedDevices, bits_of_the_box) {
  if (!can_run()) GTEST_SKIP() << "it takes ranks with devices of their own";
  for (auto const& box : {Grid(5, 4, 8), Grid(9, 17, 13), Grid(40, 33, 21), Grid(31, 20, 37)}) {
    expect_bits_of_box<5>(box);
    expect_bits_of_box<3, float>(box);
  }
  expect_bits_of_box<2>(Grid(6, 5, world.size()));
}

TEST_F(DistributedDevices, failures_name_rank_and_point) {
  if (!can_run()) GTEST_SKIP() << "it takes ranks with devices of their own";
  constexpr int n = 5;
  auto const whole = stack(Grid(6, 7, 4 * world.size()));
  DistributedGrid const grid(world, whole);
  MultiBlockReference system(whole, n);
  int const last = whole.block_count() - 1;
  auto& block = system.blocks[last];
  std::ranges::fill(block.block(block.grid.index({2, 3, 0}), Direction::center).entries,
                    std::numeric_limits<double>::quiet_NaN());
  DistributedMultiBlock<BlockIlu0<double, n, Exec>> plan(exec, grid, {.coupling = Coupling::natural});
  plan.factor(exec, to_ranks<double, n, double>(exec, grid, system));
  auto const status = plan.status(exec);
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.grid_block, last);
  EXPECT_EQ(status.rank, grid.owner(last));
  EXPECT_THAT(status.message(), ::testing::HasSubstr("(2, 3, 0)"));
}

TEST_F(DistributedDevices, krylov_methods_converge) {
  if (!can_run()) GTEST_SKIP() << "it takes ranks with devices of their own";
  constexpr int n = 5;
  auto const whole = stack(Grid(20, 19, 9 * world.size()));
  DistributedGrid const grid(world, whole);
  auto const a = to_ranks<double, n, double>(exec, grid, MultiBlockReference(whole, n));
  auto const b = to_ranks<double, n>(exec, grid, random_vector(whole.size() * n));
  DistributedMultiBlock<BlockIlu0<double, n, Exec>> plan(exec, grid, {.coupling = Coupling::natural});
  plan.factor(exec, a);
  DistributedVector<double, n, Exec> const x(exec, grid), r(exec, grid);
  BiCgStab<DistributedVector<double, n, Exec>> const krylov(exec, grid, {.tolerance = 1e-10});
  auto const result = krylov.solve(exec, a, plan, b, x);
  EXPECT_TRUE(result.converged()) << result.message();
}

TEST_F(DistributedDevices, other_grids_and_transports_go_by_colours) {
  if (!can_run()) GTEST_SKIP() << "it takes ranks with devices of their own";
  using Plan = DistributedMultiBlock<BlockIlu0<double, 5, Exec>>;
  typename Plan::Options const natural{.coupling = Coupling::natural};
  int const ranks = world.size();
  auto const goes = [&](const MultiBlockGrid& whole, Transport transport) {
    return Plan(exec, DistributedGrid(world, whole, transport), natural).goes_through_devices();
  };
  Grid const box(2 * ranks, 2 * ranks, 2 * ranks);
  EXPECT_TRUE(goes(cut_grid(box, {1, 1, ranks}).grid, Transport::peer));
  EXPECT_FALSE(goes(cut_grid(box, {1, 1, ranks}).grid, Transport::host));
  EXPECT_FALSE(goes(cut_grid(box, {1, ranks, 1}).grid, Transport::automatic));
  EXPECT_FALSE(goes(cut_grid(box, {1, 1, 2 * ranks}).grid, Transport::automatic));
}

}  // namespace
}  // namespace hyperplane::test
