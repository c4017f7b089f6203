// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/concurrency.hpp>
#include <hyperplane/core/function_ref.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/host/patience.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

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
/// Several grids, which do not depend on one another, are swept together. They are taken in groups that have at least
/// two slabs for each thread. In a group layer m of each grid comes before layer m + 1 of any, and the next group
/// follows: a tile still depends on lower tickets alone.
///
/// At most as many threads are busy at a time as there are slabs. Where there are more threads, one grid may have its
/// slabs cut into strips, each with a range of places of every row; a row has the steps of a slab that are in one
/// layer. A strip is then what a slab was: it has a word, which counts rows, and its tiles are ranges of rows. Row k of
/// strip p of slab c may run after row k - 1 of itself, row k of strip p - 1, and row k of strip p + reach, or the last
/// one, of slab c - 1. Strips are numbered slab by slab, so that all of these have lower numbers, and with a skew of
/// one row per strip the argument is the same.
///
/// Sweeps with little work are run by the calling thread alone, grid by grid.
template <HostExecutionSpace Exec>
class SlabSweep {
  using Word = std::int64_t;

 public:
  /// The slabs of a grid, and the steps of each.
  struct Extent {
    int slabs;
    std::int64_t steps;
  };

  /// How the slabs of a grid are cut.
  struct Strips {
    int count = 1;          ///< of a slab; 1 if it is not cut
    int reach = 0;          ///< how many strips farther those are that one needs in the slab before
    std::int64_t rows = 0;  ///< of a slab
    int block = 1;          ///< rows that are done between two looks at, and updates of, the progress words
  };

  /// `block` steps are done between two looks at, and updates of, the progress words.
  SlabSweep(const Exec& exec, const std::string& label, int slabs, std::int64_t steps, int lag, int block)
      : SlabSweep(exec, label, std::vector<Extent>{{slabs, steps}}, lag, block) {}
  SlabSweep(const Exec& exec, const std::string& label, int slabs, std::int64_t steps, const Strips& strips)
      : SlabSweep(exec, label, std::vector<Extent>{{slabs * strips.count, strips.rows}}, 0, strips.block) {
    m_strips = strips;
    m_steps = static_cast<double>(slabs) * static_cast<double>(steps);
  }
  SlabSweep(const Exec& exec, const std::string& label, const std::vector<Extent>& grids, int lag, int block)
      : m_lag(lag), m_block(block) {
    for (auto const& grid : grids) {
      m_grids.push_back({grid, m_slabs});
      m_slabs += grid.slabs;
      m_steps += static_cast<double>(grid.slabs) * static_cast<double>(grid.steps);
    }
    m_words = Words(Kokkos::view_alloc(exec, label + "::progress"),
                    detail::as_size((m_slabs + first_progress_line) * words_in_line));
    list_layers(detail::concurrency_of(exec));
  }

  int grids() const { return static_cast<int>(m_grids.size()); }

  /// For one grid: calls `body(slab, begin, end)` for ranges of steps, in an order that keeps the dependencies. A step
  /// moves about as many bytes.
  template <class Body>
  void run(const Exec& exec, const std::string& label, double bytes, const Body& body) const {
    run_all(exec, label, bytes, [&body](int) { return body; });
  }

  /// For all grids: calls `body_of(grid)(slab, begin, end)`.
  template <class BodyOf>
  void run_all(const Exec& exec, const std::string& label, double bytes, const BodyOf& body_of) const {
    auto const steps = [&body_of](int grid, int slab, std::int64_t begin, std::int64_t end) {
      // A copy, which what is written cannot change: compilers then keep it in registers.
      auto const kernel = body_of(grid);
      kernel(slab, begin, end);
    };
    auto const alone = [&] { work_alone(steps); };
    run_steps(exec, label, bytes, steps, alone);
  }

  /// For one grid whose slabs are cut: calls `body(slab, strip, first row, last row + 1)`, or alone() on the calling
  /// thread, which is to do the same. A step of a slab moves about as many bytes.
  template <class Body>
  void run_strips(const Exec& exec, const std::string& label, double bytes, const Body& body,
                  detail::FunctionRef<> alone) const {
    auto const rows = [this, &body](int, int strip, std::int64_t begin, std::int64_t end) {
      auto const kernel = body;
      kernel(strip / m_strips.count, strip % m_strips.count, begin, end);
    };
    run_steps(exec, label, bytes, rows, alone);
  }

 private:
  // One cache line for each word, so that a write disturbs nobody but its readers.
  static constexpr int words_in_line = 64 / sizeof(Word);
  static constexpr int first_progress_line = 2;
  static constexpr std::int64_t tile_blocks = 12;
  // Threads run a few steps behind one another, and look at the progress of others. Measured: see docs/threads.md.
  static constexpr double gain_by_team = 0.25;

  /// body(grid, slab, begin, end).
  using Steps = detail::FunctionRef<int, int, std::int64_t, std::int64_t>;
  using Words = Kokkos::View<Word*, typename Exec::memory_space>;

  struct SweptGrid {
    Extent extent;
    int first_slab;  ///< among those of all grids
  };
  /// A layer of tiles of a grid, one for each slab.
  struct Layer {
    Word first_tile;
    int grid;
    std::int64_t number;
  };

  std::int64_t tile_steps() const { return tile_blocks * m_block; }
  std::int64_t layers(const Extent& grid) const {
    return (grid.steps + std::int64_t{grid.slabs - 1} * (m_lag + 1) + tile_steps() - 1) / tile_steps();
  }

  /// In the order of the tickets.
  void list_layers(int threads) {
    for (std::size_t first = 0, last = 0; first < m_grids.size(); first = last) {
      std::int64_t most_layers = 0;
      for (int slabs = 0; last < m_grids.size() && slabs < 2 * threads; ++last) {
        slabs += m_grids[last].extent.slabs;
        most_layers = std::max(most_layers, layers(m_grids[last].extent));
      }
      for (std::int64_t m = 0; m < most_layers; ++m) {
        for (std::size_t grid = first; grid < last; ++grid) {
          if (m >= layers(m_grids[grid].extent)) continue;
          m_layers.push_back({m_tiles, static_cast<int>(grid), m});
          m_tiles += m_grids[grid].extent.slabs;
        }
      }
    }
  }

  // Compiled once for all bodies. Serial, Threads and OpenMP have finished a kernel when its launch returns, so that it
  // may have references to what the caller has.
  void run_steps(const Exec& exec, const std::string& label, double bytes, Steps body,
                 detail::FunctionRef<> alone) const {
    int const workers = std::min<int>(detail::concurrency_of(exec), m_slabs);
    auto const team = [&] {
      Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, workers, Kokkos::ChunkSize(1)),
                           Worker{this, body, alone, workers});
    };
    if constexpr (detail::starts_teams<Exec>) {
      double const moved = workers > 1 ? bytes * m_steps : -1.0;
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

  /// What the steps of a slab, or the rows of a strip, depend on elsewhere.
  void wait_for_neighbours(const SweptGrid& grid, int slab, Word steps) const {
    int const strip = slab % m_strips.count, others = slab - strip;
    if (strip > 0) wait_for(grid.first_slab + slab - 1, steps);
    if (others == 0) return;
    wait_for(grid.first_slab + others - m_strips.count + std::min(strip + m_strips.reach, m_strips.count - 1), steps);
  }

  /// The steps of a tile. Who is alone takes all of them at once: what they depend on has been done.
  void run_tile(int number, std::int64_t m, int slab, bool alone, Steps body) const {
    auto const& grid = m_grids[detail::as_size(number)];
    auto const steps = grid.extent.steps;
    int const word = grid.first_slab + slab;
    std::int64_t const length = tile_steps();
    std::int64_t const skew = std::int64_t{slab} * (m_lag + 1);
    std::int64_t const begin = std::max<std::int64_t>(m * length - skew, 0);
    std::int64_t const end = std::min((m + 1) * length - skew, steps);
    if (begin >= end) return;
    if (!alone) wait_for(word, begin);
    std::int64_t const block = alone ? length : m_block;
    for (std::int64_t s = begin; s < end; s += block) {
      std::int64_t const block_end = std::min(s + block, end);
      if (!alone) wait_for_neighbours(grid, slab, std::min(block_end + m_lag, steps));
      body(number, slab, s, block_end);
      // Release: publishes what body wrote, pairs with the acquire in wait_for.
      if (!alone) progress(word).store(block_end, std::memory_order_release);
    }
  }

  void work_alone(Steps body) const {
    for (std::size_t grid = 0; grid < m_grids.size(); ++grid) {
      auto const& extent = m_grids[grid].extent;
      for (std::int64_t m = 0; m < layers(extent); ++m) {
        for (int slab = 0; slab < extent.slabs; ++slab) run_tile(static_cast<int>(grid), m, slab, true, body);
      }
    }
  }

  void work(Steps body, detail::FunctionRef<> alone, int workers) const {
    if (workers == 1) return alone();
    // Relaxed: a ticket only names a tile; data is ordered by the progress words.
    for (Word tile = 0; (tile = ticket().fetch_add(1, std::memory_order_relaxed)) < m_tiles;) {
      auto const& layer = *std::prev(std::ranges::upper_bound(m_layers, tile, {}, &Layer::first_tile));
      run_tile(layer.grid, layer.number, static_cast<int>(tile - layer.first_tile), false, body);
    }
    // The last to leave makes the words ready for the next sweep. Acquire and release: its writes come after the last
    // reads of all others, and the next kernel of the instance comes after all of them.
    if (finished_workers().fetch_add(1, std::memory_order_acq_rel) == workers - 1) {
      for (std::size_t word = 0; word < m_words.size(); word += words_in_line) m_words(word) = 0;
    }
  }

  struct Worker {
    const SlabSweep* m_sweep;
    Steps m_body;
    detail::FunctionRef<> m_alone;
    int m_workers;
    void operator()(int) const { m_sweep->work(m_body, m_alone, m_workers); }
  };

  int m_lag;
  int m_block;
  Strips m_strips;
  std::vector<SweptGrid> m_grids;  ///< where slabs are cut, strips are slabs here, and rows are steps
  int m_slabs = 0;                 ///< of all grids
  double m_steps = 0;              ///< of all slabs
  std::vector<Layer> m_layers;
  Word m_tiles = 0;
  Words m_words;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::host
