// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <hyperplane/host/slab_sweep.hpp>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/least_team.hpp"

namespace hyperplane::test {
namespace {

template <class Exec>
class SlabSweepTest : public ::testing::Test {};
TYPED_TEST_SUITE(SlabSweepTest, ExecutionSpaces, SpaceNames);

/// Counts the steps of a grid, and those that run before what they depend on.
class StepCounts {
 public:
  StepCounts(int slabs, std::int64_t steps, int lag) : m_steps(steps), m_lag(lag), m_runs(slabs * steps) {}

  /// What runs in a repetition, counted from 1.
  auto body(int repetition) {
    return [this, repetition](int slab, std::int64_t begin, std::int64_t end) {
      for (std::int64_t step = begin; step < end; ++step) {
        auto const done = [&](int p, std::int64_t s) {
          return m_runs[p * m_steps + s].load(std::memory_order_relaxed) == repetition;
        };
        if (step > 0 && !done(slab, step - 1)) ++m_violations;
        if (slab > 0 && !done(slab - 1, std::min(step + m_lag, m_steps - 1))) ++m_violations;
        m_runs[slab * m_steps + step].fetch_add(1, std::memory_order_relaxed);
      }
    };
  }

  /// Every step has run once in each repetition, after the steps that it depends on.
  void expect_all(int repetitions) const {
    EXPECT_EQ(m_violations, 0);
    for (auto const& count : m_runs) ASSERT_EQ(count, repetitions);
  }

 private:
  std::int64_t m_steps;
  int m_lag;
  std::vector<std::atomic<int>> m_runs;
  std::atomic<int> m_violations = 0;
};

template <HostExecutionSpace Exec>
void check(const Exec& exec, int slabs, std::int64_t steps, int lag, int block) {
  SCOPED_TRACE("slabs " + std::to_string(slabs) + ", steps " + std::to_string(steps) + ", lag " + std::to_string(lag) +
               ", block " + std::to_string(block));
  host::SlabSweep<Exec> const sweep(exec, "sweep", slabs, steps, lag, block);
  StepCounts counts(slabs, steps, lag);
  for (int repetition = 1; repetition <= 3; ++repetition) {
    sweep.run(exec, "run", 1.0, counts.body(repetition));
    exec.fence();
    counts.expect_all(repetition);
  }
}

/// The same of several grids.
template <HostExecutionSpace Exec>
void check_several(const Exec& exec, const std::vector<typename host::SlabSweep<Exec>::Extent>& grids) {
  constexpr int lag = 3;
  host::SlabSweep<Exec> const sweep(exec, "sweep", grids, lag, 4);
  std::deque<StepCounts> counts;
  for (auto const& grid : grids) counts.emplace_back(grid.slabs, grid.steps, lag);
  for (int repetition = 1; repetition <= 3; ++repetition) {
    sweep.run_all(exec, "run", 1.0, [&](int number) { return counts[number].body(repetition); });
    exec.fence();
    for (auto const& of_grid : counts) of_grid.expect_all(repetition);
  }
}

TYPED_TEST(SlabSweepTest, sweeps_several_grids_together) {
  if constexpr (HostExecutionSpace<TypeParam>) {
    TypeParam const exec;
    for (double const least : {always_teams, never_teams}) {
      LeastTeam const team(least);
      check_several(exec, {});
      check_several(exec, {{5, 70}});
      check_several(exec, {{1, 1}, {3, 500}, {0, 9}, {7, 64}, {2, 0}, {1, 1000}});
      check_several(exec, std::vector<typename host::SlabSweep<TypeParam>::Extent>(64, {2, 100}));
#ifdef KOKKOS_ENABLE_OPENMP
      if constexpr (std::is_same_v<TypeParam, Kokkos::OpenMP>) {
        for (int const threads : {1, 2, 3, 4}) {
          check_several(Kokkos::OpenMP(threads), {{1, 1}, {3, 500}, {7, 64}, {1, 1000}, {4, 200}});
        }
      }
#endif
    }
  } else {
    GTEST_SKIP() << "host execution spaces alone";
  }
}

/// Counts the rows of strips, and those that run before what they depend on.
class RowCounts {
 public:
  RowCounts(int slabs, int count, int reach, std::int64_t rows)
      : m_count(count), m_reach(reach), m_rows(rows), m_runs(slabs * count * rows) {}

  /// What runs in a repetition, counted from 1.
  auto body(int repetition) {
    return [this, repetition](int slab, int strip, std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        auto const done = [&](int of_slab, int of_strip, std::int64_t of_row) {
          return at(of_slab, of_strip, of_row).load(std::memory_order_relaxed) == repetition;
        };
        if (row > 0 && !done(slab, strip, row - 1)) ++m_violations;
        if (strip > 0 && !done(slab, strip - 1, row)) ++m_violations;
        if (slab > 0 && !done(slab - 1, std::min(strip + m_reach, m_count - 1), row)) ++m_violations;
        at(slab, strip, row).fetch_add(1, std::memory_order_relaxed);
      }
    };
  }

  void expect_all(int repetitions) const {
    EXPECT_EQ(m_violations, 0);
    for (auto const& count : m_runs) ASSERT_EQ(count, repetitions);
  }

 private:
  std::atomic<int>& at(int slab, int strip, std::int64_t row) {
    return m_runs[(slab * m_count + strip) * m_rows + row];
  }

  int m_count;
  int m_reach;
  std::int64_t m_rows;
  std::vector<std::atomic<int>> m_runs;
  std::atomic<int> m_violations = 0;
};

template <HostExecutionSpace Exec>
void check_strips(const Exec& exec, int slabs, int count, int reach, std::int64_t rows, int block) {
  SCOPED_TRACE("slabs " + std::to_string(slabs) + ", strips " + std::to_string(count) + ", reach " +
               std::to_string(reach) + ", rows " + std::to_string(rows) + ", block " + std::to_string(block));
  host::SlabSweep<Exec> const sweep(exec, "sweep", slabs, 10 * rows,
                                    {.count = count, .reach = reach, .rows = rows, .block = block});
  RowCounts counts(slabs, count, reach, rows);
  for (int repetition = 1; repetition <= 3; ++repetition) {
    auto const body = counts.body(repetition);
    auto const alone = [&] {
      for (std::int64_t row = 0; row < rows; ++row) {
        for (int strip = 0; strip < slabs * count; ++strip) body(strip / count, strip % count, row, row + 1);
      }
    };
    sweep.run_strips(exec, "run", 1.0, body, alone);
    exec.fence();
    counts.expect_all(repetition);
  }
}

TYPED_TEST(SlabSweepTest, strips_keep_dependencies_with_any_number_of_threads) {
  if constexpr (HostExecutionSpace<TypeParam>) {
    TypeParam const exec;
    for (double const least : {always_teams, never_teams}) {
      LeastTeam const team(least);
      for (int const slabs : {1, 2, 3}) {
        for (int const count : {2, 3, 8}) {
          for (std::int64_t const rows : {1, 5, 70}) {
            for (int const reach : {0, 1, 2, 9}) check_strips(exec, slabs, count, reach, rows, 1 + reach % 2);
          }
        }
      }
#ifdef KOKKOS_ENABLE_OPENMP
      if constexpr (std::is_same_v<TypeParam, Kokkos::OpenMP>) {
        for (int threads = 1; threads <= 8; ++threads) check_strips(Kokkos::OpenMP(threads), 2, 4, 1, 100, 2);
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
