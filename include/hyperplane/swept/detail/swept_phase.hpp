// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/swept/detail/swept_rows.hpp>
#include <hyperplane/swept/detail/swept_tiling.hpp>

#include <cstddef>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A core that works alone.
struct SweptCore {
  template <class F>
  HYPERPLANE_FUNCTION void for_each(std::int64_t begin, std::int64_t end, const F& f) const {
    HYPERPLANE_INDEPENDENT
    for (auto i = begin; i < end; ++i) f(i);
  }
  HYPERPLANE_FUNCTION void barrier() const {}
};

/// The tiles of one phase, in a working array that holds the rows of a tile with the stencil's half width beside them.
template <class Problem>
struct SweptPhase {
  using Scalar = typename Problem::scalar_type;
  using Levels = SweptLevels<Problem>;
  static constexpr int width = Problem::half_width;

  Problem m_problem;
  SweptRows<Problem> m_rows;
  SweptTiling m_tiling;
  std::int64_t m_points;
  std::int64_t m_phase;
  std::int64_t m_levels;  ///< the last level that is wanted

  static std::int64_t work_stride(const SweptTiling& tiling) { return tiling.largest() + 2 * width; }
  static std::size_t work_size(const SweptTiling& tiling) {
    return static_cast<std::size_t>(work_stride(tiling) * Levels::rows * Problem::components);
  }

  template <class Team>
  HYPERPLANE_FUNCTION void run(const Team& team, std::int64_t number, Scalar* work, std::int64_t stride) const {
    load(team, number, work, stride);
    team.barrier();
    auto const computed = compute(team, number, work, stride);
    store(team, number, work, stride, computed);
    team.barrier();
  }

  /// The first of the three steps of run(): the tile's points of all rows.
  template <class Team>
  HYPERPLANE_FUNCTION void load(const Team& team, std::int64_t number, Scalar* work, std::int64_t stride) const {
    auto const points = m_tiling.tile(m_phase, number).m_points;
    for (int r = 0; r < Levels::rows; ++r) {
      auto const row = row_in(work, stride, r);
      auto const from = m_rows.m_rows[r];
      for_each_piece(team, points.m_begin, 0, points.m_end - points.m_begin,
                     [&](std::int64_t i, std::int64_t shift) { row.store(i, from.load(i + shift)); });
    }
  }

  /// The points of each row that have been computed, counted from the tile's first.
  struct Computed {
    SweptRange m_rows[Levels::rows];
  };

  /// The second: all levels, in the working array alone.
  template <class Team>
  HYPERPLANE_FUNCTION Computed compute(const Team& team, std::int64_t number, Scalar* work, std::int64_t stride) const {
    auto const tile = m_tiling.tile(m_phase, number);
    auto const begin = tile.m_points.m_begin;
    auto const size = tile.m_points.m_end - begin;
    SweptRows<Problem> local;
    Computed computed;
    for (int r = 0; r < Levels::rows; ++r) {
      local.m_rows[r] = row_in(work, stride, r);
      computed.m_rows[r] = {size, 0};
      fill_ends(team, tile, local.m_rows[r], size);
    }
    team.barrier();

    // Levels count from the beginning of the phase.
    auto const base = (m_phase - 1) * m_tiling.half_levels();
    auto const first = larger(1, base + 1);
    auto const last = smaller(m_levels, base + 2 * m_tiling.half_levels());
    for (auto level = first; level <= last; ++level) {
      auto const range = m_tiling.range(tile, level - base);
      auto const from = range.m_begin - begin;
      auto const to = range.m_end - begin;
      if (from >= to) continue;
      with_sub_step<Problem::sub_steps>(static_cast<int>((level - 1) % Problem::sub_steps), [&](auto sub_step) {
        auto const update = swept_update<sub_step.value>(m_problem, local, level);
        team.for_each(from, to, update);
      });
      team.barrier();
      if (tile.m_left_wall || tile.m_right_wall || m_tiling.is_whole()) {
        fill_ends(team, tile, local.of_level(level), size);
        team.barrier();
      }
      auto& of_row = computed.m_rows[Levels::row(level)];
      of_row = {smaller(of_row.m_begin, from), larger(of_row.m_end, to)};
    }
    return computed;
  }

  /// The third: what has been computed, back into the rows.
  template <class Team>
  HYPERPLANE_FUNCTION void store(const Team& team, std::int64_t number, Scalar* work, std::int64_t stride,
                                 const Computed& computed) const {
    auto const begin = m_tiling.tile(m_phase, number).m_points.m_begin;
    for (int r = 0; r < Levels::rows; ++r) {
      auto const row = row_in(work, stride, r);
      auto const to = m_rows.m_rows[r];
      for_each_piece(team, begin, computed.m_rows[r].m_begin, computed.m_rows[r].m_end,
                     [&](std::int64_t i, std::int64_t shift) { to.store(i + shift, row.load(i)); });
    }
  }

 private:
  HYPERPLANE_FUNCTION static std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
  HYPERPLANE_FUNCTION static std::int64_t larger(std::int64_t a, std::int64_t b) { return a < b ? b : a; }

  HYPERPLANE_FUNCTION static SweptRow<Problem> row_in(Scalar* work, std::int64_t stride, int r) {
    return {work + r * Problem::components * stride + width, stride};
  }

  /// f(i, shift) for the tile's points, of which a ring has i + shift; in up to three loops without a branch.
  template <class Team, class F>
  HYPERPLANE_FUNCTION void for_each_piece(const Team& team, std::int64_t begin, std::int64_t from, std::int64_t to,
                                          const F& f) const {
    for (int turn = -1; turn <= 1; ++turn) {
      auto const seam = turn * m_points - begin;
      auto const shift = -seam;
      team.for_each(larger(from, seam), smaller(to, seam + m_points), [&](std::int64_t i) { f(i, shift); });
    }
  }

  /// What is beyond the ends of the line, for tiles that are there.
  template <class Team>
  HYPERPLANE_FUNCTION void fill_ends(const Team& team, const SweptTile& tile, const SweptRow<Problem>& row,
                                     std::int64_t size) const {
    if (tile.m_left_wall || m_tiling.is_whole()) {
      team.for_each(-width, 0, [&](std::int64_t i) { row.store(i, swept_state_at(m_problem, row, size, i)); });
    }
    if (tile.m_right_wall || m_tiling.is_whole()) {
      team.for_each(size, size + width, [&](std::int64_t i) { row.store(i, swept_state_at(m_problem, row, size, i)); });
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
