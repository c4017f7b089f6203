// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/sweep/slab_strips.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/least_team.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

// Slabs that are cut into strips, since there are more threads than slabs.
namespace hyperplane::test {
namespace {

std::vector<Grid> strip_grids() {
  return {Grid(1, 1, 1), Grid(1, 9, 4), Grid(7, 8, 3), Grid(8, 8, 2), Grid(9, 17, 5), Grid(30, 3, 4), Grid(5, 20, 1)};
}

/// Notes when each slot of the layout is taken.
template <int vector_length, bool forward_>
struct NotingKernel {
  static constexpr bool forward = forward_;
  const SlabMap<vector_length>& m_map;
  std::vector<int>& m_times;  ///< of each slot; 0 if it was not taken yet
  int& m_now;

  template <class Steps>
  void run(int counted_slab, std::int64_t begin, std::int64_t end, const Steps& steps) const {
    int const slab = forward ? counted_slab : m_map.slabs() - 1 - counted_slab;
    for (auto counted = begin; counted < end; ++counted) {
      auto const step = forward ? counted : m_map.steps() - 1 - counted;
      ++m_now;
      for (int lane = 0; lane < vector_length; ++lane) {
        if (!steps.at(step).has(lane)) continue;
        auto& time = m_times[(m_map.first_pack(slab) + step) * vector_length + lane];
        EXPECT_EQ(time, 0) << "step " << step << ", lane " << lane << ": taken twice";
        time = m_now;
      }
    }
  }
};

/// Strips of one row after the other: all slots are taken once, points after the neighbours that they depend on.
template <int vector_length, bool forward>
void check_order(const Grid& grid, int count) {
  SlabMap<vector_length> const map(grid);
  SCOPED_TRACE(to_string(grid) + ", W = " + std::to_string(vector_length) + ", strips " + std::to_string(count) +
               (forward ? "" : ", backward"));
  std::int64_t const row = map.pitch() + vector_length - 1;
  detail::SlabStrips const strips{count, (row + count - 1) / count, 1};
  std::vector<int> times(static_cast<std::size_t>(map.pack_count() * vector_length));
  int now = 0;
  using Kernel = NotingKernel<vector_length, forward>;
  detail::SlabStripKernel<Kernel, vector_length> const kernel{Kernel{map, times, now}, map, strips};
  for (int slab = 0; slab < map.slabs(); ++slab) {
    for (int k = 0; k < grid.nk(); ++k) {
      for (int strip = 0; strip < count; ++strip) kernel(slab, strip, k, k + 1);
    }
  }
  for (int const time : times) ASSERT_GT(time, 0);
  auto const time_of = [&](const Point& p) { return times[map.pack(p.i, p.j, p.k) * vector_length + map.lane(p.j)]; };
  for (std::int64_t e = 0; e < grid.size(); ++e) {
    auto const p = grid.point(e);
    for (auto const direction : {Direction::west, Direction::south, Direction::bottom}) {
      auto const other = neighbour(p, direction);
      if (!grid.contains(other)) continue;
      EXPECT_EQ(time_of(other) < time_of(p), forward);
      EXPECT_NE(time_of(other), time_of(p));
    }
  }
}

TEST(SlabStrips, take_each_slot_once_and_points_in_the_order_of_the_sweep) {
  for (auto const& grid : strip_grids()) {
    for (int const count : {1, 2, 3, 7, 50}) {
      check_order<2, true>(grid, count);
      check_order<2, false>(grid, count);
      check_order<8, true>(grid, count);
      check_order<8, false>(grid, count);
    }
  }
}

TEST(SlabStrips, are_made_where_there_are_more_threads_than_slabs_and_it_pays) {
  // As with masks for lanes, whatever the instruction set that this is compiled for.
  auto const strips = [](const Grid& grid, int threads, double ragged = 1.0) {
    return detail::choose_slab_strips(SlabMap<8>(grid), threads, 10, ragged).count;
  };
  EXPECT_EQ(strips(Grid(64, 64, 64), 8), 1) << "a slab for each thread";
  EXPECT_GT(strips(Grid(64, 64, 64), 16), 1);
  EXPECT_GT(strips(Grid(64, 8, 64), 2), 1);
  EXPECT_GT(strips(Grid(512, 8, 8), 2), 1);
  EXPECT_GE(strips(Grid(8, 8, 512), 4), 4);
  EXPECT_EQ(strips(Grid(8, 8, 512), 4, 3.0), 1) << "lane by lane, the steps at both ends are too much";
  EXPECT_EQ(strips(Grid(8, 8, 512), 2), 1) << "16 steps for 9 are too much for two threads";
  EXPECT_EQ(strips(Grid(600, 400, 4), 4), 1) << "50 slabs";
  EXPECT_EQ(strips(Grid(64, 8, 1), 16), 1) << "one row";
  EXPECT_EQ(strips(Grid(64, 8, 64), 1), 1);
}

#ifdef KOKKOS_ENABLE_OPENMP

/// All bits of a factorization and of solves in both ways, in place or not, as flat values.
template <int n, class Storage>
std::vector<double> solves(const Kokkos::OpenMP& exec, const ReferenceStencil& reference,
                           const std::vector<double>& rhs) {
  using Exec = Kokkos::OpenMP;
  BlockIlu0<double, n, Exec, Storage> plan(exec, reference.grid);
  // A matrix has at least the bytes of a float.
  using MatrixStorage = std::conditional_t<std::floating_point<Storage>, Storage, double>;
  plan.factor(exec, to_device<double, n, MatrixStorage>(exec, reference));
  EXPECT_TRUE(plan.status(exec).ok());
  auto const b = to_device<double, n>(exec, reference.grid, rhs), y = to_device<double, n>(exec, reference.grid, rhs);
  BlockVector<double, n, Exec> const x(exec, reference.grid);
  std::vector<double> result;
  auto const keep = [&](const auto& vector) {
    for (std::size_t e = 0; e < vector.flat().size(); ++e) result.push_back(vector.flat()(e));
  };
  plan.solve(exec, b, x);
  keep(x);
  plan.solve_transposed(exec, b, x);
  keep(x);
  plan.solve(exec, b, b);
  keep(b);
  plan.solve_transposed(exec, y, y);
  keep(y);
  return result;
}

template <int n, class Storage>
void compare_threads(const Grid& grid) {
  auto const reference = random_stencil(grid, n);
  auto const rhs = random_vector(reference.rows());
  auto const expected = solves<n, Storage>(Kokkos::OpenMP(1), reference, rhs);
  for (int const threads : {2, 3, 4, 5, 8}) {
    EXPECT_TRUE(bitwise_equal(solves<n, Storage>(Kokkos::OpenMP(threads), reference, rhs), expected))
        << to_string(grid) << ", n = " << n << ", " << threads << " threads";
  }
}

TEST(SlabStrips, have_the_bits_of_one_thread) {
  LeastTeam const team(always_teams);
  for (auto const& grid : {Grid(8, 8, 24), Grid(30, 9, 15), Grid(100, 1, 7), Grid(7, 3, 20)}) {
    compare_threads<1, double>(grid);
    compare_threads<3, float>(grid);
    compare_threads<3, Half>(grid);
    compare_threads<3, BFloat16>(grid);
  }
}

#endif

}  // namespace
}  // namespace hyperplane::test
