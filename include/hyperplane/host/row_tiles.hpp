// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/host/detail/row_cuts.hpp>
#include <hyperplane/host/detail/row_schedule.hpp>
#include <hyperplane/host/row_needs.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::host {

/// How a recursion over rows is cut for threads: tiles of rows that follow one another, in the order in which threads
/// take them; steps of a few rows, after each of which a thread shows the others how far it is; and which steps of
/// other tiles a step waits for.
///
/// Steps have numbers, tile after tile in the order of the tickets, and a tile shows the number of the last one that
/// it has finished in a word that it shares with tiles far from it. Before it begins, all tiles have finished whose
/// tickets are at least `window` lower than its own. So only waits for other tiles are listed, and tiles with the same
/// word, which are at least `window` tickets apart, follow one another.
struct RowTiles {
  struct Tile {
    int begin;  ///< of the rows
    int end;
    int first_step;
  };
  /// Until a tile shows this step or a later one.
  struct Wait {
    int word;
    int step;
  };

  int step = 0;    ///< rows
  int window = 0;  ///< tickets
  double speedup = 1.0;
  std::vector<Tile> tiles{};  ///< by ticket
  std::vector<std::int64_t> wait_begin{0};
  std::vector<Wait> waits{};  ///< of step s: those from wait_begin[s] to wait_begin[s + 1] - 1

  /// A row moves about as many bytes. For one thread there are no tiles.
  RowTiles(const RowNeeds& needs, double bytes, int threads) {
    if (threads == 1 || needs.count() == 0) return;
    step = bytes < bytes_of_step / 4 ? 8 : 4;
    window = std::max(64, 4 * threads);
    // Large tiles are read in one go, and small ones keep more threads busy.
    int const least = std::clamp(needs.count() / (tiles_of_thread * threads), 32, 256);
    auto const cuts = row_cuts(needs, least, 4 * least);
    TileGraph const graph(needs, cuts);
    auto const blocks = static_cast<double>(needs.rows.size()) / needs.count() + 1.0;
    double const latency = bytes_of_latency / (bytes / blocks + bytes_beside);
    RowSchedule const schedule(needs, cuts, graph, step, latency, threads);
    speedup = schedule.speedup();
    int first_step = 0;
    for (int const tile : schedule.order()) {
      auto const begin = cuts[detail::as_size(tile)], end = cuts[detail::as_size(tile) + 1];
      tiles.push_back({begin, end, first_step});
      first_step += (end - begin + step - 1) / step;
    }
    list_waits(needs, graph, schedule.order());
  }

  int words() const { return window; }
  int word(int ticket) const { return ticket % words(); }
  /// Of all tiles.
  int steps() const { return static_cast<int>(wait_begin.size()) - 1; }
  int last_step(int ticket) const {
    auto const& tile = tiles[detail::as_size(ticket)];
    return tile.first_step + (tile.end - tile.begin - 1) / step;
  }

 private:
  static constexpr int tiles_of_thread = 128;
  // What a thread reads in a third of a microsecond; while it waits to see what another one has stored; and beside the
  // bytes of a row for each row that this one needs. Estimates.
  static constexpr double bytes_of_step = 4096;
  static constexpr double bytes_of_latency = 2048;
  static constexpr double bytes_beside = 24;

  void list_waits(const RowNeeds& needs, const TileGraph& graph, const std::vector<int>& order) {
    std::vector<int> ticket_of(order.size());
    for (std::size_t ticket = 0; ticket < order.size(); ++ticket) {
      ticket_of[detail::as_size(order[ticket])] = static_cast<int>(ticket);
    }
    // Of each tile: the last one that waits for it, until which step, and where that is listed.
    struct Seen {
      int ticket = -1;
      int step = 0;
      std::size_t wait = 0;
    };
    std::vector<Seen> seen(order.size());
    for (int ticket = 0; ticket < static_cast<int>(order.size()); ++ticket) {
      auto const& tile = tiles[detail::as_size(ticket)];
      for (int row = tile.begin; row < tile.end; ++row) {
        for (int const needed : needs.of(row)) {
          int const other = ticket_of[detail::as_size(graph.tile_of(needed))];
          if (other == ticket || other <= ticket - window) continue;
          auto const& from = tiles[detail::as_size(other)];
          int const needed_step = from.first_step + (needed - from.begin) / step;
          auto& last = seen[detail::as_size(other)];
          if (last.ticket == ticket && last.step >= needed_step) continue;
          // One wait for each tile in a step: for the last of what it needs.
          bool const is_listed = last.ticket == ticket && last.wait >= detail::as_size(wait_begin.back());
          last = {ticket, needed_step, is_listed ? last.wait : waits.size()};
          if (is_listed) {
            waits[last.wait].step = needed_step;
          } else {
            waits.push_back({word(other), needed_step});
          }
        }
        if ((row + 1 - tile.begin) % step == 0 || row + 1 == tile.end) {
          wait_begin.push_back(static_cast<std::int64_t>(waits.size()));
        }
      }
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::host
