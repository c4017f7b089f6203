// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

namespace hyperplane::host {

/// Runs a recursion over skewed pencils (PencilMap) on the host's threads, with point-to-point progress words.
///
/// Step s of pencil c may run after step s - 1 of pencil c and step s + lag of pencil c - 1. Every pencil has a word
/// that counts its finished steps; a thread that works on pencil c waits for the word of pencil c - 1 alone, so that
/// neighbouring pencils run a few steps behind one another instead of meeting at a barrier for each hyperplane.
///
/// Work is cut into tiles: tile (m, c) is steps [m L - c (lag + 1), (m + 1) L - c (lag + 1)) of pencil c. Threads take
/// tiles by ticket, m outer and c inner. A tile depends on tiles with lower tickets alone: (m - 1, c), and (m, c - 1)
/// and before, because the skew of lag + 1 steps a pencil keeps step s + lag of pencil c - 1 at or before tile m. The
/// holder of the lowest unfinished ticket therefore never waits for a tile that nobody has taken, and the sweep ends
/// whatever the number of threads that really run, one included.
///
/// At most `pencils` threads are busy at a time.
template <HostExecutionSpace Exec>
class PencilSweep {
  using Word = std::int64_t;

 public:
  /// `block` steps are done between two looks at, and updates of, the progress words.
  PencilSweep(const Exec& exec, const std::string& label, int pencils, std::int64_t steps, int lag, int block)
      : m_pencils(pencils),
        m_steps(steps),
        m_lag(lag),
        m_block(block),
        m_words(Kokkos::view_alloc(exec, label + "::progress"), (pencils + first_progress_line) * words_in_line) {}

  /// Calls `body(pencil, begin, end)` for ranges of steps, in an order that keeps the dependencies.
  template <class Body>
  void run(const Exec& exec, const std::string& label, const Body& body) const {
    int const workers = std::min<int>(exec.concurrency(), m_pencils);
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, workers, Kokkos::ChunkSize(1)),
                         Worker<Body>{*this, body, workers});
  }

 private:
  // One cache line for each word, so that a write disturbs nobody but its readers.
  static constexpr int words_in_line = 64 / sizeof(Word);
  static constexpr int first_progress_line = 2;
  static constexpr std::int64_t tile_blocks = 12;

  std::atomic_ref<Word> ticket() const { return std::atomic_ref<Word>(m_words(0)); }
  std::atomic_ref<Word> finished_workers() const { return std::atomic_ref<Word>(m_words(words_in_line)); }
  std::atomic_ref<Word> progress(int pencil) const {
    return std::atomic_ref<Word>(m_words((first_progress_line + pencil) * words_in_line));
  }

  // Acquire: what the other thread wrote before it released `steps` is visible when this returns.
  void wait_for(int pencil, Word steps) const {
    auto const word = progress(pencil);
    for (int spins = 0; word.load(std::memory_order_acquire) < steps; ++spins) {
      // With more threads than cores the thread that we wait for may need ours.
      if (spins > 1024) std::this_thread::yield();
    }
  }

  template <class Body>
  void run_tile(std::int64_t m, int pencil, const Body& body) const {
    std::int64_t const length = tile_blocks * m_block;
    std::int64_t const skew = std::int64_t{pencil} * (m_lag + 1);
    std::int64_t const begin = std::max<std::int64_t>(m * length - skew, 0);
    std::int64_t const end = std::min((m + 1) * length - skew, m_steps);
    if (begin >= end) return;
    wait_for(pencil, begin);
    for (std::int64_t s = begin; s < end; s += m_block) {
      std::int64_t const block_end = std::min(s + m_block, end);
      if (pencil > 0) wait_for(pencil - 1, std::min(block_end + m_lag, m_steps));
      body(pencil, s, block_end);
      // Release: publishes what body wrote, pairs with the acquire in wait_for.
      progress(pencil).store(block_end, std::memory_order_release);
    }
  }

  template <class Body>
  void work(const Body& body, int workers) const {
    std::int64_t const length = tile_blocks * m_block;
    std::int64_t const layers = (m_steps + std::int64_t{m_pencils - 1} * (m_lag + 1) + length - 1) / length;
    for (;;) {
      // Relaxed: a ticket only names a tile; data is ordered by the progress words.
      Word const tile = ticket().fetch_add(1, std::memory_order_relaxed);
      if (tile >= layers * m_pencils) break;
      run_tile(tile / m_pencils, static_cast<int>(tile % m_pencils), body);
    }
    // The last to leave makes the words ready for the next sweep. Acquire and release: its writes come after the last
    // reads of all others, and the next kernel of the instance comes after all of them.
    if (finished_workers().fetch_add(1, std::memory_order_acq_rel) == workers - 1) {
      for (std::size_t word = 0; word < m_words.size(); word += words_in_line) m_words(word) = 0;
    }
  }

  template <class Body>
  struct Worker {
    PencilSweep m_sweep;
    Body m_body;
    int m_workers;
    void operator()(int) const { m_sweep.work(m_body, m_workers); }
  };

  int m_pencils;
  std::int64_t m_steps;
  int m_lag;
  int m_block;
  Kokkos::View<Word*, typename Exec::memory_space> m_words;
};

}  // namespace hyperplane::host
