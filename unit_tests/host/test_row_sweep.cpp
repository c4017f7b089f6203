// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/host/row_sweep.hpp>
#include <hyperplane/host/row_tiles.hpp>
#include <random>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/least_team.hpp"

namespace hyperplane::test {
namespace {

/// Of which rows need which: needed(row, add).
host::RowNeeds row_needs(int rows, const std::function<void(int, const std::function<void(int)>&)>& needed) {
  host::RowNeeds result;
  for (int row = 0; row < rows; ++row) {
    needed(row, [&](int other) {
      if (other >= 0) result.rows.push_back(other);
    });
    std::sort(result.rows.begin() + result.begin.back(), result.rows.end());
    result.begin.push_back(static_cast<std::int64_t>(result.rows.size()));
  }
  return result;
}

host::RowNeeds no_needs(int rows) {
  return row_needs(rows, [](int, const auto&) {});
}
host::RowNeeds chain(int rows) {
  return row_needs(rows, [](int row, const auto& add) { add(row - 1); });
}
/// The last row needs all.
host::RowNeeds dense_end(int rows) {
  return row_needs(rows, [&](int row, const auto& add) {
    for (int other = 0; row == rows - 1 && other < row; ++other) add(other);
  });
}
/// Lines of a plane, of which each second one runs the other way.
host::RowNeeds winding_lines(int length, int lines) {
  return row_needs(length * lines, [&](int row, const auto& add) {
    int const line = row / length, at = row % length;
    if (at > 0) add(row - 1);
    if (line > 0) add(line % 2 == 0 ? row - length : line * length - 1 - at);
  });
}
host::RowNeeds random_needs(int rows, int most) {
  std::mt19937 engine(7);
  return row_needs(rows, [&](int row, const auto& add) {
    std::vector<int> chosen;
    for (int k = 0; row > 0 && k < most; ++k) chosen.push_back(static_cast<int>(engine() % static_cast<unsigned>(row)));
    std::ranges::sort(chosen);
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    for (int const other : chosen) add(other);
  });
}

std::vector<host::RowNeeds> many_needs() {
  return {no_needs(0),        no_needs(1),           no_needs(1000),        chain(2),
          chain(700),         dense_end(33),         dense_end(900),        winding_lines(37, 41),
          random_needs(5, 3), random_needs(2500, 3), winding_lines(300, 7), random_needs(6000, 9)};
}

/// What threads that follow the tiles may count on: all rows, once; and what a row needs has been waited for.
void expect_tiles_right(const host::RowNeeds& needs, const host::RowTiles& tiles) {
  auto const rows = static_cast<std::size_t>(needs.count());
  std::vector<int> ticket_of(rows, -1), step_of(rows, -1);
  int steps = 0;
  for (int ticket = 0; ticket < static_cast<int>(tiles.tiles.size()); ++ticket) {
    auto const& tile = tiles.tiles[static_cast<std::size_t>(ticket)];
    ASSERT_EQ(tile.first_step, steps);
    for (int row = tile.begin; row < tile.end; ++row) {
      ASSERT_EQ(ticket_of[static_cast<std::size_t>(row)], -1) << row;
      ticket_of[static_cast<std::size_t>(row)] = ticket;
      step_of[static_cast<std::size_t>(row)] = tile.first_step + (row - tile.begin) / tiles.step;
    }
    steps = tiles.last_step(ticket) + 1;
  }
  ASSERT_EQ(tiles.steps(), steps);
  ASSERT_EQ(std::ranges::count(ticket_of, -1), 0);
  for (int ticket = 0; ticket < static_cast<int>(tiles.tiles.size()); ++ticket) {
    auto const& tile = tiles.tiles[static_cast<std::size_t>(ticket)];
    std::vector<int> awaited(static_cast<std::size_t>(tiles.words()), -1);
    for (int row = tile.begin; row < tile.end; ++row) {
      auto const step = static_cast<std::size_t>(step_of[static_cast<std::size_t>(row)]);
      for (auto wait = tiles.wait_begin[step]; wait < tiles.wait_begin[step + 1]; ++wait) {
        auto const& [word, last] = tiles.waits[static_cast<std::size_t>(wait)];
        auto& seen = awaited[static_cast<std::size_t>(word)];
        seen = std::max(seen, last);
      }
      for (int const needed : needs.of(row)) {
        int const other = ticket_of[static_cast<std::size_t>(needed)];
        ASSERT_LE(other, ticket);
        if (other == ticket || other <= ticket - tiles.window) continue;
        ASSERT_GE(awaited[static_cast<std::size_t>(tiles.word(other))], step_of[static_cast<std::size_t>(needed)]);
      }
    }
  }
}

TEST(RowNeeds, of_rows_that_give_are_all_before_them) {
  using Rows = std::vector<int>;
  // Places 1 to 5 get from these rows; one has none, and one has a row twice.
  host::RowNeeds const givers{{0, 0, 1, 3, 3, 6, 9}, {0, 0, 1, 0, 3, 3, 0, 1, 4}};
  auto const of = [](const host::RowNeeds& needs, int row) { return Rows(needs.of(row).begin(), needs.of(row).end()); };
  auto const give = host::needs_of_givers(givers, false), take = host::needs_of_givers(givers, true);
  std::vector<Rows> const giving{{}, {0}, {}, {0}, {1}, {}}, taking{{}, {0}, {0, 1}, {0}, {0, 1, 3}, {0, 1, 4}};
  for (int row = 0; row < 6; ++row) {
    EXPECT_EQ(of(give, row), giving[static_cast<std::size_t>(row)]) << row;
    EXPECT_EQ(of(take, row), taking[static_cast<std::size_t>(row)]) << row;
  }
}

TEST(RowTiles, have_all_rows_and_wait_for_all_they_need) {
  for (int const threads : {2, 3, 8, 70}) {
    for (double const bytes : {20.0, 2000.0}) {
      for (auto const& needs : many_needs()) {
        if (needs.count() > 0) expect_tiles_right(needs, host::RowTiles(needs, bytes, threads));
      }
    }
  }
}

TEST(RowTiles, end_where_lines_end) {
  constexpr int length = 40;
  auto const lines = row_needs(length * 50, [](int row, const auto& add) {
    if (row % length > 0) add(row - 1);
    add(row - length);
  });
  host::RowTiles const tiles(lines, 2000, 2);
  EXPECT_EQ(tiles.tiles.size(), 50u);
  for (auto const& tile : tiles.tiles) {
    EXPECT_EQ(tile.begin % length, 0);
    EXPECT_EQ(tile.end % length, 0);
  }
}

TEST(RowTiles, know_what_threads_gain) {
  EXPECT_EQ(host::RowTiles(chain(700), 2000, 1).speedup, 1.0);
  EXPECT_LE(host::RowTiles(chain(700), 2000, 4).speedup, 1.0);
  EXPECT_GT(host::RowTiles(no_needs(1000), 2000, 2).speedup, 1.9);
  EXPECT_GT(host::RowTiles(winding_lines(37, 41), 2000, 2).speedup, 1.5);
}

template <class Exec>
class RowSweepTest : public ::testing::Test {};
TYPED_TEST_SUITE(RowSweepTest, ExecutionSpaces, SpaceNames);

/// A row is one more than the sum of all it needs.
template <class Exec>
void expect_dependencies_kept(const Exec& exec, const host::RowNeeds& needs) {
  auto const size = static_cast<std::size_t>(needs.count());
  std::vector<unsigned> values(size), expected(size);
  auto const compute = [&](std::int64_t begin, std::int64_t end, std::vector<unsigned>& result) {
    for (auto row = begin; row < end; ++row) {
      unsigned sum = 1;
      for (int const needed : needs.of(static_cast<int>(row))) sum += result[static_cast<std::size_t>(needed)];
      result[static_cast<std::size_t>(row)] = sum;
    }
  };
  compute(0, needs.count(), expected);
  host::RowSweep<Exec> const sweep(exec, "sweep", needs, 2000);
  for (int repeat = 0; repeat < 20; ++repeat) {
    values.assign(size, 0);
    sweep.run(
        exec, "sweep", 8,
        [&](const typename host::RowSweep<Exec>::Tile& tile) {
          tile.run([&](std::int64_t begin, std::int64_t end) { compute(begin, end, values); });
        },
        [&] { compute(0, needs.count(), values); });
    ASSERT_EQ(values, expected);
  }
}

TYPED_TEST(RowSweepTest, keeps_dependencies_between_rows) {
  if constexpr (HostExecutionSpace<TypeParam>) {
    for (double const least : {always_teams, never_teams}) {
      LeastTeam const team(least);
      for (auto const& needs : many_needs()) expect_dependencies_kept(TypeParam(), needs);
    }
  }
}

#ifdef KOKKOS_ENABLE_OPENMP
/// Counts what is asked for of rows that have not run.
struct AskingKernel {
  std::atomic<int>* m_asked;
  std::atomic<int>* m_bounds_asked;
  int* m_runs;  ///< of each row

  static constexpr int prefetched = 1;
  void prefetch(std::int64_t row) const { *m_asked += m_runs[row] == 0 ? 1 : 0; }
  static constexpr int bounds_prefetched = 4;
  void prefetch_bounds(std::int64_t row) const { *m_bounds_asked += m_runs[row] == 0 ? 1 : 0; }
  void operator()(std::int64_t row) const { ++m_runs[row]; }
};

TEST(RowSweepThreads, ask_for_all_rows_of_a_tile_but_the_first_ones) {
  LeastTeam const team(always_teams);
  constexpr int rows = 1001;
  for (int const threads : {1, 4}) {
    Kokkos::OpenMP const exec(threads);
    host::RowSweep<Kokkos::OpenMP> const sweep(exec, "sweep", no_needs(rows), 2000);
    std::atomic<int> asked = 0, bounds_asked = 0;
    std::vector<int> runs(rows, 0);
    sweep.run_rows(exec, "sweep", 8, rows, [&] { return AskingKernel{&asked, &bounds_asked, runs.data()}; });
    int const tiles = threads == 1 ? 1 : static_cast<int>(host::RowTiles(no_needs(rows), 2000, threads).tiles.size());
    EXPECT_EQ(runs, std::vector<int>(rows, 1));
    EXPECT_EQ(asked, rows - tiles) << threads;
    EXPECT_EQ(bounds_asked, rows - 4 * tiles) << threads;
  }
}

TEST(RowSweepThreads, may_be_more_than_cores) {
  LeastTeam const team(always_teams);
  for (int const threads : {1, 2, 4, 7}) {
    for (auto const& needs : many_needs()) expect_dependencies_kept(Kokkos::OpenMP(threads), needs);
  }
}
#endif

}  // namespace
}  // namespace hyperplane::test
