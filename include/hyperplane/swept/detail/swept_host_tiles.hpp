// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/concurrency.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/swept/detail/swept_fast_path.hpp>
#include <hyperplane/swept/detail/swept_portable.hpp>
#include <hyperplane/swept/detail/swept_rows.hpp>
#include <hyperplane/swept/detail/swept_skewed_tile.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

/// Parts of the line for the cores of a host, cut as swept_skewed_tile.hpp says.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A part of the line for each core.
template <class Problem>
struct SweptSkewedParts {
  using Tile = SweptSkewedTile<Problem>;
  Problem m_problem;
  SweptRow<Problem> m_from, m_to;
  std::int64_t m_points, m_steps, m_parts, m_tile_points;
  typename Problem::scalar_type* m_work;
  std::int64_t m_work_size;

  SweptSkewedCut cut(std::int64_t part) const {
    return {part * m_points / m_parts,
            (part + 1) * m_points / m_parts,
            m_steps * Problem::sub_steps * Problem::half_width,
            Tile::lane_count,
            Tile::halo,
            m_tile_points};
  }
  void operator()(std::int64_t part) const {
    Tile(m_problem, m_points, cut(part), m_work + part * m_work_size).run(m_from, m_to, m_steps);
  }
};

/// The variant `tiles` on hosts.
template <class Problem, HostExecutionSpace Exec>
class SweptHostTiles {
  using Scalar = typename Problem::scalar_type;
  using Tile = SweptSkewedTile<Problem>;

 public:
  /// A tile and its mirror image at an end need some points.
  static bool possible(std::int64_t points) { return points > 2 * Problem::half_width; }

  /// `tile_points`: at most; 0: what fits a core's first cache.
  SweptHostTiles(const Exec& exec, const Problem& problem, std::int64_t points, std::int64_t tile_points)
      : m_problem(problem), m_points(points) {
    constexpr std::int64_t cache_bytes = 24576;
    constexpr std::int64_t default_points = cache_bytes / (Tile::rows * Problem::components * sizeof(Scalar));
    constexpr std::int64_t least_points = std::int64_t{Tile::lane_count} * Tile::halo;
    constexpr std::int64_t lost = Problem::half_width * Problem::sub_steps;
    m_tile_points = std::max(tile_points > 0 ? tile_points : default_points, least_points);
    // A part's ends are computed twice: not more than a sixteenth of it. And edges have to stay in the cache.
    auto const steps = [&](std::int64_t parts) {
      return std::clamp<std::int64_t>(points / parts / (32 * lost), 1, 256 / Problem::sub_steps);
    };
    m_parts = std::clamp<std::int64_t>(points / (16 * lost), 1, concurrency_of(exec));
    if (!worth_a_team(exec, point_bytes * static_cast<double>(points * steps(m_parts)))) m_parts = 1;
    m_steps = steps(m_parts);
    auto const lane_points = (m_tile_points + Tile::lane_count - 1) / Tile::lane_count;
    m_work_size = Tile::work_size(lane_points, m_steps * Problem::sub_steps) + apart;
    m_work = Kokkos::View<Scalar*, typename Exec::memory_space>(Kokkos::view_alloc(exec, "Hyperplane::SweptRule::work"),
                                                                static_cast<std::size_t>(m_parts * m_work_size));
  }

  /// Ends in u, by way of the spare line.
  void advance(const Exec& exec, const SweptRow<Problem>& u, const SweptRow<Problem>& spare, std::int64_t steps) const {
    // An even number of launches ends where it began.
    auto launches = (steps + m_steps - 1) / m_steps;
    if (launches % 2 == 1 && steps > launches) ++launches;
    for (std::int64_t number = 0; number < launches; ++number) {
      auto const now = (number + 1) * steps / launches - number * steps / launches;
      launch("Hyperplane::SweptRule::tiles", IndexRange<Exec>(exec, 0, m_parts),
             point_bytes * static_cast<double>(m_points * now) / static_cast<double>(m_parts),
             of(now, number % 2 == 0 ? u : spare, number % 2 == 0 ? spare : u));
    }
    if (launches % 2 == 0) return;
    launch("Hyperplane::SweptRule::finish", IndexRange<Exec>(exec, 0, m_points),
           2.0 * Problem::components * sizeof(Scalar), SweptCopy<Problem>{spare, u});
  }

 private:
  static constexpr std::int64_t apart = 128 / sizeof(Scalar);  // cores do not share cache lines
  // What a step of a point costs, as bytes that are moved in its time.
  static constexpr double point_bytes = swept_operations<Problem>() * sizeof(Scalar) / 8.0;

  SweptSkewedParts<Problem> of(std::int64_t steps, const SweptRow<Problem>& from, const SweptRow<Problem>& to) const {
    return {m_problem, from, to, m_points, steps, m_parts, m_tile_points, m_work.data(), m_work_size};
  }

  Problem m_problem;
  std::int64_t m_points;
  std::int64_t m_tile_points;
  std::int64_t m_parts;
  std::int64_t m_steps;
  std::int64_t m_work_size = 0;
  Kokkos::View<Scalar*, typename Exec::memory_space> m_work;
};

template <class Problem, HostExecutionSpace Exec>
class SweptFastPath<Problem, Exec> {
  using Tiles = SweptHostTiles<Problem, Exec>;

 public:
  static SweptVariant choose(std::int64_t points, const SweptOptions&) {
    return Tiles::possible(points) ? SweptVariant::tiles : SweptVariant::shared;
  }
  static constexpr std::array<SweptVariant, 1> variants{SweptVariant::tiles};

  SweptFastPath(const Exec& exec, const Problem& problem, std::int64_t points, SweptVariant variant,
                const SweptOptions& options) {
    if (variant != SweptVariant::tiles) return;
    require(Tiles::possible(points),
            "SweptRule: " + std::to_string(points) + " points are too few for the variant tiles");
    m_tiles.emplace(exec, problem, points, options.tile_points);
  }

  void advance(const Exec& exec, const SweptRows<Problem>& rows, std::int64_t levels) const {
    m_tiles->advance(exec, rows.m_rows[0], rows.m_rows[1], levels / Problem::sub_steps);
  }

 private:
  std::optional<Tiles> m_tiles;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
