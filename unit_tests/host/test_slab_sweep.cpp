// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <hyperplane/host/slab_sweep.hpp>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/least_team.hpp"

namespace hyperplane::test {
namespace {

template <class Exec>
class SlabSweepTest : public ::testing::Test {};
TYPED_TEST_SUITE(SlabSweepTest, ExecutionSpaces, SpaceNames);

/// Every step runs once, after the steps that it depends on.
template <HostExecutionSpace Exec>
void check(const Exec& exec, int slabs, std::int64_t steps, int lag, int block) {
  SCOPED_TRACE("slabs " + std::to_string(slabs) + ", steps " + std::to_string(steps) + ", lag " + std::to_string(lag) +
               ", block " + std::to_string(block));
  host::SlabSweep<Exec> const sweep(exec, "sweep", slabs, steps, lag, block);
  std::vector<std::atomic<int>> runs(slabs * steps);
  std::atomic<int> violations = 0;
  for (int repetition = 1; repetition <= 3; ++repetition) {
    sweep.run(exec, "run", 1.0, [&](int slab, std::int64_t begin, std::int64_t end) {
      for (std::int64_t step = begin; step < end; ++step) {
        auto const done = [&](int p, std::int64_t s) {
          return runs[p * steps + s].load(std::memory_order_relaxed) == repetition;
        };
        if (step > 0 && !done(slab, step - 1)) ++violations;
        if (slab > 0 && !done(slab - 1, std::min(step + lag, steps - 1))) ++violations;
        runs[slab * steps + step].fetch_add(1, std::memory_order_relaxed);
      }
    });
    exec.fence();
    EXPECT_EQ(violations, 0);
    for (auto const& count : runs) ASSERT_EQ(count, repetition);
  }
}

/// The same of several grids.
template <HostExecutionSpace Exec>
void check_several(const Exec& exec, const std::vector<typename host::SlabSweep<Exec>::Extent>& grids, double bytes) {
  constexpr int lag = 3;
  host::SlabSweep<Exec> const sweep(exec, "sweep", grids, lag, 4);
  std::vector<std::vector<std::atomic<int>>> runs;
  runs.reserve(grids.size());
  for (auto const& grid : grids) runs.emplace_back(grid.slabs * grid.steps);
  std::atomic<int> violations = 0;
  for (int repetition = 1; repetition <= 3; ++repetition) {
    sweep.run_all(exec, "run", bytes, [&](int number) {
      return [&, number](int slab, std::int64_t begin, std::int64_t end) {
        auto const steps = grids[number].steps;
        auto& counts = runs[number];
        for (std::int64_t step = begin; step < end; ++step) {
          auto const done = [&](int p, std::int64_t s) {
            return counts[p * steps + s].load(std::memory_order_relaxed) == repetition;
          };
          if (step > 0 && !done(slab, step - 1)) ++violations;
          if (slab > 0 && !done(slab - 1, std::min(step + lag, steps - 1))) ++violations;
          counts[slab * steps + step].fetch_add(1, std::memory_order_relaxed);
        }
      };
    });
    exec.fence();
    EXPECT_EQ(violations, 0);
    for (auto const& counts : runs) {
      for (auto const& count : counts) ASSERT_EQ(count, repetition);
    }
  }
}

TYPED_TEST(SlabSweepTest, sweeps_several_grids_together) {
  if constexpr (HostExecutionSpace<TypeParam>) {
    TypeParam const exec;
    for (double const least : {always_teams, never_teams}) {
      LeastTeam const team(least);
      double const bytes = 1.0;
      check_several(exec, {}, bytes);
      check_several(exec, {{5, 70}}, bytes);
      check_several(exec, {{1, 1}, {3, 500}, {0, 9}, {7, 64}, {2, 0}, {1, 1000}}, bytes);
      check_several(exec, std::vector<typename host::SlabSweep<TypeParam>::Extent>(64, {2, 100}), bytes);
#ifdef KOKKOS_ENABLE_OPENMP
      if constexpr (std::is_same_v<TypeParam, Kokkos::OpenMP>) {
        for (int const threads : {1, 2, 3, 4}) {
          check_several(Kokkos::OpenMP(threads), {{1, 1}, {3, 500}, {7, 64}, {1, 1000}, {4, 200}}, bytes);
        }
      }
#endif
    }
  } else {
    GTEST_SKIP() << "host execution spaces alone";
  }
}

TYPED_TEST(SlabSweepTest, keeps_dependencies_with_any_number_of_threads) {
  if constexpr (HostExecutionSpace<TypeParam>) {
    TypeParam const exec;
    for (int const slabs : {1, 2, 3, 7, 40}) {
      for (std::int64_t const steps : {1, 5, 64, 1000}) {
        for (int const block : {1, 4, 64}) {
          check(exec, slabs, steps, 0, block);
          check(exec, slabs, steps, 7, block);
        }
      }
    }
#ifdef KOKKOS_ENABLE_OPENMP
    if constexpr (std::is_same_v<TypeParam, Kokkos::OpenMP>) {
      // More threads than cores: a thread that waits must let the others run.
      for (int const threads : {1, 2, 3, 4}) check(Kokkos::OpenMP(threads), 13, 500, 7, 4);
    }
#endif
  } else {
    GTEST_SKIP() << "host execution spaces alone";
  }
}

}  // namespace
}  // namespace hyperplane::test
