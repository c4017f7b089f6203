// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/grid.hpp>

#include <array>

namespace hyperplane::inline HYPERPLANE_ABI {

/// The seven points of the stencil, in storage order: that of the columns of a row with natural ordering.
enum class Direction : int { bottom, south, west, center, east, north, top };

inline constexpr int stencil7_size = 7;

inline constexpr std::array<Direction, stencil7_size> stencil7_directions = {
    Direction::bottom, Direction::south, Direction::west, Direction::center,
    Direction::east,   Direction::north, Direction::top};

HYPERPLANE_FUNCTION constexpr Point offset(Direction direction) {
  switch (direction) {
    case Direction::center: return {0, 0, 0};
    case Direction::west: return {-1, 0, 0};
    case Direction::east: return {1, 0, 0};
    case Direction::south: return {0, -1, 0};
    case Direction::north: return {0, 1, 0};
    case Direction::bottom: return {0, 0, -1};
    case Direction::top: return {0, 0, 1};
  }
  return {};
}

HYPERPLANE_FUNCTION constexpr Direction opposite(Direction direction) {
  return static_cast<Direction>(stencil7_size - 1 - static_cast<int>(direction));
}

HYPERPLANE_FUNCTION constexpr Point neighbour(const Point& p, Direction direction) {
  auto const o = offset(direction);
  return {p.i + o.i, p.j + o.j, p.k + o.k};
}

/// The direction from p to q, 3 + di + 2 dj + 3 dk of their differences; false where they are neither neighbours nor
/// the same point.
HYPERPLANE_FUNCTION constexpr bool find_direction(const Point& p, const Point& q, Direction& direction) {
  auto const di = q.i - p.i, dj = q.j - p.j, dk = q.k - p.k;
  auto const distance = (di < 0 ? -di : di) + (dj < 0 ? -dj : dj) + (dk < 0 ? -dk : dk);
  if (distance > 1) return false;
  direction = static_cast<Direction>(3 + di + 2 * dj + 3 * dk);
  return true;
}

constexpr const char* name(Direction direction) {
  switch (direction) {
    case Direction::center: return "center";
    case Direction::west: return "west";
    case Direction::east: return "east";
    case Direction::south: return "south";
    case Direction::north: return "north";
    case Direction::bottom: return "bottom";
    case Direction::top: return "top";
  }
  return "unknown";
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
