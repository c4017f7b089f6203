// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/concurrency.hpp>
#include <hyperplane/core/function_ref.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/host/patience.hpp>
#include <hyperplane/host/row_needs.hpp>
#include <hyperplane/host/row_tiles.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::host {

/// Runs a recursion over rows on the host's threads, as one kernel: each row needs some of those before it.
///
/// Rows are cut into tiles of rows that follow one another, which threads take by ticket (RowTiles). Inside of a tile
/// a thread takes the rows in their order, shows after every few how far it is, and waits before for the rows of other
/// tiles that these need. All of them are in tiles with lower tickets: the holder of the lowest unfinished ticket never
/// waits, and the sweep ends whatever the number of threads that really run, one included.
///
/// Words are never set back: what they count goes on from sweep to sweep. At most one sweep of an object and its copies
/// may run at a time; instances may have other numbers of threads than the one it was made for.
///
/// Sweeps with little work are run by the calling thread alone, and so are those whose rows wait for one another so
/// much that threads gain little.
template <HostExecutionSpace Exec>
class RowSweep {
  using Word = std::int64_t;

 public:
  /// A row moves about as many bytes. Without rows, or for one thread, all sweeps are run by the calling thread alone.
  RowSweep(const Exec& exec, const std::string& label, const RowNeeds& needs, double bytes)
      : m_tiles(needs, bytes, detail::concurrency_of(exec)),
        m_words(Kokkos::view_alloc(exec, label + "::progress"),
                detail::as_size(first_progress_line + m_tiles.words()) * words_in_line) {
    exec.fence("Hyperplane::RowSweep");
  }

  /// Whether as many threads gain by rows that wait for one another so much, if what they read is then in the order of
  /// memory, and anywhere if not.
  bool worth_its_order(int threads) const { return m_tiles.speedup * gain_by_order >= threads; }

  /// Whether threads gain enough where rows wait for one another. If not, the calling thread runs all sweeps alone.
  bool worth_a_team() const { return m_tiles.speedup >= least_speedup; }

  /// The rows of a tile, for the thread that has it.
  class Tile {
   public:
    Tile(const RowSweep& sweep, const RowTiles::Tile& tile, int word, Word done)
        : m_sweep(sweep), m_tile(tile), m_word(word), m_done(done) {}
    std::int64_t end() const { return m_tile.end; }

    /// rows(begin, end) for all of them, in their order, each when what it needs is there.
    template <class Rows>
    void run(const Rows& rows) const {
      auto const& tiles = m_sweep.m_tiles;
      auto const progress = m_sweep.progress(m_word);
      auto step = m_tile.first_step;
      for (int begin = m_tile.begin; begin < m_tile.end; begin += tiles.step, ++step) {
        auto const last = tiles.wait_begin[detail::as_size(step) + 1];
        for (auto wait = tiles.wait_begin[detail::as_size(step)]; wait < last; ++wait) {
          auto const& [word, needed] = tiles.waits[detail::as_size(wait)];
          m_sweep.wait_for(word, m_done + needed);
        }
        rows(std::int64_t{begin}, std::int64_t{std::min(begin + tiles.step, m_tile.end)});
        // Release: publishes what was written, pairs with the acquire in wait_for.
        progress.store(m_done + step, std::memory_order_release);
      }
    }

   private:
    const RowSweep& m_sweep;
    const RowTiles::Tile& m_tile;
    int m_word;
    Word m_done;  ///< by the sweeps before, so that steps are counted from it on
  };

  /// team(tile), which runs all rows of the tile; or alone(), which runs all rows there are on the calling thread,
  /// where threads are not worth it. All rows move about as many bytes.
  template <class Team, class Alone>
  void run(const Exec& exec, const std::string& label, double bytes, const Team& team, const Alone& alone) const {
    run_tiles(exec, label, bytes, team, alone);
  }

  /// kernel_of()(row) for as many rows as there are, which move as many bytes together. A kernel may have a function
  /// prefetch(row), for a row that comes `prefetched` rows later, and before it prefetch_bounds(row), for one that
  /// comes `bounds_prefetched` rows later, of which it asks for what says where the rest is.
  template <class KernelOf>
  void run_rows(const Exec& exec, const std::string& label, double bytes, std::int64_t rows,
                const KernelOf& kernel_of) const {
    auto const for_rows = [](const auto& kernel, std::int64_t begin, std::int64_t end,
                             [[maybe_unused]] std::int64_t tile_end) {
      for (auto row = begin; row < end; ++row) {
        if constexpr (requires { kernel.bounds_prefetched; }) {
          if (row + kernel.bounds_prefetched < tile_end) kernel.prefetch_bounds(row + kernel.bounds_prefetched);
        }
        if constexpr (requires { kernel.prefetched; }) {
          if (row + kernel.prefetched < tile_end) kernel.prefetch(row + kernel.prefetched);
        }
        kernel(row);
      }
    };
    // A thread has a kernel of its own, which what is written cannot change: compilers then keep it in registers.
    run(
        exec, label, bytes,
        [&](const Tile& tile) {
          auto const kernel = kernel_of();
          tile.run([&](std::int64_t begin, std::int64_t end) { for_rows(kernel, begin, end, tile.end()); });
        },
        [&] {
          auto const kernel = kernel_of();
          for_rows(kernel, 0, rows, rows);
        });
  }

 private:
  // One cache line for each word, so that a write disturbs nobody but its readers.
  static constexpr std::size_t words_in_line = 64 / sizeof(Word);
  static constexpr int first_progress_line = 3;  ///< behind the ticket, workers that are done, steps of sweeps before
  // Threads wait for one another as those of SlabSweep do.
  static constexpr double gain_by_team = 0.25;
  static constexpr double least_speedup = 1.25;
  // How much sooner a thread has read blocks in the order of memory. Measured on a Zen 4, where it is three to five.
  static constexpr double gain_by_order = 3.0;

  using Body = detail::FunctionRef<const Tile&>;

  // Compiled once for all bodies. Serial, Threads and OpenMP have finished a kernel when its launch returns, so that it
  // may have references to what the caller has.
  void run_tiles(const Exec& exec, const std::string& label, double bytes, Body body, detail::FunctionRef<> all) const {
    int const workers =
        worth_a_team() ? std::min(detail::concurrency_of(exec), static_cast<int>(m_tiles.tiles.size())) : 1;
    auto const team = [&] {
      Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, workers, Kokkos::ChunkSize(1)),
                           Worker{this, body, all, workers});
    };
    if constexpr (detail::starts_teams<Exec>) {
      detail::run_alone_or_as_team(exec, label, workers > 1 ? bytes : -1.0, team, all, gain_by_team);
    } else {
      team();
    }
  }

  std::atomic_ref<Word> line(int number) const {
    return std::atomic_ref<Word>(m_words(detail::as_size(number) * words_in_line));
  }
  std::atomic_ref<Word> ticket() const { return line(0); }
  std::atomic_ref<Word> finished_workers() const { return line(1); }
  /// The number before that of the first step.
  std::atomic_ref<Word> finished_steps() const { return line(2); }
  std::atomic_ref<Word> progress(int word) const { return line(first_progress_line + word); }

  // Acquire: what the other thread wrote before it released the step is visible when this returns.
  void wait_for(int word, Word step) const {
    auto const shown = progress(word);
    for (Patience patience; shown.load(std::memory_order_acquire) < step;) patience.wait();
  }

  void work(Body body, int workers) const {
    auto const done = finished_steps().load(std::memory_order_relaxed) + 1;
    auto const tiles = static_cast<Word>(m_tiles.tiles.size());
    int finished = 0;
    // Relaxed: a ticket only names a tile; data is ordered by the progress words.
    for (Word number = 0; (number = ticket().fetch_add(1, std::memory_order_relaxed)) < tiles;) {
      auto const own = static_cast<int>(number);
      for (; finished <= own - m_tiles.window; ++finished) {
        wait_for(m_tiles.word(finished), done + m_tiles.last_step(finished));
      }
      body(Tile(*this, m_tiles.tiles[detail::as_size(own)], m_tiles.word(own), done));
    }
    // The last to leave makes the words ready for the next sweep. Acquire and release: its writes come after the last
    // reads of all others, and the next kernel of the instance comes after all of them.
    if (finished_workers().fetch_add(1, std::memory_order_acq_rel) == workers - 1) {
      ticket().store(0, std::memory_order_relaxed);
      finished_workers().store(0, std::memory_order_relaxed);
      finished_steps().store(done - 1 + m_tiles.steps(), std::memory_order_relaxed);
    }
  }

  struct Worker {
    const RowSweep* m_sweep;
    Body m_body;
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

  RowTiles m_tiles;
  Kokkos::View<Word*, typename Exec::memory_space> m_words;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::host
