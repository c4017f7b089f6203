// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/function_ref.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/host/patience.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::host {

/// Runs a recursion over skewed slabs (SlabMap) on the host's threads, with
/// point-to-point progress words.
///
/// Step s of slab c may run after step s - 1 of slab c and step s + lag of slab c - 1. Every slab has a word that
/// counts its finished steps; a thread that works on slab c waits for the word of slab c - 1 alone, so that
/// neighbouring slabs run a few steps behind one another instead of meeting at a barrier for each hyperplane.
///
/// Work is cut into tiles: tile (m, c) is steps [m L - c (lag + 1), (m + 1) L - c (lag + 1)) of slab c. Threads take
/// tiles by ticket, m outer and c inner. A tile depends on tiles with lower tickets alone: (m - 1, c), and (m, c - 1)
/// and before, because the skew of lag + 1 steps per slab keeps step s + lag of slab c - 1 at or before tile m. The
/// holder of the lowest unfinished ticket therefore never waits for a tile that nobody has taken, and the sweep ends
/// whatever the number of threads that really run, one included.
///
/// At most `slabs` threads are busy at a time. Sweeps with little work are run by the calling thread alone.
template <HostExecutionSpace Exec>
class SlabSweep {
  using Word = std::int64_t;

 public:
  /// `block` steps are done between two looks at, and updates of, the progress words.
  SlabSweep(const Exec& exec, const std::string& label, int slabs, std::int64_t steps, int lag, int block)
      : m_slabs(slabs),
        m_steps(steps),
        m_lag(lag),
        m_block(block),
        m_words(Kokkos::view_alloc(exec, label + "::progress"),
                detail::as_size((slabs + first_progress_line) * words_in_line)) {}

  /// Calls `body(slab, begin, end)` for ranges of steps, in an order that keeps the dependencies. A step moves about
  /// as many bytes.
  template <class Body>
  void run(const Exec& exec, const std::string& label, double bytes, const Body& body) const {
    auto const steps = [&body](int slab, std::int64_t begin, std::int64_t end) {
      // A copy, which what is written cannot change: compilers then keep it in registers.
      Body const kernel = body;  // NOLINT(performance-unnecessary-copy-initialization)
      kernel(slab, begin, end);
    };
    run_steps(exec, label, bytes, steps);
  }

 private:
  // One cache line for each word, so that a write disturbs nobody but its readers.
  static constexpr int words_in_line = 64 / sizeof(Word);
  static constexpr int first_progress_line = 2;
  static constexpr std::int64_t tile_blocks = 12;
  // Threads run a few steps behind one another, and look at the progress of others. Measured: see docs/threads.md.
  static constexpr double gain_by_team = 0.25;

  /// body(slab, begin, end).
  using Steps = detail::FunctionRef<int, std::int64_t, std::int64_t>;

  // Compiled once for all bodies. Serial, Threads and OpenMP have finished a kernel when its launch returns, so that it
  // may have references to what the caller has.
  void run_steps(const Exec& exec, const std::string& label, double bytes, Steps body) const {
    int const workers = std::min<int>(exec.concurrency(), m_slabs);
    auto const team = [&] {
      Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, workers, Kokkos::ChunkSize(1)),
                           Worker{*this, body, workers});
    };
    if constexpr (detail::starts_teams<Exec>) {
      double const moved = workers > 1 ? bytes * m_slabs * static_cast<double>(m_steps) : -1.0;
      auto const alone = [&] { work(body, 1); };
      detail::run_alone_or_as_team(exec, label, moved, team, alone, gain_by_team);
    } else {
      team();
    }
  }

  std::atomic_ref<Word> ticket() const { return std::atomic_ref<Word>(m_words(0)); }
  std::atomic_ref<Word> finished_workers() const { return std::atomic_ref<Word>(m_words(words_in_line)); }
  std::atomic_ref<Word> progress(int slab) const {
    return std::atomic_ref<Word>(m_words((first_progress_line + slab) * words_in_line));
  }

  // Acquire: what the other thread wrote before it released `steps` is visible when this returns.
  void wait_for(int slab, Word steps) const {
    auto const word = progress(slab);
    for (Patience patience; word.load(std::memory_order_acquire) < steps;) patience.wait();
  }

  /// The steps of a tile. Who is alone takes all of them at once: what they depend on has been done.
  void run_tile(std::int64_t m, int slab, bool alone, Steps body) const {
    std::int64_t const length = tile_blocks * m_block;
    std::int64_t const skew = std::int64_t{slab} * (m_lag + 1);
    std::int64_t const begin = std::max<std::int64_t>(m * length - skew, 0);
    std::int64_t const end = std::min((m + 1) * length - skew, m_steps);
    if (begin >= end) return;
    if (!alone) wait_for(slab, begin);
    std::int64_t const block = alone ? length : m_block;
    for (std::int64_t s = begin; s < end; s += block) {
      std::int64_t const block_end = std::min(s + block, end);
      if (!alone && slab > 0) wait_for(slab - 1, std::min(block_end + m_lag, m_steps));
      body(slab, s, block_end);
      // Release: publishes what body wrote, pairs with the acquire in wait_for.
      if (!alone) progress(slab).store(block_end, std::memory_order_release);
    }
  }

  void work(Steps body, int workers) const {
    bool const alone = workers == 1;
    std::int64_t const length = tile_blocks * m_block;
    std::int64_t const layers = (m_steps + std::int64_t{m_slabs - 1} * (m_lag + 1) + length - 1) / length;
    for (Word next = 0;; ++next) {
      // Relaxed: a ticket only names a tile; data is ordered by the progress words.
      Word const tile = alone ? next : ticket().fetch_add(1, std::memory_order_relaxed);
      if (tile >= layers * m_slabs) break;
      run_tile(tile / m_slabs, static_cast<int>(tile % m_slabs), alone, body);
    }
    if (alone) return;
    // The last to leave makes the words ready for the next sweep. Acquire and release: its writes come after the last
    // reads of all others, and the next kernel of the instance comes after all of them.
    if (finished_workers().fetch_add(1, std::memory_order_acq_rel) == workers - 1) {
      for (std::size_t word = 0; word < m_words.size(); word += words_in_line) m_words(word) = 0;
    }
  }

  struct Worker {
    SlabSweep m_sweep;
    Steps m_body;
    int m_workers;
    void operator()(int) const { m_sweep.work(m_body, m_workers); }
  };

  int m_slabs;
  std::int64_t m_steps;
  int m_lag;
  int m_block;
  Kokkos::View<Word*, typename Exec::memory_space> m_words;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::host
