// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/detail/place_blocks.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/krylov/richardson.hpp>
#include <hyperplane/mpi/detail/choose_transport.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <limits>
#include <vector>

#include "distributed_fixture.hpp"
#include "support/transfer.hpp"

namespace hyperplane::test {

/// Ranks with devices of their own, and a box whose parts lie one above the other.
class DistributedDevices : public DistributedTest<Kokkos::Cuda> {
 protected:
  using Exec = Kokkos::Cuda;

  /// Grid blocks one above the other, of each rank as many.
  MultiBlockGrid stack(const Grid& box, int of_rank = 1) const {
    return cut_grid(box, {1, 1, of_rank * this->world.size()}).grid;
  }
  /// The same with the highest one first.
  MultiBlockGrid stack_downwards(const Grid& box, int of_rank) const {
    auto const upwards = stack(box, of_rank);
    std::vector<Grid> blocks(upwards.blocks().rbegin(), upwards.blocks().rend());
    std::vector<Interface> interfaces;
    for (int b = 0; b + 1 < upwards.block_count(); ++b) {
      interfaces.push_back({.block = b,
                            .face = Direction::bottom,
                            .points = {{0, 0, 0}, {box.ni(), box.nj(), 1}},
                            .donor = b + 1,
                            .donor_begin = {0, 0, blocks[b + 1].nk() - 1}});
    }
    return MultiBlockGrid(blocks, interfaces);
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

  /// Where a grid block begins among the points of the box.
  static std::int64_t first_in_box(const MultiBlockGrid& whole, int block) {
    auto const begins = detail::place_blocks(whole);
    int const below = begins[block].k - std::ranges::min(begins, {}, &Point::k).k;
    return std::int64_t{below} * whole.block(0).ni() * whole.block(0).nj();
  }
  /// Values of the box, grid block after grid block.
  static std::vector<double> by_blocks(const MultiBlockGrid& whole, int n, const std::vector<double>& of_box) {
    std::vector<double> result;
    for (int b = 0; b < whole.block_count(); ++b) {
      auto const first = of_box.begin() + first_in_box(whole, b) * n;
      result.insert(result.end(), first, first + whole.block(b).size() * n);
    }
    return result;
  }
  /// Those of this rank.
  static std::vector<double> own(const DistributedGrid& grid, int n, const std::vector<double>& of_box) {
    return part_of_rank(grid, n, by_blocks(grid.whole(), n, of_box));
  }

  /// The parts of this rank, which are one after the other in the system of the box.
  template <int n, class Storage>
  DistributedStencil7<double, n, Exec, Storage> parts_of(const DistributedGrid& grid,
                                                         const ReferenceStencil& system) const {
    DistributedStencil7<double, n, Exec, Storage> result(exec, grid);
    for (int const b : grid.blocks()) {
      ReferenceStencil part(grid.whole().block(b), n);
      auto const first = system.blocks.begin() + first_in_box(grid.whole(), b);
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
    auto const b = to_ranks<double, n>(exec, grid, by_blocks(grid.whole(), n, rhs));
    DistributedVector<double, n, Exec> const x(exec, grid);

    DistributedVector<double, n, Exec> const z(exec, grid);

    DistributedMultiBlock<P> plan(exec, grid, {.coupling = Coupling::natural, .block = options});
    ASSERT_TRUE(plan.goes_through_devices());
    // Paths differ in the bits of transposed solves.
    auto const transposed = own(grid, n, transposed_solution<P>(system, rhs, options));
    options.path = SweepPath::portable;
    P reference(exec, box, options);
    reference.factor(exec, to_device<double, n, Storage>(exec, system));
    auto const y = to_device<double, n>(exec, box, rhs);
    reference.solve(exec, y, y);
    auto const expected = own(grid, n, to_host(exec, y));
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
    EXPECT_TRUE(bitwise_equal(to_host(exec, x), own(grid, n, to_host(exec, y)))) << what << ", iterates";
  }

  /// Where spoil(grid block) has changed one of four layers, so that it fails at a point.
  template <class P, class Spoil>
  auto expect_failure_at(int of_rank, int number, const Point& point, const Spoil& spoil) {
    constexpr int n = P::block_size;
    auto const whole = stack(Grid(6, 7, 4 * of_rank * world.size()), of_rank);
    DistributedGrid const grid(world, whole);
    MultiBlockReference system(whole, n);
    spoil(system.blocks[number]);
    DistributedMultiBlock<P> plan(exec, grid, {.coupling = Coupling::natural});
    EXPECT_TRUE(plan.goes_through_devices());
    plan.factor(exec, to_ranks<double, n, double>(exec, grid, system));
    auto const status = plan.status(exec);
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(status.grid_block, number) << status.message();
    EXPECT_EQ(status.rank, grid.owner(number)) << status.message();
    EXPECT_EQ(status.point, point) << status.message();
    return status;
  }

  /// Where a block of a point is not a number.
  template <class P>
  void expect_failure(int of_rank, int number, const BlockPlace& place) {
    auto const status = expect_failure_at<P>(of_rank, number, place.point, [&](auto& block) {
      std::ranges::fill(block.block(block.grid.index(place.point), place.direction).entries,
                        std::numeric_limits<double>::quiet_NaN());
    });
    EXPECT_TRUE(status.block == place) << status.message();
  }

  /// Where what BILU(0) leaves to the grid block above is too large for its type.
  template <class P>
  void expect_overflow(int of_rank, int number, const Point& point) {
    auto const status = expect_failure_at<P>(of_rank, number, point, [&](auto& block) {
      for (auto const direction :
           {Direction::bottom, Direction::south, Direction::west, Direction::center, Direction::top}) {
        auto& entries = block.block(block.grid.index(point), direction);
        std::ranges::fill(entries.entries, 0.0);
        if (direction < Direction::center) continue;
        for (int c = 0; c < P::block_size; ++c) entries(c, c) = direction == Direction::center ? 1e-5 : 1e306;
      }
    });
    EXPECT_EQ(status.failure, FactorFailure::overflow) << status.message();
  }
};

}  // namespace hyperplane::test
