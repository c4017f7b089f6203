// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/swept/detail/swept_rows.hpp>
#include <hyperplane/swept/detail/swept_tiling.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace hyperplane::detail {

/// A level of the whole line: one point, or a part of the points in a loop that vectorizes.
template <int sub_step, class Problem>
struct SweptClassicLevel {
  SweptUpdate<sub_step, Problem> m_update;
  std::int64_t m_points;
  std::int64_t m_parts;

  KOKKOS_FUNCTION void operator()(std::int64_t number) const {
    constexpr int width = Problem::half_width;
    if (m_parts == m_points) {
      if (number >= width && number < m_points - width) return m_update(number);
      return swept_update_at_end(m_update, m_points, number);
    }
    auto const begin = number * m_points / m_parts;
    auto const end = (number + 1) * m_points / m_parts;
    auto const inner = Kokkos::max<std::int64_t>(width, m_points - width);
    for (auto i = begin; i < Kokkos::min<std::int64_t>(end, width); ++i) swept_update_at_end(m_update, m_points, i);
    auto const update = m_update;
    auto const last = Kokkos::min(end, m_points - width);
    HYPERPLANE_INDEPENDENT
    for (auto i = Kokkos::max<std::int64_t>(begin, width); i < last; ++i) update(i);
    for (auto i = Kokkos::max(begin, inner); i < end; ++i) swept_update_at_end(m_update, m_points, i);
  }
};

template <class Problem, class Exec>
void swept_classic(const Exec& exec, const Problem& problem, const SweptRows<Problem>& rows, std::int64_t points,
                   std::int64_t levels) {
  // On the host a part for each thread.
  auto const parts = HostExecutionSpace<Exec> ? std::min<std::int64_t>(points, exec.concurrency()) : points;
  for (std::int64_t level = 1; level <= levels; ++level) {
    with_sub_step<Problem::sub_steps>(static_cast<int>((level - 1) % Problem::sub_steps), [&](auto sub_step) {
      Kokkos::parallel_for("Hyperplane::SweptRule::classic", Kokkos::RangePolicy<Exec>(exec, 0, parts),
                           SweptClassicLevel<sub_step.value, Problem>{
                               swept_update<sub_step.value>(problem, rows, level), points, parts});
    });
  }
}

template <class Problem>
struct SweptCopy {
  SweptRow<Problem> m_from, m_to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { m_to.store(i, m_from.load(i)); }
};

/// A core that works alone.
struct SweptCore {
  template <class F>
  KOKKOS_FUNCTION void for_each(std::int64_t begin, std::int64_t end, const F& f) const {
    HYPERPLANE_INDEPENDENT
    for (auto i = begin; i < end; ++i) f(i);
  }
  KOKKOS_FUNCTION void barrier() const {}
};

/// The threads of a team.
template <class Member>
struct SweptTeam {
  const Member& m_member;

  template <class F>
  KOKKOS_FUNCTION void for_each(std::int64_t begin, std::int64_t end, const F& f) const {
    for (auto i = begin + m_member.team_rank(); i < end; i += m_member.team_size()) f(i);
  }
  KOKKOS_FUNCTION void barrier() const { m_member.team_barrier(); }
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
  KOKKOS_FUNCTION void run(const Team& team, std::int64_t number, Scalar* work, std::int64_t stride) const {
    auto const tile = m_tiling.tile(m_phase, number);
    auto const begin = tile.m_points.m_begin;
    auto const size = tile.m_points.m_end - begin;
    SweptRows<Problem> local;
    SweptRange computed[Levels::rows];
    for (int r = 0; r < Levels::rows; ++r) {
      auto const row = local.m_rows[r] = {work + r * Problem::components * stride + width, stride};
      auto const from = m_rows.m_rows[r];
      computed[r] = {size, 0};
      for_each_piece(team, begin, 0, size,
                     [&](std::int64_t i, std::int64_t shift) { row.store(i, from.load(i + shift)); });
    }
    team.barrier();
    for (int r = 0; r < Levels::rows; ++r) fill_ends(team, tile, local.m_rows[r], size);
    team.barrier();

    // Levels count from the beginning of the phase.
    auto const base = (m_phase - 1) * m_tiling.half_levels();
    auto const first = Kokkos::max<std::int64_t>(1, base + 1);
    auto const last = Kokkos::min(m_levels, base + 2 * m_tiling.half_levels());
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
      auto& range_of_row = computed[Levels::row(level)];
      range_of_row.m_begin = Kokkos::min(range_of_row.m_begin, from);
      range_of_row.m_end = Kokkos::max(range_of_row.m_end, to);
    }

    for (int r = 0; r < Levels::rows; ++r) {
      auto const row = local.m_rows[r];
      auto const to = m_rows.m_rows[r];
      for_each_piece(team, begin, computed[r].m_begin, computed[r].m_end,
                     [&](std::int64_t i, std::int64_t shift) { to.store(i + shift, row.load(i)); });
    }
    team.barrier();
  }

 private:
  /// f(i, shift) for the tile's points, of which a ring has i + shift; in up to three loops without a branch.
  template <class Team, class F>
  KOKKOS_FUNCTION void for_each_piece(const Team& team, std::int64_t begin, std::int64_t from, std::int64_t to,
                                      const F& f) const {
    for (int turn = -1; turn <= 1; ++turn) {
      auto const seam = turn * m_points - begin;
      auto const shift = -seam;
      team.for_each(Kokkos::max(from, seam), Kokkos::min(to, seam + m_points), [&](std::int64_t i) { f(i, shift); });
    }
  }

  /// What is beyond the ends of the line, for tiles that are there.
  template <class Team>
  KOKKOS_FUNCTION void fill_ends(const Team& team, const SweptTile& tile, const SweptRow<Problem>& row,
                                 std::int64_t size) const {
    if (tile.m_left_wall || m_tiling.is_whole()) {
      team.for_each(-width, 0, [&](std::int64_t i) { row.store(i, swept_state_at(m_problem, row, size, i)); });
    }
    if (tile.m_right_wall || m_tiling.is_whole()) {
      team.for_each(size, size + width, [&](std::int64_t i) { row.store(i, swept_state_at(m_problem, row, size, i)); });
    }
  }
};

/// On the host: each thread takes neighbouring tiles, one after the other, in a working array of its own.
template <class Problem>
struct SweptPhaseOnCores {
  using Scalar = typename Problem::scalar_type;
  SweptPhase<Problem> m_phase;
  Scalar* m_work;
  std::int64_t m_stride;
  std::int64_t m_work_size;
  std::int64_t m_tiles;
  std::int64_t m_workers;

  void operator()(std::int64_t worker) const {
    for (auto tile = worker * m_tiles / m_workers; tile < (worker + 1) * m_tiles / m_workers; ++tile) {
      m_phase.run(SweptCore{}, tile, m_work + worker * m_work_size, m_stride);
    }
  }
};

/// On a device: a team for each tile, whose scratch memory is the working array.
template <class Problem, class Exec>
struct SweptPhaseOnTeams {
  using Scalar = typename Problem::scalar_type;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  SweptPhase<Problem> m_phase;
  std::int64_t m_stride;
  std::size_t m_bytes;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    auto* const work = static_cast<Scalar*>(member.team_scratch(0).get_shmem_aligned(m_bytes, alignof(Scalar)));
    m_phase.run(SweptTeam<Member>{member}, member.league_rank(), work, m_stride);
  }
};

/// The variant `shared`: a launch for each phase.
template <class Problem, class Exec>
class SweptShared {
 public:
  using Scalar = typename Problem::scalar_type;
  using Phase = SweptPhase<Problem>;

  /// Where the rows of a tile fit a core's first cache, or a quarter of what a block of threads gets without asking.
  static constexpr std::int64_t default_tile_points =
      (HostExecutionSpace<Exec> ? 24576 : 12288) /
      (SweptLevels<Problem>::rows * Problem::components * static_cast<int>(sizeof(Scalar)));

  SweptShared(const Exec& exec, std::int64_t points, std::int64_t tile_points)
      : m_tiling(points, tile_points > 0 ? tile_points : default_tile_points, Problem::half_width,
                 Problem::boundary == SweptBoundary::periodic) {
    if constexpr (HostExecutionSpace<Exec>) {
      m_workers = std::min<std::int64_t>(exec.concurrency(), m_tiling.tiles(1));
      m_work_size = static_cast<std::int64_t>(Phase::work_size(m_tiling)) + apart;
      m_work = Kokkos::View<Scalar*, typename Exec::memory_space>(
          Kokkos::view_alloc(exec, "Hyperplane::SweptRule::work"), static_cast<std::size_t>(m_workers * m_work_size));
    }
  }

  /// Bytes of scratch memory that a team needs on a device.
  std::size_t scratch_bytes() const { return Phase::work_size(m_tiling) * sizeof(Scalar); }

  void advance(const Exec& exec, const Problem& problem, const SweptRows<Problem>& rows, std::int64_t points,
               std::int64_t levels) const {
    for (std::int64_t phase = 0; phase < m_tiling.phases(levels); ++phase) {
      Phase const work{problem, rows, m_tiling, points, phase, levels};
      auto const tiles = m_tiling.tiles(phase);
      auto const stride = Phase::work_stride(m_tiling);
      if constexpr (HostExecutionSpace<Exec>) {
        Kokkos::parallel_for("Hyperplane::SweptRule::shared", Kokkos::RangePolicy<Exec>(exec, 0, m_workers),
                             SweptPhaseOnCores<Problem>{work, m_work.data(), stride, m_work_size, tiles, m_workers});
      } else {
        using OnTeams = SweptPhaseOnTeams<Problem, Exec>;
        auto const bytes = scratch_bytes();
        Kokkos::TeamPolicy<Exec> policy(exec, static_cast<int>(tiles), team_size);
        policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes + alignof(Scalar))));
        Kokkos::parallel_for("Hyperplane::SweptRule::shared", policy, OnTeams{work, stride, bytes});
      }
    }
  }

 private:
  static constexpr int team_size = 256;
  static constexpr std::int64_t apart = 128 / sizeof(Scalar);  // cores do not share cache lines

  SweptTiling m_tiling;
  std::int64_t m_workers = 0;
  std::int64_t m_work_size = 0;
  Kokkos::View<Scalar*, typename Exec::memory_space> m_work;
};

}  // namespace hyperplane::detail
