// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/box.hpp>
#include <hyperplane/blocks/detail/cell_faces.hpp>
#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Finds the cell faces whose centres are near a place: centres are sorted into cubes.
class CentreTable {
 public:
  /// Of the cell faces with these numbers, to be asked for places that are moved by one of `moves`.
  CentreTable(const CellFaces& faces, const std::vector<std::size_t>& numbers, const std::vector<Position>& moves,
              double tolerance) {
    double largest = 0;
    for (auto const& move : moves) {
      for (double const x : move) largest = std::max(largest, std::abs(x));
    }
    for (auto const& face : faces.all) {
      for (auto const& corner : face.corners) {
        for (double const x : corner) largest = std::max(largest, std::abs(x));
      }
    }
    // Numbers of cubes fit in 64 bits, also those of places that are moved; rounding of centres is far below a
    // thousandth of an edge.
    m_edge = std::max(4 * tolerance, largest > 0 ? 1e-9 * largest : 1.0);
    m_reach = tolerance + 1e-3 * m_edge;
    for (auto const number : numbers) m_entries.emplace_back(cube(centre(faces.all[number])), number);
    std::ranges::sort(m_entries);
  }

  static Position centre(const CellFace& face) {
    Position sum{};
    for (auto const& corner : face.corners) sum = moved(sum, corner);
    return {0.25 * sum[0], 0.25 * sum[1], 0.25 * sum[2]};
  }

  /// Calls f(number) for all whose centre is as near as the tolerance, and for some others.
  template <class F>
  void for_each_near(const Position& place, const F& f) const {
    auto const low = cube(moved(place, {-m_reach, -m_reach, -m_reach}));
    auto const high = cube(moved(place, {m_reach, m_reach, m_reach}));
    for (auto x = low[0]; x <= high[0]; ++x) {
      for (auto y = low[1]; y <= high[1]; ++y) {
        for (auto z = low[2]; z <= high[2]; ++z) {
          Cube const wanted{x, y, z};
          auto const cube_of = [](const auto& entry) { return entry.first; };
          for (auto const& entry : std::ranges::equal_range(m_entries, wanted, {}, cube_of)) f(entry.second);
        }
      }
    }
  }

 private:
  using Cube = std::array<std::int64_t, 3>;

  Cube cube(const Position& p) const {
    auto const index = [&](double x) { return static_cast<std::int64_t>(std::floor(x / m_edge)); };
    return {index(p[0]), index(p[1]), index(p[2])};
  }

  double m_edge = 1;
  double m_reach = 0;
  std::vector<std::pair<Cube, std::size_t>> m_entries;
};

/// The cell face that lies on one, and how.
struct CellFaceMatch {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::size_t partner = none;
  int orientation = 0;
  int count = 0;  ///< of those that were found; more than one is an error
  std::size_t second = none;
};

/// "west face of grid block 3, points [0, 1) x [2, 3) x [0, 4)": a box around all cell faces that match several, on the
/// grid block's face of the first of them.
[[noreturn]] inline void refuse_ambiguous(const CellFaces& faces, const std::vector<CellFaceMatch>& matches,
                                          std::size_t first) {
  auto const& face = faces.all[first];
  auto const place = [&](std::size_t number) {
    auto const& other = faces.all[number];
    return std::string(name(other.face)) + " face of grid block " + std::to_string(other.block) + " at cell " +
           to_text(other.cell);
  };
  Interface range{face.block, face.face, {face.cell, face.cell}, 0, {}, {}};
  for (std::size_t number = first; number < matches.size(); ++number) {
    auto const& other = faces.all[number];
    if (matches[number].count < 2 || other.block != face.block || other.face != face.face) continue;
    for (int axis = 0; axis < 3; ++axis) {
      along(range.points.begin, axis) = std::min(along(range.points.begin, axis), along(other.cell, axis));
      along(range.points.end, axis) = std::max(along(range.points.end, axis), along(other.cell, axis) + 1);
    }
  }
  fail("find_interfaces: " + to_string(range) + ": more than one neighbour: cell " + to_text(face.cell) +
       " meets the " + place(matches[first].partner) + " and the " + place(matches[first].second));
}

/// Of each cell face the one that has the same corners, or those moved by one of the translations, either way. Throws
/// Error where there are several.
inline std::vector<CellFaceMatch> match_cell_faces(const CellFaces& faces, const std::vector<Position>& translations,
                                                   double tolerance) {
  std::vector<std::size_t> numbers;
  for (std::size_t number = 0; number < faces.all.size(); ++number) {
    if (!is_degenerate(faces.all[number], tolerance)) numbers.push_back(number);
  }
  std::vector<Position> moves{{}};
  for (auto const& t : translations) {
    for (Position const& move : {t, Position{-t[0], -t[1], -t[2]}}) {
      // What is given twice, or from both sides, finds the same twice.
      auto const same = [&](const Position& other) { return distance(move, other) <= 2 * tolerance; };
      if (std::ranges::none_of(moves, same)) moves.push_back(move);
    }
  }
  CentreTable const table(faces, numbers, moves, tolerance);
  std::vector<CellFaceMatch> matches(faces.all.size());
  for (auto const number : numbers) {
    auto const& face = faces.all[number];
    auto& match = matches[number];
    for (auto const& move : moves) {
      table.for_each_near(moved(CentreTable::centre(face), move), [&](std::size_t other) {
        if (other == number) return;
        for (int orientation = 0; orientation < 8; ++orientation) {
          if (!coincide(face, faces.all[other], move, orientation, tolerance)) continue;
          if (match.count++ > 0) {
            match.second = other;
            return;
          }
          match.partner = other;
          match.orientation = orientation;
          // The corners of what is not degenerate are in no other orientation as near.
          return;
        }
      });
    }
  }
  for (auto const number : numbers) {
    if (matches[number].count > 1) refuse_ambiguous(faces, matches, number);
  }
  return matches;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
