// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/function_ref.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/host/patience.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::host {

/// Runs a recursion over levels on the host's threads, as one kernel: indices of a level depend on those of levels
/// before it alone.
///
/// Levels are cut into tiles, which threads take by ticket, level after level. One word counts the tiles that are
/// finished; a tile of level l waits until there are as many as the levels before l have. Tiles of a level finish only
/// after all those of the level before, so that the count says which levels are complete. The holder of the lowest
/// unfinished ticket never waits for a tile that nobody has taken, and the sweep ends whatever the number of threads
/// that really run, one included.
///
/// Sweeps with little work are run by the calling thread alone.
template <HostExecutionSpace Exec>
class LevelSweep {
  using Word = std::int64_t;

 public:
  /// Level l has the indices begin[l], ..., begin[l + 1] - 1. A thread takes `least` of them at a time, or more.
  LevelSweep(const Exec& exec, const std::string& label, const std::vector<std::int64_t>& begin, std::int64_t least)
      : m_levels(static_cast<std::int64_t>(begin.size()) - 1),
        m_size(begin.back()),
        m_words(Kokkos::view_alloc(exec, label + "::progress"), std::size_t{words * words_in_line}) {
    auto const threads = static_cast<std::int64_t>(exec.concurrency());
    for (std::size_t level = 0; level + 1 < begin.size(); ++level) {
      auto const size = begin[level + 1] - begin[level];
      auto const tiles = std::max<std::int64_t>(1, std::min(size / std::max<std::int64_t>(least, 1), threads));
      auto const before = static_cast<Word>(m_tiles.size());
      m_widest = std::max(m_widest, tiles);
      for (std::int64_t t = 0; t < tiles; ++t) {
        m_tiles.push_back({begin[level] + t * size / tiles, begin[level] + (t + 1) * size / tiles, before});
      }
    }
    exec.fence("Hyperplane::LevelSweep");
  }

  /// team(begin, end) for ranges of indices, in an order that keeps the dependencies; or alone(), which does all of
  /// them on the calling thread, where threads are not worth it. An index moves about as many bytes.
  template <class Team, class Alone>
  void run(const Exec& exec, const std::string& label, double bytes, const Team& team, const Alone& alone) const {
    run_tiles(exec, label, bytes, team, alone);
  }

 private:
  static constexpr std::size_t words = 3;  ///< ticket, workers that are done, tiles that are
  // One cache line for each word.
  static constexpr std::size_t words_in_line = 64 / sizeof(Word);
  // To wait at the end of a level takes about a quarter of the time of a team's start and end: an estimate.
  static constexpr double levels_of_a_team = 4;

  using Indices = detail::FunctionRef<std::int64_t, std::int64_t>;

  struct Tile {
    std::int64_t begin;
    std::int64_t end;
    Word before;  ///< tiles of the levels before
  };

  // Compiled once for all bodies. Serial, Threads and OpenMP have finished a kernel when its launch returns, so that it
  // may have references to what the caller has.
  void run_tiles(const Exec& exec, const std::string& label, double bytes, Indices body,
                 detail::FunctionRef<> all) const {
    auto const workers = static_cast<int>(std::min<std::int64_t>(exec.concurrency(), m_widest));
    auto const team = [&] {
      Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, std::max(workers, 1), Kokkos::ChunkSize(1)),
                           Worker{this, body, all, workers});
    };
    if constexpr (detail::starts_teams<Exec>) {
      double const moved = workers > 1 ? bytes * static_cast<double>(m_size) : -1.0;
      double const gain = std::min(1.0, levels_of_a_team / static_cast<double>(std::max<std::int64_t>(m_levels, 1)));
      detail::run_alone_or_as_team(exec, label, moved, team, all, gain);
    } else {
      team();
    }
  }

  std::atomic_ref<Word> word(std::size_t number) const {
    return std::atomic_ref<Word>(m_words(number * words_in_line));
  }

  void work(Indices body, int workers) const {
    auto const ticket = word(0), finished_workers = word(1), finished_tiles = word(2);
    auto const tiles = static_cast<Word>(m_tiles.size());
    // Relaxed: a ticket only names a tile; data is ordered by the count of tiles.
    for (Word number = 0; (number = ticket.fetch_add(1, std::memory_order_relaxed)) < tiles;) {
      auto const& tile = m_tiles[static_cast<std::size_t>(number)];
      // Acquire: what all those tiles wrote is visible, since each of them released it by an addition to this word.
      for (Patience patience; finished_tiles.load(std::memory_order_acquire) < tile.before;) patience.wait();
      body(tile.begin, tile.end);
      finished_tiles.fetch_add(1, std::memory_order_release);
    }
    // The last to leave makes the words ready for the next sweep. Acquire and release: its writes come after the last
    // reads of all others, and the next kernel of the instance comes after all of them.
    if (finished_workers.fetch_add(1, std::memory_order_acq_rel) == workers - 1) {
      for (std::size_t number = 0; number < words; ++number) word(number).store(0, std::memory_order_relaxed);
    }
  }

  struct Worker {
    const LevelSweep* m_sweep;
    Indices m_body;
    detail::FunctionRef<> m_all;
    int m_workers;
    void operator()(int) const {
      if (m_workers > 1) {
        m_sweep->work(m_body, m_workers);
      } else {
        m_all();
      }
    }
  };

  std::int64_t m_levels;
  std::int64_t m_size;
  std::int64_t m_widest = 0;  ///< tiles of a level
  std::vector<Tile> m_tiles;
  Kokkos::View<Word*, typename Exec::memory_space> m_words;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::host
