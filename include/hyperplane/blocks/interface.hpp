// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/box.hpp>
#include <hyperplane/blocks/axis_transform.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// Where two grid blocks meet one to one: the points of a layer on a face of `block`, each of which has a point of
/// `donor` as its neighbour across the face. A grid block may meet itself: a periodic direction, the cut of a C-grid.
///
/// Of a point p of `points` the neighbour is donor_begin + transform(p - points.begin). A value.
struct Interface {
  int block = 0;
  /// The side of `block`: any Direction but center.
  Direction face = Direction::east;
  /// One layer of points next to the face.
  Box points{};
  int donor = 0;
  /// The neighbour of points.begin, in the indices of the donor.
  Point donor_begin{};
  AxisTransform transform{};

  /// The neighbour of a point across the face.
  constexpr Point donor_point(const Point& p) const {
    Point const step = transform(Point{p.i - points.begin.i, p.j - points.begin.j, p.k - points.begin.k});
    return {donor_begin.i + step.i, donor_begin.j + step.j, donor_begin.k + step.k};
  }
  /// The side of the donor that is met.
  constexpr Direction donor_face() const { return opposite(transform(face)); }
  /// The layer of the donor's points.
  constexpr Box donor_points() const {
    Point const a = donor_point(points.begin);
    Point const b = donor_point({points.end.i - 1, points.end.j - 1, points.end.k - 1});
    auto const low = [](int x, int y) { return x < y ? x : y; };
    auto const high = [](int x, int y) { return (x < y ? y : x) + 1; };
    return {{low(a.i, b.i), low(a.j, b.j), low(a.k, b.k)}, {high(a.i, b.i), high(a.j, b.j), high(a.k, b.k)}};
  }

  /// The same, as the donor sees it.
  constexpr Interface reversed() const {
    Interface result{donor, donor_face(), donor_points(), block, {}, transform.inverse()};
    Point const first = result.points.begin;
    Point const step =
        result.transform(Point{first.i - donor_begin.i, first.j - donor_begin.j, first.k - donor_begin.k});
    result.donor_begin = {points.begin.i + step.i, points.begin.j + step.j, points.begin.k + step.k};
    return result;
  }

  friend constexpr bool operator==(const Interface&, const Interface&) = default;

  /// "east face of grid block 0, points [4, 5) x [0, 3) x [0, 2)"
  friend std::string to_string(const Interface& interface) {
    return std::string(name(interface.face)) + " face of grid block " + std::to_string(interface.block) + ", points " +
           to_string(interface.points);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
