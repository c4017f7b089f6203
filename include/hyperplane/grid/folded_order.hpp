// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/hyperplane_map.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI {

/// Directions in which a recursion takes points from both ends to the middle, 0, I - 1, 1, I - 2, ..., instead of from
/// the first one to the last. None: the natural order.
struct FoldedDirections {
  bool i = false;
  bool j = false;
  bool k = false;

  constexpr bool any() const { return i || j || k; }
};

namespace detail {

/// The order of the points of one direction. Up to the middle a point comes after the one before it, and from there on
/// after the one behind it: the middle after both. It is the last point where the direction is not folded, I / 2 where
/// it is.
class DirectionOrder {
 public:
  constexpr DirectionOrder(int extent, bool folded)
      : m_extent(extent), m_middle(folded ? extent / 2 : extent - 1), m_folded(folded) {}

  /// A level is how far a point is from the end that its half begins with: neighbours have different ones. The middle
  /// is in the first half.
  HYPERPLANE_FUNCTION constexpr int levels() const { return m_middle + 1; }
  /// Whether there are points beyond the middle: two of most levels then.
  HYPERPLANE_FUNCTION constexpr bool has_second_half() const { return m_middle < m_extent - 1; }
  /// The point of a level in the first half or the second one, which the second half may lack.
  HYPERPLANE_FUNCTION constexpr bool find(int level, bool second_half, int& x) const {
    x = second_half ? m_extent - 1 - level : level;
    return !second_half || x > m_middle;
  }

  HYPERPLANE_FUNCTION constexpr bool is_in_second_half(int x) const { return x > m_middle; }
  HYPERPLANE_FUNCTION constexpr int level(int x) const { return is_in_second_half(x) ? m_extent - 1 - x : x; }

  HYPERPLANE_FUNCTION constexpr bool is_before(int x, int step) const {
    return step < 0 ? x <= m_middle : x >= m_middle;
  }

  HYPERPLANE_FUNCTION constexpr int extent() const { return m_extent; }
  /// The last point.
  HYPERPLANE_FUNCTION constexpr int middle() const { return m_middle; }
  /// The point that a point changes places with where each half is turned round.
  HYPERPLANE_FUNCTION constexpr int turned(int x) const {
    return is_in_second_half(x) ? m_middle + m_extent - x : m_middle - x;
  }

  /// The place of a point in the order, and the point at a place.
  HYPERPLANE_FUNCTION constexpr int place(int x) const {
    if (!m_folded) return x;
    return x <= (m_extent - 1) / 2 ? 2 * x : 2 * (m_extent - 1 - x) + 1;
  }
  HYPERPLANE_FUNCTION constexpr int at(int place) const {
    if (!m_folded) return place;
    return place % 2 == 0 ? place / 2 : m_extent - 1 - place / 2;
  }

 private:
  int m_extent;
  int m_middle;
  bool m_folded;
};

}  // namespace detail

/// The order of the points of a grid in which some directions are folded, see FoldedDirections: k outermost, then j,
/// then i, as in natural order.
///
/// A recursion over the seven-point stencil goes from all corners to the middle. Points of one hyperplane, which is
/// that of their levels, the distances to the ends, do not depend on one another: with three folded directions
/// there are about half as many hyperplanes as in natural order, each in up to eight pieces. Trivially copyable,
/// callable in kernels.
class FoldedOrder {
 public:
  constexpr FoldedOrder(const Grid& grid, const FoldedDirections& folded)
      : m_grid(grid),
        m_i(grid.ni(), folded.i),
        m_j(grid.nj(), folded.j),
        m_k(grid.nk(), folded.k),
        m_planes(Grid(m_i.levels(), m_j.levels(), m_k.levels())),
        m_folded(folded.any()) {}

  HYPERPLANE_FUNCTION constexpr const Grid& grid() const { return m_grid; }
  HYPERPLANE_FUNCTION constexpr bool is_folded() const { return m_folded; }

  /// Whether the neighbour of a point in a direction, which is not `center`, comes before it.
  HYPERPLANE_FUNCTION constexpr bool is_before(const Point& p, Direction direction) const {
    auto const step = offset(direction);
    if (step.i != 0) return m_i.is_before(p.i, step.i);
    return step.j != 0 ? m_j.is_before(p.j, step.j) : m_k.is_before(p.k, step.k);
  }

  /// Where the order has a point, as the point that natural order has there; and the point at such a place.
  HYPERPLANE_FUNCTION constexpr Point place(const Point& p) const {
    return {m_i.place(p.i), m_j.place(p.j), m_k.place(p.k)};
  }
  HYPERPLANE_FUNCTION constexpr Point at(const Point& place) const {
    return {m_i.at(place.i), m_j.at(place.j), m_k.at(place.k)};
  }

  HYPERPLANE_FUNCTION constexpr const detail::DirectionOrder& i() const { return m_i; }
  HYPERPLANE_FUNCTION constexpr const detail::DirectionOrder& j() const { return m_j; }
  HYPERPLANE_FUNCTION constexpr const detail::DirectionOrder& k() const { return m_k; }

  /// Whose slot has the factors of a point. SlabMap has points of constant i + j side by side in SIMD groups. Where
  /// levels of i and j rise in opposite directions, the halves of a line along i are turned round, so that groups of
  /// factors have points of one hyperplane there, too.
  HYPERPLANE_FUNCTION constexpr Point stored(const Point& p) const {
    return {m_i.is_in_second_half(p.i) == m_j.is_in_second_half(p.j) ? p.i : m_i.turned(p.i), p.j, p.k};
  }

  HYPERPLANE_FUNCTION constexpr int plane_count() const { return m_planes.plane_count(); }
  /// Candidates for the points of a plane: find() says which of them there are.
  HYPERPLANE_FUNCTION constexpr std::int64_t candidates(int plane) const {
    return pieces() * m_planes.plane_size(plane);
  }
  HYPERPLANE_FUNCTION bool find(int plane, std::int64_t candidate, Point& p) const {
    auto const size = m_planes.plane_size(plane);
    Point const level = m_planes.point(plane, candidate % size);
    auto piece = static_cast<int>(candidate / size);
    auto const in_second_half = [&piece](const detail::DirectionOrder& direction) {
      if (!direction.has_second_half()) return false;
      bool const second = piece % 2 == 1;
      piece /= 2;
      return second;
    };
    bool const exists_i = m_i.find(level.i, in_second_half(m_i), p.i);
    bool const exists_j = m_j.find(level.j, in_second_half(m_j), p.j);
    bool const exists_k = m_k.find(level.k, in_second_half(m_k), p.k);
    return exists_i && exists_j && exists_k;
  }

 private:
  HYPERPLANE_FUNCTION constexpr int pieces() const {
    return (m_i.has_second_half() ? 2 : 1) * (m_j.has_second_half() ? 2 : 1) * (m_k.has_second_half() ? 2 : 1);
  }

  Grid m_grid;
  detail::DirectionOrder m_i;
  detail::DirectionOrder m_j;
  detail::DirectionOrder m_k;
  HyperplaneMap m_planes;
  bool m_folded;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
