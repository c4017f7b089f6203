// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cmath>
#include <hyperplane/array/box.hpp>
#include <hyperplane/blocks/axis_transform.hpp>
#include <hyperplane/blocks/detail/cell_faces.hpp>
#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace hyperplane::test {

/// A grid block that is a box of the cells of a lattice, with axes of its own: `axes` leads from the lattice to it.
struct PlacedBlock {
  Box box;
  AxisTransform axes{};

  Grid grid() const {
    Point const e = axes(Point{box.end.i - box.begin.i, box.end.j - box.begin.j, box.end.k - box.begin.k});
    auto const positive = [](int extent) { return extent < 0 ? -extent : extent; };
    return {positive(e.i), positive(e.j), positive(e.k)};
  }

  /// The lattice's vertex that is the given one of the grid block.
  Point lattice_vertex(const Point& vertex) const {
    auto const extents = grid();
    std::array<int, 3> const count{extents.ni(), extents.nj(), extents.nk()};
    std::array<int, 3> const given{vertex.i, vertex.j, vertex.k}, begin{box.begin.i, box.begin.j, box.begin.k};
    std::array<int, 3> result{};
    for (int d = 0; d < 3; ++d) {
      int const axis = axes.axes[d], own = (axis < 0 ? -axis : axis) - 1;
      result[d] = begin[d] + (axis < 0 ? count[own] - given[own] : given[own]);
    }
    return {result[0], result[1], result[2]};
  }
};

inline std::vector<Grid> grids_of(const std::vector<PlacedBlock>& blocks) {
  std::vector<Grid> result;
  for (auto const& block : blocks) result.push_back(block.grid());
  return result;
}

/// A lattice that is skewed and curved, so that no two vertices coincide.
inline std::array<double, 3> curved_position(const Point& v) {
  double const x = v.i, y = v.j, z = v.k;
  return {x + 0.2 * std::sin(y + 2 * z), 1.5 * y + 0.1 * z + 0.2 * std::cos(x), 0.7 * z - 0.3 * x};
}

/// A face of a cell: grid block, face, cell.
using CellFaceKey = std::tuple<int, int, int, int, int>;

inline CellFaceKey face_key(int block, Direction face, const Point& p) {
  return {block, static_cast<int>(face), p.i, p.j, p.k};
}

/// What meets what, of interfaces from both sides.
inline std::map<CellFaceKey, CellFaceKey> neighbours_of(const MultiBlockGrid& grid) {
  std::map<CellFaceKey, CellFaceKey> result;
  for (auto const& interface : grid.interfaces()) {
    auto const& [begin, end] = interface.points;
    for (int k = begin.k; k < end.k; ++k) {
      for (int j = begin.j; j < end.j; ++j) {
        for (int i = begin.i; i < end.i; ++i) {
          result[face_key(interface.block, interface.face, {i, j, k})] =
              face_key(interface.donor, interface.donor_face(), interface.donor_point({i, j, k}));
        }
      }
    }
  }
  return result;
}

/// The same by brute force: every cell on a face with every other, by the vertices that both have.
template <class PositionOf>
std::map<CellFaceKey, CellFaceKey> neighbours_by_brute_force(std::span<const Grid> blocks, const PositionOf& position,
                                                             const std::array<double, 3>& translation = {}) {
  struct Quad {
    CellFaceKey key;
    std::vector<std::array<double, 3>> vertices;
  };
  std::vector<Quad> quads;
  for (int b = 0; b < static_cast<int>(blocks.size()); ++b) {
    for (std::int64_t number = 0; number < blocks[b].size(); ++number) {
      Point const p = blocks[b].point(number);
      for (auto const d : stencil7_directions) {
        if (d == Direction::center || blocks[b].contains(neighbour(p, d))) continue;
        Quad quad{face_key(b, d, p), {}};
        Point const o = offset(d);
        for (int corner = 0; corner < 8; ++corner) {
          Point const c{corner & 1, corner >> 1 & 1, corner >> 2};
          // Of the eight vertices of the cell those on this side.
          if (o.i * (2 * c.i - 1) < 0 || o.j * (2 * c.j - 1) < 0 || o.k * (2 * c.k - 1) < 0) continue;
          quad.vertices.push_back(position(b, Point{p.i + c.i, p.j + c.j, p.k + c.k}));
        }
        quads.push_back(quad);
      }
    }
  }
  // By the sum of the vertices first, which takes less time.
  auto const inside = [](const Quad& a, const Quad& b, const std::array<double, 3>& move) {
    for (int d = 0; d < 3; ++d) {
      double sum = 4 * move[d];
      for (int v = 0; v < 4; ++v) sum += a.vertices[v][d] - b.vertices[v][d];
      if (std::abs(sum) > 1e-8) return false;
    }
    return std::ranges::all_of(a.vertices, [&](const auto& v) {
      return std::ranges::any_of(b.vertices, [&](const auto& w) {
        return std::hypot(v[0] + move[0] - w[0], v[1] + move[1] - w[1], v[2] + move[2] - w[2]) < 1e-9;
      });
    });
  };
  std::map<CellFaceKey, CellFaceKey> result;
  std::array<double, 3> const back{-translation[0], -translation[1], -translation[2]};
  for (auto const& a : quads) {
    for (auto const& b : quads) {
      if (a.key == b.key) continue;
      if ((inside(a, b, {}) && inside(b, a, {})) || (inside(a, b, translation) && inside(b, a, back)) ||
          (inside(a, b, back) && inside(b, a, translation))) {
        result[a.key] = b.key;
      }
    }
  }
  return result;
}

}  // namespace hyperplane::test
