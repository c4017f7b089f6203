// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <algorithm>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/richardson.hpp>
#include <hyperplane/krylov/transposed.hpp>
#include <hyperplane/mpi/detail/choose_transport.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <limits>
#include <string>
#include <vector>

#include "distributed_fixture.hpp"
#include "support/transfer.hpp"

// Coupling::natural whose kernels go on from the device of a rank to that of the next one: the bits of the whole box.
namespace hyperplane::test {
namespace {

using Exec = Kokkos::Cuda;
template <int n, class Storage = double>
using Ilu = BlockIlu0<double, n, Exec, Storage>;
template <int n, class Storage = double>
using OverRelaxed = Ssor<double, n, Exec, Storage>;

class DistributedDevices : public DistributedTest<Exec> {
 protected:
  /// Grid blocks one above the other, of each rank as many.
  MultiBlockGrid stack(const Grid& box, int of_rank = 1) const {
    return cut_grid(box, {1, 1, of_rank * this->world.size()}).grid;
  }
  /// The highest ones are of rank 0.
  std::vector<int> owners_downwards(int of_rank) const {
    std::vector<int> result;
    for (int b = of_rank * world.size(); b-- > 0;) result.push_back(b / of_rank);
    return result;
  }

  /// The same on all ranks.
  bool can_run() const {
    DistributedGrid const grid(world, stack(Grid(3, 3, world.size())));
    return world.size() > 1 && detail::describe_missing(exec, grid, Transport::peer).empty() &&
           BlockIlu0Part<double, 5, Exec>::lacking().empty();
  }

  /// The parts of this rank, which are one after the other in the system of the box.
  template <int n, class Storage>
  DistributedStencil7<double, n, Exec, Storage> parts_of(const DistributedGrid& grid,
                                                         const ReferenceStencil& system) const {
    DistributedStencil7<double, n, Exec, Storage> result(exec, grid);
    for (int const b : grid.blocks()) {
      ReferenceStencil part(grid.whole().block(b), n);
      auto const first = system.blocks.begin() + grid.whole().first_point(b);
      std::copy(first, first + part.grid.size(), part.blocks.begin());
      Kokkos::deep_copy(exec, result.block(b).flat(), to_device<double, n, Storage>(exec, part).flat());
      exec.fence();
    }
    return result;
  }

  /// M^-T rhs of the whole box, on SweepPath::slab.
  template <class P>
  std::vector<double> transposed_solution(const ReferenceStencil& system, const std::vector<double>& rhs,
                                          typename P::Options options) const {
    constexpr int n = P::block_size;
    options.path = SweepPath::slab;
    P plan(exec, system.grid, options);
    plan.factor(exec, to_device<double, n, typename P::storage_type>(exec, system));
    auto const x = to_device<double, n>(exec, system.grid, rhs);
    plan.solve_transposed(exec, x, x);
    return to_host(exec, x);
  }

  template <class P>
  void expect_bits_of_box(const Grid& box, typename P::Options const& options = {}) {
    expect_bits_of_box<P>(box, DistributedGrid(world, stack(box)), options);
  }
  template <class P>
  void expect_bits_of_box(const Grid& box, const DistributedGrid& grid, typename P::Options options) {
    constexpr int n = P::block_size;
    using Storage = typename P::storage_type;
    auto const system = random_stencil(box, n);
    auto const rhs = random_vector(system.rows());
    auto const a = parts_of<n, Storage>(grid, system);
    auto const b = to_ranks<double, n>(exec, grid, rhs);
    DistributedVector<double, n, Exec> const x(exec, grid);

    DistributedVector<double, n, Exec> const z(exec, grid);

    DistributedMultiBlock<P> plan(exec, grid, {.coupling = Coupling::natural, .block = options});
    ASSERT_TRUE(plan.goes_through_devices());
    // Paths differ in the bits of transposed solves.
    auto const transposed = part_of_rank(grid, n, transposed_solution<P>(system, rhs, options));
    options.path = SweepPath::portable;
    P reference(exec, box, options);
    reference.factor(exec, to_device<double, n, Storage>(exec, system));
    auto const y = to_device<double, n>(exec, box, rhs);
    reference.solve(exec, y, y);
    auto const expected = part_of_rank(grid, n, to_host(exec, y));
    auto const what = to_string(box) + ", n = " + std::to_string(n);
    for (int repetition = 0; repetition < 5; ++repetition) {
      plan.factor(exec, a);
      EXPECT_TRUE(plan.status(exec).ok());
      plan.factor(exec, a);
      // In turns, which share the memory at the cuts.
      plan.solve(exec, b, x);
      plan.solve_transposed(exec, b, z);
      plan.solve(exec, x, x);
      plan.solve_transposed(exec, z, z);
      plan.solve_transposed(exec, b, z);
      plan.solve(exec, b, x);
      EXPECT_TRUE(bitwise_equal(to_host(exec, x), expected)) << what;
      EXPECT_TRUE(n > 1 ? bitwise_equal(to_host(exec, z), transposed)
                        : near(to_host(exec, z), transposed, rounding<double>(100, n)))
          << what << ", transposed";
    }
    // Products have them, too, and so have iterates of the two, which begin with M^-1 b.
    KrylovOptions const some{.tolerance = 0, .max_iterations = 4};
    Richardson<BlockVector<double, n, Exec>>(exec, box, some)
        .solve(exec, to_device<double, n, Storage>(exec, system), reference, to_device<double, n>(exec, box, rhs), y);
    Richardson<DistributedVector<double, n, Exec>>(exec, grid, some).solve(exec, a, plan, b, x);
    EXPECT_TRUE(bitwise_equal(to_host(exec, x), part_of_rank(grid, n, to_host(exec, y)))) << what << ", iterates";
  }

  /// Where a block of a point of the last grid block is not a number.
  template <class P>
  void expect_failure(int of_rank) {
    constexpr int n = P::block_size;
    auto const whole = stack(Grid(6, 7, 4 * of_rank * world.size()), of_rank);
    DistributedGrid const grid(world, whole);
    MultiBlockReference system(whole, n);
    int const last = whole.block_count() - 1;
    auto& block = system.blocks[last];
    std::ranges::fill(block.block(block.grid.index({2, 3, 0}), Direction::center).entries,
                      std::numeric_limits<double>::quiet_NaN());
    DistributedMultiBlock<P> plan(exec, grid, {.coupling = Coupling::natural});
    EXPECT_TRUE(plan.goes_through_devices());
    plan.factor(exec, to_ranks<double, n, double>(exec, grid, system));
    auto const status = plan.status(exec);
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(status.grid_block, last);
    EXPECT_EQ(status.rank, grid.owner(last));
    EXPECT_THAT(status.message(), ::testing::HasSubstr("(2, 3, 0)"));
  }
};

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
  // The lowest rank has one more than the others.
  auto const whole = cut_grid(box, {1, 1, world.size() + 1}).grid;
  std::vector<int> owners{0};
  for (int rank = 0; rank < world.size(); ++rank) owners.push_back(rank);
  expect_bits_of_box<Ilu<1>>(box, DistributedGrid(world, whole, owners), {});
}

TEST_F(DistributedDevices, failures_name_rank_and_point) {
  if (!can_run()) GTEST_SKIP() << "it takes ranks with devices of their own";
  for (int const of_rank : {1, 3}) {
    expect_failure<Ilu<5>>(of_rank);
    expect_failure<OverRelaxed<5>>(of_rank);
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

TEST_F(DistributedDevices, a_relaxation_out_of_range_is_refused) {
  if (!can_run()) GTEST_SKIP() << "it takes ranks with devices of their own";
  DistributedGrid const grid(world, stack(Grid(3, 3, 2 * world.size())));
  bool const wrong = world.rank() + 1 == world.size();
  EXPECT_THAT(thrown_text([&] {
                DistributedMultiBlock<OverRelaxed<5>>(
                    exec, grid, {.coupling = Coupling::natural, .block = {.relaxation = wrong ? 2.0 : 1.0}});
              }),
              ::testing::HasSubstr("rank " + std::to_string(world.size() - 1) + ": SsorPart: relaxation is 2"));
}

}  // namespace
}  // namespace hyperplane::test
