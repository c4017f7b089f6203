// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/columns.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/concurrency.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/csr/detail/giving_tiles.hpp>
#include <hyperplane/host/prefetch.hpp>
#include <hyperplane/host/row_needs.hpp>
#include <hyperplane/host/row_sweep.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

/// Products with A^T of a BlockCsr on hosts, where blocks are read in the order in which memory has them.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// y += or -= A^T x by the rows of A, each of which gives its products to the points of its columns. A point has them
/// in the order of the rows.
template <bool subtract, class Scalar, int n, class Ref>
struct GivingBlockCsrRow {
  Ref m_a;
  const Scalar* m_x;
  Scalar* m_y;
  BlockCsrEnds m_ends;

  void operator()(std::int64_t row) const {
    give_blocks(row, [](std::int64_t) { return true; });
  }

  /// Those of the blocks of a row for whose column `gives` is true. What comes behind them is asked for.
  template <class Gives>
  void give_blocks(std::int64_t row, const Gives& gives) const {
    auto const begin = m_a.begin(row), end = m_a.end(row);
    if (begin != end) host::prefetch_behind_row<n>(&m_a(begin, 0, 0), end - begin);
    // What is written to y cannot change a copy.
    Scalar x[std::size_t{n}];
    for (int c = 0; c < n; ++c) x[c] = m_x[row * n + c];
    for (auto block = begin; block < end; ++block) {
      host::prefetch_behind_block<n>(&m_a(block, 0, 0));
      auto const column = m_a.column(block);
      if (gives(column)) give(x, block, column);
    }
  }

  /// A block, multiplied with the x of its row, in the column of a point.
  void give(const Scalar* x, std::int64_t block, std::int64_t point) const {
    // Blocks by rows are those of A^T by columns.
    block::ColumnSum<Scalar, n> sum;
    if (m_ends.has_more(block)) [[likely]] {
      sum.template add<false>(&m_a(block, 0, 0), x);
    } else {
      sum.template add_last<false>(&m_a(block, 0, 0), x);
    }
    sum.template add_to<subtract>(m_y + point * n);
  }
};

/// y = 0, or y = b.
template <bool subtract, class Scalar>
struct TransposedBlockCsrStart {
  const Scalar* m_b;
  Scalar* m_y;

  KOKKOS_FUNCTION void operator()(std::int64_t equation) const { m_y[equation] = subtract ? m_b[equation] : Scalar(0); }
};

/// y = A^T x or y = b - A^T x for the points with the numbers of a tile's rows. A point has its products in the order
/// of the rows, as by GivingBlockCsrRow, and begins shortly before the first of them comes, so that it is in a cache
/// then. Tiles do not wait for one another.
template <bool subtract, class Scalar, int n, class Ref>
struct GivingBlockCsrTile {
  using Rows = GivingBlockCsrRow<subtract, Scalar, n, Ref>;

  Rows m_rows;
  const Scalar* m_b;
  const CrossingBlock* m_crossing;
  const GivingTile* m_tiles;

  void operator()(std::int64_t number) const {
    // What is written cannot change copies: compilers then keep them in registers.
    auto const rows = m_rows;
    auto const tile = m_tiles[number];
    auto next = tile.first, crossing = tile.crossing_before;
    auto const begin_points = [&](std::int64_t row) {
      if (row + tile.reach < next || next == tile.end) [[likely]]
        return;
      auto const until = std::min(row + tile.reach + points_together, tile.end);
      for (auto e = next * n; e < until * n; ++e) rows.m_y[e] = subtract ? m_b[e] : Scalar(0);
      next = until;
      for (; crossing < tile.crossing_behind && m_crossing[crossing].point < next; ++crossing) {
        give(rows, crossing, tile.crossing_behind);
      }
    };
    auto const run_rows = [&](std::int64_t begin, std::int64_t end, const auto& gives) {
      for (auto row = begin; row < end; ++row) {
        begin_points(row);
        rows.give_blocks(row, gives);
      }
    };
    auto const inside = [&](std::int64_t column) { return column >= tile.first && column < tile.end; };
    run_rows(tile.first, tile.inner_first, inside);
    run_rows(tile.inner_first, tile.inner_end, [](std::int64_t) { return true; });
    run_rows(tile.inner_end, tile.end, inside);
    begin_points(tile.end);
    for (; crossing < tile.crossing_end; ++crossing) give(rows, crossing, tile.crossing_end);
  }

 private:
  static constexpr std::int64_t points_together = 64;
  static constexpr std::int64_t blocks_ahead = 16;

  void give(const Rows& rows, std::int64_t crossing, std::int64_t end) const {
    if (crossing + blocks_ahead < end) {
      host::prefetch_values(&rows.m_a(m_crossing[crossing + blocks_ahead].number, 0, 0), n * n);
    }
    auto const& block = m_crossing[crossing];
    rows.give(rows.m_x + std::int64_t{block.row} * n, block.number, block.point);
  }
};

/// How rows give, of a structure; elsewhere than on hosts they do not.
template <ExecutionSpace Exec>
class GivingRows {
 public:
  GivingRows(const Exec&, const CsrColumnEntries&, double) {}
};

/// By tiles, or by a sweep where rows of different threads give to the same points often. Instances with more threads
/// than the one that it was made for do not use tiles, and no sweep if that one has a single thread.
template <HostExecutionSpace Exec>
class GivingRows<Exec> {
 public:
  /// A row moves about as many bytes. Waits for the instance.
  GivingRows(const Exec& exec, const CsrColumnEntries& of, double bytes)
      : m_tiles(exec, of), m_for_several(concurrency_of(exec) > 1) {
    if (m_tiles.exist()) return;
    auto const needs = host::needs_of_givers({of.begin, of.rows}, false);
    auto sweep = std::make_shared<const host::RowSweep<Exec>>(exec, "Hyperplane::TransposedBlockCsr", needs, bytes);
    if (sweep->worth_its_order(concurrency_of(exec))) m_sweep = std::move(sweep);
  }

  /// Otherwise each point of the result is computed alone.
  bool are_used(const Exec& exec) const {
    auto const threads = concurrency_of(exec);
    if (m_tiles.exist()) return threads <= m_tiles.count();
    return m_sweep != nullptr && (m_for_several || threads == 1);
  }
  /// Whether threads, if they are used, wait for one another.
  bool are_swept_by_a_team() const { return m_sweep != nullptr && m_sweep->worth_a_team(); }

  /// y = A^T x or y = b - A^T x. Each row moves as many bytes.
  template <bool subtract, class Scalar, int n, class Ref>
  void run(const Exec& exec, const std::string& label, double bytes,
           const GivingBlockCsrRow<subtract, Scalar, n, Ref>& row, std::int64_t rows, const Scalar* b) const {
    if (rows == 0) return;
    if (m_tiles.exist()) {
      auto const count = m_tiles.count();
      launch(label, LongIndexRange<Exec>(exec, 0, count),
             bytes * static_cast<double>(rows) / static_cast<double>(count),
             GivingBlockCsrTile<subtract, Scalar, n, Ref>{row, b, m_tiles.crossing(), m_tiles.tiles()});
      return;
    }
    if (b != row.m_y) {
      launch(label, LongIndexRange<Exec>(exec, 0, rows * n), 2.0 * sizeof(Scalar),
             TransposedBlockCsrStart<subtract, Scalar>{b, row.m_y});
    }
    m_sweep->run_rows(exec, label, bytes * static_cast<double>(rows), rows, [&] { return row; });
  }

 private:
  GivingTiles<Exec> m_tiles;
  std::shared_ptr<const host::RowSweep<Exec>> m_sweep;  // none: points are computed alone
  bool m_for_several;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
