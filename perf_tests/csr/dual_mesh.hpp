// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gmsh_mesh.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace hyperplane::perf {

/// The parts of the points of a mesh of tetrahedra, as a flow code with unknowns at the points has them: those that
/// edges connect have a face, made of pieces between the middles of edges, triangles and tetrahedra (the median dual).
struct DualMesh {
  std::vector<Vector3> points;
  std::vector<std::int64_t> offsets;  ///< of the neighbours of each point
  std::vector<int> neighbours;        ///< of each point by their numbers
  std::vector<Vector3> faces;  ///< between point and neighbour: the normal, as long as the area, out of the point

  explicit DualMesh(const Tetrahedra& mesh) : points(mesh.points) {
    find_neighbours(mesh);
    faces.resize(neighbours.size());
    for (auto const& cell : mesh.cells) {
      for (auto const& corners : edges) add_piece(cell, corners);
    }
  }

  /// What closes the part of a point: its share of the boundary, nothing but rounding inside.
  Vector3 boundary(std::size_t point) const {
    Vector3 sum{};
    for (auto e = first(point); e < first(point + 1); ++e) add(-1.0, faces[e], sum);
    return sum;
  }

  std::size_t first(std::size_t point) const { return static_cast<std::size_t>(offsets[point]); }

 private:
  // Of a tetrahedron, each with the other two corners.
  static constexpr std::array<std::array<int, 4>, 6> edges = {
      {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}}};

  void find_neighbours(const Tetrahedra& mesh) {
    // With what tetrahedra that share an edge say twice.
    std::vector<std::int64_t> begin(points.size() + 1, 0);
    for (auto const& cell : mesh.cells) {
      for (int const p : cell) begin[static_cast<std::size_t>(p) + 1] += 3;
    }
    for (std::size_t p = 0; p < points.size(); ++p) begin[p + 1] += begin[p];
    std::vector<int> all(static_cast<std::size_t>(begin.back()));
    auto next = begin;
    for (auto const& cell : mesh.cells) {
      for (int const p : cell) {
        for (int const q : cell) {
          if (p != q) all[static_cast<std::size_t>(next[static_cast<std::size_t>(p)]++)] = q;
        }
      }
    }
    offsets.push_back(0);
    for (std::size_t p = 0; p < points.size(); ++p) {
      auto const from = all.begin() + begin[p], to = all.begin() + begin[p + 1];
      std::sort(from, to);
      neighbours.insert(neighbours.end(), from, std::unique(from, to));
      offsets.push_back(std::ssize(neighbours));
    }
  }

  Vector3& face(int p, int q) {
    auto const from = neighbours.begin() + offsets[static_cast<std::size_t>(p)],
               to = neighbours.begin() + offsets[static_cast<std::size_t>(p) + 1];
    return faces[static_cast<std::size_t>(std::lower_bound(from, to, q) - neighbours.begin())];
  }

  /// The face of an edge in one tetrahedron: a quadrilateral of the middles of the edge, two triangles and the whole.
  void add_piece(const std::array<int, 4>& cell, const std::array<int, 4>& corners) {
    auto const at = [&](int c) -> const Vector3& { return points[static_cast<std::size_t>(cell[corners[c]])]; };
    Vector3 diagonal{};
    for (int c = 0; c < 4; ++c) add(c < 2 ? -1.0 : 1.0, at(c), diagonal);
    auto const piece = cross(diagonal, difference(at(3), at(2)));
    double const factor = (dot(piece, difference(at(1), at(0))) > 0.0 ? 1.0 : -1.0) / 24.0;
    add(factor, piece, face(cell[corners[0]], cell[corners[1]]));
    add(-factor, piece, face(cell[corners[1]], cell[corners[0]]));
  }
};

}  // namespace hyperplane::perf
