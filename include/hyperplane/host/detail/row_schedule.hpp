// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/host/row_needs.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <vector>

/// In which order threads take the tiles of a recursion over rows.
namespace hyperplane::inline HYPERPLANE_ABI::host {

/// Which tiles need which.
class TileGraph {
 public:
  TileGraph(const RowNeeds& needs, const std::vector<int>& cuts)
      : m_tile_of(detail::as_size(needs.count())), m_begin(cuts.size(), 0), m_needs(cuts.size() - 1, 0) {
    for (int tile = 0; tile < tiles(); ++tile) {
      std::fill(m_tile_of.begin() + cuts[detail::as_size(tile)], m_tile_of.begin() + cuts[detail::as_size(tile) + 1],
                tile);
    }
    for_pairs(needs, cuts, [&](int tile, int needed) {
      ++m_needs[detail::as_size(tile)];
      ++m_begin[detail::as_size(needed) + 1];
    });
    std::partial_sum(m_begin.begin(), m_begin.end(), m_begin.begin());
    m_needed_by.resize(detail::as_size(m_begin.back()));
    auto next = m_begin;
    for_pairs(needs, cuts,
              [&](int tile, int needed) { m_needed_by[detail::as_size(next[detail::as_size(needed)]++)] = tile; });
  }

  int tiles() const { return static_cast<int>(m_needs.size()); }
  int tile_of(int row) const { return m_tile_of[detail::as_size(row)]; }
  /// How many tiles each one needs.
  const std::vector<int>& needs() const { return m_needs; }
  std::span<const int> needed_by(int tile) const {
    auto const* const first = m_needed_by.data();
    return {first + m_begin[detail::as_size(tile)], first + m_begin[detail::as_size(tile) + 1]};
  }

 private:
  /// visit(tile, one that it needs), once for each pair.
  template <class Visit>
  void for_pairs(const RowNeeds& needs, const std::vector<int>& cuts, const Visit& visit) const {
    // Of each tile, the last one that needs it.
    std::vector<int> seen_by(m_needs.size(), -1);
    for (int tile = 0; tile < tiles(); ++tile) {
      for (int row = cuts[detail::as_size(tile)]; row < cuts[detail::as_size(tile) + 1]; ++row) {
        for (int const needed : needs.of(row)) {
          int const other = tile_of(needed);
          if (other == tile || seen_by[detail::as_size(other)] == tile) continue;
          seen_by[detail::as_size(other)] = tile;
          visit(tile, other);
        }
      }
    }
  }

  std::vector<int> m_tile_of;
  std::vector<std::int64_t> m_begin;
  std::vector<int> m_needed_by;
  std::vector<int> m_needs;
};

/// Goes through the recursion as so many threads would that each take a row in a time of one for each row that it
/// needs, and one more. A thread that is free takes the first tile, in the order of the rows, that it hardly has to
/// wait in, or the one in which it waits least; of those alone whose needs have been taken. So a tile comes after all
/// that it needs.
class RowSchedule {
 public:
  /// A thread shows others how far it is after `step` rows of a tile, which they see `latency` later.
  RowSchedule(const RowNeeds& needs, const std::vector<int>& cuts, const TileGraph& graph, int step, double latency,
              int threads)
      : m_rows(needs),
        m_cuts(cuts),
        m_step(step),
        m_latency(latency),
        m_free(detail::as_size(threads), 0.0),
        m_seen(detail::as_size(needs.count()), 0.0) {
    auto missing = graph.needs();
    for (int tile = 0; tile < graph.tiles(); ++tile) {
      if (missing[detail::as_size(tile)] == 0) m_ready.insert(tile);
    }
    m_order.reserve(missing.size());
    while (!m_ready.empty()) {
      auto const thread = std::ranges::min_element(m_free);
      int const tile = choose(*thread);
      *thread = run(tile, *thread, [&](int begin, int end, double time) {
        std::fill(m_seen.begin() + begin, m_seen.begin() + end, time + m_latency);
      });
      m_order.push_back(tile);
      m_ready.erase(tile);
      for (int const other : graph.needed_by(tile)) {
        if (--missing[detail::as_size(other)] == 0) m_ready.insert(other);
      }
    }
  }

  /// Tiles by ticket.
  const std::vector<int>& order() const { return m_order; }
  /// How much sooner all threads are ready than one.
  double speedup() const {
    auto const alone = static_cast<double>(m_rows.count()) + static_cast<double>(m_rows.rows.size());
    return m_order.empty() ? 1.0 : alone / *std::ranges::max_element(m_free);
  }

 private:
  // More are not looked at, so that a plan is made in a time in proportion to the rows.
  static constexpr int most_candidates = 64;
  static constexpr double hardly_any_wait = 0.1;

  int choose(double now) const {
    int best = *m_ready.begin();
    double least = std::numeric_limits<double>::infinity();
    int candidates = 0;
    for (int const tile : m_ready) {
      double const work = time_of(tile);
      double const wait = run(tile, now, [](int, int, double) {}) - now - work;
      if (wait < least) {
        least = wait;
        best = tile;
      }
      if (wait <= hardly_any_wait * work || ++candidates == most_candidates) break;
    }
    return best;
  }

  double time_of(int tile) const {
    auto const begin = m_cuts[detail::as_size(tile)], end = m_cuts[detail::as_size(tile) + 1];
    return static_cast<double>(m_rows.begin[detail::as_size(end)] - m_rows.begin[detail::as_size(begin)] + end - begin);
  }

  /// When a thread that begins a tile now has finished it; done(begin, end, time) after each step.
  template <class Done>
  double run(int tile, double now, const Done& done) const {
    auto const first = m_cuts[detail::as_size(tile)], last = m_cuts[detail::as_size(tile) + 1];
    for (int begin = first; begin < last; begin += m_step) {
      int const end = std::min(begin + m_step, last);
      for (int row = begin; row < end; ++row) {
        for (int const needed : m_rows.of(row)) {
          if (needed < first) now = std::max(now, m_seen[detail::as_size(needed)]);
        }
      }
      now +=
          static_cast<double>(m_rows.begin[detail::as_size(end)] - m_rows.begin[detail::as_size(begin)] + end - begin);
      done(begin, end, now);
    }
    return now;
  }

  const RowNeeds& m_rows;
  const std::vector<int>& m_cuts;
  int m_step;
  double m_latency;
  std::vector<double> m_free;  ///< when each thread is
  std::vector<double> m_seen;  ///< when other threads see a row
  std::set<int> m_ready;       ///< tiles whose needs have been taken
  std::vector<int> m_order;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::host
