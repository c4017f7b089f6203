// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/concurrency.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/swept/detail/swept_phase.hpp>
#include <hyperplane/swept/detail/swept_rows.hpp>
#include <hyperplane/swept/detail/swept_tiling.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

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

/// What a sub-step of a point costs, as bytes that are moved in its time: two rows, or eight operations for each value
/// in a vector register of 64 bytes.
template <class Problem>
inline constexpr double swept_bytes =
    std::max(2.0 * Problem::components * sizeof(typename Problem::scalar_type),
             swept_operations<Problem>() * sizeof(typename Problem::scalar_type) / 8.0 / Problem::sub_steps);

template <class Problem, class Exec>
void swept_classic(const Exec& exec, const Problem& problem, const SweptRows<Problem>& rows, std::int64_t points,
                   std::int64_t levels) {
  // On the host a part for each thread.
  auto const parts = HostExecutionSpace<Exec> ? std::min<std::int64_t>(points, concurrency_of(exec)) : points;
  for (std::int64_t level = 1; level <= levels; ++level) {
    with_sub_step<Problem::sub_steps>(static_cast<int>((level - 1) % Problem::sub_steps), [&](auto sub_step) {
      launch("Hyperplane::SweptRule::classic", IndexRange<Exec>(exec, 0, parts),
             swept_bytes<Problem> * static_cast<double>(points) / static_cast<double>(parts),
             SweptClassicLevel<sub_step.value, Problem>{swept_update<sub_step.value>(problem, rows, level), points,
                                                        parts});
    });
  }
}

template <class Problem>
struct SweptCopy {
  SweptRow<Problem> m_from, m_to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { m_to.store(i, m_from.load(i)); }
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

/// On the host: each thread takes neighbouring tiles, one after the other, in a working array of its own.
template <class Problem>
struct SweptPhaseOnCores {
  using Scalar = typename Problem::scalar_type;
  SweptPhase<Problem> m_phase;
  Scalar* m_work;
  std::int64_t m_stride;
  std::int64_t m_work_size;
  std::int64_t m_first;
  std::int64_t m_tiles;
  std::int64_t m_workers;

  void operator()(std::int64_t worker) const {
    for (auto tile = worker * m_tiles / m_workers; tile < (worker + 1) * m_tiles / m_workers; ++tile) {
      m_phase.run(SweptCore{}, m_first + tile, m_work + worker * m_work_size, m_stride);
    }
  }
};

/// On a device: a team for each tile, whose scratch memory is the working array.
template <class Problem, class Exec>
struct SweptPhaseOnTeams {
  using Scalar = typename Problem::scalar_type;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  SweptPhase<Problem> m_phase;
  std::int64_t m_first;
  std::int64_t m_stride;
  std::size_t m_bytes;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    auto* const work = static_cast<Scalar*>(member.team_scratch(0).get_shmem_aligned(m_bytes, alignof(Scalar)));
    m_phase.run(SweptTeam<Member>{member}, m_first + member.league_rank(), work, m_stride);
  }
};

/// The variant `shared`: a launch for each phase.
template <class Problem, class Exec>
class SweptShared {
 public:
  using Scalar = typename Problem::scalar_type;
  using Phase = SweptPhase<Problem>;

  /// Throws Error where a team cannot have so much scratch memory.
  SweptShared(const Exec& exec, std::int64_t points, std::int64_t tile_points)
      : m_tiling(points, tile_points > 0 ? tile_points : default_tile_points(exec, points), Problem::half_width,
                 Problem::boundary == SweptBoundary::periodic) {
    if constexpr (HostExecutionSpace<Exec>) {
      m_workers = std::min<std::int64_t>(concurrency_of(exec), m_tiling.tiles(1));
      m_work_size = static_cast<std::int64_t>(Phase::work_size(m_tiling)) + apart;
      m_work = Kokkos::View<Scalar*, typename Exec::memory_space>(
          Kokkos::view_alloc(exec, "Hyperplane::SweptRule::work"), static_cast<std::size_t>(m_workers * m_work_size));
    } else if (auto const most = static_cast<std::size_t>(Kokkos::TeamPolicy<Exec>::scratch_size_max(0));
               team_bytes() > most) {
      fail("SweptRule: tiles of " + std::to_string(m_tiling.largest()) + " points need " +
           std::to_string(team_bytes()) + " bytes of scratch memory, a team has " + std::to_string(most));
    }
  }

  const SweptTiling& tiling() const { return m_tiling; }

  void advance(const Exec& exec, const Problem& problem, const SweptRows<Problem>& rows, std::int64_t points,
               std::int64_t levels) const {
    for (std::int64_t phase = 0; phase < m_tiling.phases(levels); ++phase) {
      launch("Hyperplane::SweptRule::shared", exec, {problem, rows, m_tiling, points, phase, levels}, 0,
             m_tiling.tiles(phase));
    }
  }

  /// `tiles` tiles of a phase, from tile `first` on.
  void launch(const char* label, const Exec& exec, const Phase& phase, std::int64_t first, std::int64_t tiles) const {
    auto const stride = Phase::work_stride(m_tiling);
    if constexpr (HostExecutionSpace<Exec>) {
      // Tiles are as high as half of their points allow.
      auto const levels = static_cast<double>(m_tiling.largest()) / (4 * Problem::half_width);
      auto const points = static_cast<double>(tiles * m_tiling.largest()) / static_cast<double>(m_workers);
      detail::launch(label, detail::IndexRange<Exec>(exec, 0, m_workers), swept_bytes<Problem> * levels * points,
                     SweptPhaseOnCores<Problem>{phase, m_work.data(), stride, m_work_size, first, tiles, m_workers});
    } else {
      Kokkos::TeamPolicy<Exec> policy(exec, static_cast<int>(tiles), team_size);
      policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(team_bytes())));
      Kokkos::parallel_for(label, policy,
                           SweptPhaseOnTeams<Problem, Exec>{phase, first, stride, team_bytes() - alignof(Scalar)});
    }
  }

 private:
  static constexpr int team_size = 256;
  static constexpr std::int64_t apart = 128 / sizeof(Scalar);  // cores do not share cache lines

  /// Where the rows of a tile fit a core's first cache, or a quarter of what a block of threads gets without asking. On
  /// hosts fewer where threads would have none, but not so few that most of a tile is edges.
  static std::int64_t default_tile_points(const Exec& exec, std::int64_t points) {
    constexpr std::int64_t value_bytes = SweptLevels<Problem>::rows * Problem::components * sizeof(Scalar);
    constexpr std::int64_t least = 16 * Problem::half_width;
    constexpr auto most = std::max<std::int64_t>(least, (HostExecutionSpace<Exec> ? 24576 : 12288) / value_bytes);
    return HostExecutionSpace<Exec> ? std::clamp(points / concurrency_of(exec), least, most) : most;
  }

  /// Scratch memory of a team.
  std::size_t team_bytes() const { return Phase::work_size(m_tiling) * sizeof(Scalar) + alignof(Scalar); }

  SweptTiling m_tiling;
  std::int64_t m_workers = 0;
  std::int64_t m_work_size = 0;
  Kokkos::View<Scalar*, typename Exec::memory_space> m_work;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
