// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/host/level_sweep.hpp>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/least_team.hpp"

namespace hyperplane::test {
namespace {

template <class Exec>
class LevelSweepTest : public ::testing::Test {};
TYPED_TEST_SUITE(LevelSweepTest, ExecutionSpaces, SpaceNames);

/// An index of a level is one more than the sum of all indices of the level before.
template <class Exec>
void expect_dependencies_kept(const Exec& exec, const std::vector<std::int64_t>& begin, std::int64_t least) {
  auto const size = static_cast<std::size_t>(begin.back());
  std::vector<std::size_t> level_of(size);
  for (std::size_t level = 0; level + 1 < begin.size(); ++level) {
    for (auto e = begin[level]; e < begin[level + 1]; ++e) level_of[static_cast<std::size_t>(e)] = level;
  }
  std::vector<unsigned> values(size), expected(size);
  auto const compute = [&](std::int64_t first, std::int64_t last, std::vector<unsigned>& result) {
    for (auto e = static_cast<std::size_t>(first); e < static_cast<std::size_t>(last); ++e) {
      unsigned sum = 1;
      auto const level = level_of[e];
      for (auto f = level > 0 ? begin[level - 1] : 0; level > 0 && f < begin[level]; ++f) {
        sum += result[static_cast<std::size_t>(f)];
      }
      result[e] = sum;
    }
  };
  compute(0, begin.back(), expected);
  host::LevelSweep<Exec> const sweep(exec, "sweep", begin, least);
  for (int repeat = 0; repeat < 20; ++repeat) {
    values.assign(size, 0);
    sweep.run(
        exec, "sweep", 8, [&](std::int64_t first, std::int64_t last) { compute(first, last, values); },
        [&] { compute(0, begin.back(), values); });
    ASSERT_EQ(values, expected);
  }
}

TYPED_TEST(LevelSweepTest, keeps_dependencies_between_levels) {
  if constexpr (HostExecutionSpace<TypeParam>) {
    for (double const least : {always_teams, never_teams}) {
      LeastTeam const team(least);
      for (int const rows : {1, 2, 5}) {
        expect_dependencies_kept(TypeParam(), {0}, rows);
        expect_dependencies_kept(TypeParam(), {0, 1}, rows);
        expect_dependencies_kept(TypeParam(), {0, 7, 8, 10, 31, 32, 33, 50}, rows);
      }
    }
  }
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST(LevelSweepThreads, may_be_more_than_cores) {
  LeastTeam const team(always_teams);
  for (int const threads : {1, 2, 4, 7}) {
    expect_dependencies_kept(Kokkos::OpenMP(threads), {0, 7, 8, 10, 31, 32, 33, 50}, 1);
  }
}
#endif

}  // namespace
}  // namespace hyperplane::test
