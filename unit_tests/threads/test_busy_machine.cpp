// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <string>
#include <vector>

#include "support/busy_cores.hpp"
#include "support/execution_spaces.hpp"
#include "support/least_team.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

// Solves with as many threads as cores beside another process on each core. What they are compared with is one thread
// beside the same processes, one after the other: that takes the same share of a machine that does other work as well.
namespace hyperplane::test {
namespace {

#ifdef KOKKOS_ENABLE_OPENMP
using Exec = Kokkos::OpenMP;
using Clock = std::chrono::steady_clock;

class Solve {
 public:
  Solve(int threads, const Grid& grid)
      : m_exec(threads),
        m_a(to_device<double, 1, double>(m_exec, random_stencil(grid, 1))),
        m_b(to_device<double, 1>(m_exec, grid, random_vector(grid.size()))),
        m_x(m_exec, grid),
        m_ilu(m_exec, grid),
        m_method(m_exec, grid, KrylovOptions{.tolerance = 1e-9}) {}

  /// Of a solve, as the mean of several.
  double seconds(int repetitions) {
    auto const begin = Clock::now();
    for (int r = 0; r < repetitions; ++r) {
      Kokkos::deep_copy(m_exec, m_x.flat(), 0.0);
      m_ilu.factor(m_exec, m_a);
      EXPECT_TRUE(m_method.solve(m_exec, m_a, m_ilu, m_b, m_x).converged());
    }
    return std::chrono::duration<double>(Clock::now() - begin).count() / repetitions;
  }

 private:
  using Vector = BlockVector<double, 1, Exec>;
  Exec m_exec;
  BlockStencil7<double, 1, Exec> m_a;
  Vector m_b, m_x;
  BlockIlu0<double, 1, Exec> m_ilu;
  BiCgStab<Vector> m_method;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// How much longer all threads take than one, beside busy processes: the median of 11.
double one_slowdown(const Grid& grid) {
  Solve all(Exec().concurrency(), grid), one(1, grid);
  // Some time slices for each measurement.
  int const repetitions = std::clamp(static_cast<int>(0.02 / one.seconds(3)), 1, 200);
  BusyCores const others;
  others.set_busy(true);
  std::vector<double> times_of_all, times_of_one;
  for (int sample = 0; sample < 11; ++sample) {
    times_of_one.push_back(one.seconds(repetitions));
    times_of_all.push_back(all.seconds(repetitions));
  }
  return median(times_of_all) / median(times_of_one);
}

// The share of all threads on a busy machine is that of one or more. Where threads wait for those that have lost their
// cores by spinning or yielding, the factor is 10 to 1000.
constexpr double allowed = 4;

/// The best of up to three, as the machine may have other work than the processes of the test.
double slowdown(const Grid& grid) {
  double factor = one_slowdown(grid);
  for (int retry = 0; retry < 2 && factor >= allowed; ++retry) factor = std::min(factor, one_slowdown(grid));
  ::testing::Test::RecordProperty("slowdown", std::to_string(factor));
  return factor;
}

TEST(BusyMachine, small_solves_wait_for_no_other_process) {
  LeastTeam const usual(usual_teams);
  EXPECT_LT(slowdown(Grid(75, 20, 1)), allowed);
}

TEST(BusyMachine, teams_sleep_while_they_wait) {
  // Of many threads one is nearly always without its core, and one thread is no measure for them.
  if (Exec().concurrency() > 4) GTEST_SKIP() << "for machines of few cores";
  LeastTeam const usual(usual_teams);
  EXPECT_LT(slowdown(Grid(48, 48, 48)), allowed);
}

#else

TEST(BusyMachine, needs_openmp) { GTEST_SKIP() << "this Kokkos has no OpenMP"; }

#endif

}  // namespace
}  // namespace hyperplane::test
