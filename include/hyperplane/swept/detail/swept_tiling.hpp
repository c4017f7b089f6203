// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Points from m_begin to before m_end, which are outside 0 to N - 1 where a tile lies across the seam of a ring.
struct SweptRange {
  std::int64_t m_begin;
  std::int64_t m_end;
};

/// A node of the swept rule: the points that it may touch, and what it computes of them.
///
/// A phase has levels first + 1 to last. In its first half a tile fills the gap around `m_centre` that the phase before
/// left (an inverted triangle), in the second half it goes on alone, and loses the stencil's half width at each side
/// with each level (an upright triangle); together they are a diamond. At a wall nothing is lost.
struct SweptTile {
  SweptRange m_points;
  std::int64_t m_centre;
  bool m_has_centre;
  bool m_left_wall;
  bool m_right_wall;
};

/// The cut of space-time into diamonds. Space is cut at two families of points in turn, each in the middle of the
/// other's: tiles of even phases lie between those of the first family, tiles of odd phases between those of the
/// second, and phase p computes the levels (sub-steps) (p - 1) H + 1 to (p + 1) H, cut off at the first and the last
/// level that are wanted. That makes triangles of the first and the last phase, and any number of points and levels
/// possible.
///
/// Tiles of a phase touch disjoint points. All levels live in two rows (see SweptRows): what a triangle leaves in them
/// is exactly the edges that the next phase needs.
class SweptTiling {
 public:
  /// Tiles of about `tile_points` points. Where the line is too short for more than one, it is the whole line.
  SweptTiling(std::int64_t points, std::int64_t tile_points, int half_width, bool periodic)
      : m_points(points), m_half_width(half_width), m_periodic(periodic) {
    m_tiles = std::max<std::int64_t>(1, (points + tile_points - 1) / tile_points);
    while (m_tiles > 1 && half_levels_of(m_tiles) < 1) --m_tiles;
    m_half_levels = m_tiles == 1 ? std::numeric_limits<std::int64_t>::max() / 4 : half_levels_of(m_tiles);
  }

  /// H: levels of a triangle.
  HYPERPLANE_FUNCTION std::int64_t half_levels() const { return m_half_levels; }
  HYPERPLANE_FUNCTION bool is_whole() const { return m_tiles == 1; }
  /// Phases that compute `levels` levels.
  std::int64_t phases(std::int64_t levels) const {
    return is_whole() ? 1 : (levels + m_half_levels - 1) / m_half_levels + 1;
  }
  std::int64_t tiles(std::int64_t phase) const { return m_tiles + (phase % 2 == 1 && !m_periodic ? 1 : 0); }
  /// Points of the largest tile.
  std::int64_t largest() const { return is_whole() ? m_points : (m_points + m_tiles - 1) / m_tiles + 1; }

  HYPERPLANE_FUNCTION SweptTile tile(std::int64_t phase, std::int64_t j) const {
    if (is_whole()) return {{0, m_points}, 0, false, !m_periodic, !m_periodic};
    if (phase % 2 == 0)
      return {{cut(j), cut(j + 1)}, middle(j), true, !m_periodic && j == 0, !m_periodic && j == m_tiles - 1};
    bool const left_wall = !m_periodic && j == 0;
    bool const right_wall = !m_periodic && j == m_tiles;
    return {{left_wall ? 0 : middle(j - 1), right_wall ? m_points : middle(j)},
            cut(j),
            !left_wall && !right_wall,
            left_wall,
            right_wall};
  }

  /// What the tile computes of a level, 1 to 2 H counted from the beginning of its phase; m_begin >= m_end: nothing.
  HYPERPLANE_FUNCTION SweptRange range(const SweptTile& tile, std::int64_t level) const {
    if (level <= m_half_levels) {
      auto const reach = level * m_half_width;
      if (is_whole() || !tile.m_has_centre) return {0, 0};
      return {tile.m_centre - reach, tile.m_centre + reach};
    }
    auto const lost = is_whole() ? 0 : (level - m_half_levels) * m_half_width;
    return {tile.m_points.m_begin + (tile.m_left_wall ? 0 : lost),
            tile.m_points.m_end - (tile.m_right_wall ? 0 : lost)};
  }

 private:
  // Points jN/n, in whole numbers; for a ring also beyond its seam.
  HYPERPLANE_FUNCTION std::int64_t cut(std::int64_t j) const { return j * m_points / m_tiles; }
  HYPERPLANE_FUNCTION std::int64_t middle(std::int64_t j) const {
    if (j < 0) return middle(j + m_tiles) - m_points;
    return (cut(j) + cut(j + 1)) / 2;
  }
  /// The nearest neighbours of different families are this far apart at least: N / (2 n), rounded down. A tile has to
  /// reach a half width beyond its inverted triangle without leaving its points, and a point more next to a wall, where
  /// the mirror image is taken.
  std::int64_t half_levels_of(std::int64_t tiles) const { return (m_points / tiles / 2 - 1) / m_half_width - 1; }

  std::int64_t m_points;
  std::int64_t m_tiles = 1;
  std::int64_t m_half_levels = 0;
  int m_half_width;
  bool m_periodic;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
