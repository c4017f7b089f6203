// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/detail/place_blocks.hpp>
#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_outside.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Larger grids, of which grid blocks are parts.
struct PlacedGrids {
  std::vector<Grid> grids;
  std::vector<int> grid_of;   ///< of each grid block
  std::vector<Point> begins;  ///< where it begins in that
};

/// How often two points of a grid are neighbours.
inline std::int64_t neighbour_pairs(const Grid& grid) {
  return 3 * grid.size() - std::int64_t{grid.nj()} * grid.nk() - std::int64_t{grid.ni()} * grid.nk() -
         std::int64_t{grid.ni()} * grid.nj();
}

/// The box that the grid blocks fill; none, where they do not, or where two of them lie side by side without an
/// interface. Of grid blocks with a natural order that rises_along_axes().
inline std::optional<PlacedGrids> whole_box(const MultiBlockGrid& grid) {
  if (grid.block_count() == 0) return std::nullopt;
  PlacedGrids result{{}, std::vector<int>(as_size(grid.block_count()), 0), place_blocks(grid)};
  auto& begins = result.begins;
  Point low = begins[0], high = begins[0];
  std::int64_t points = 0, pairs = 0;
  for (int b = 0; b < grid.block_count(); ++b) {
    auto const& block = grid.block(b);
    auto const& begin = begins[as_size(b)];
    low = {std::min(low.i, begin.i), std::min(low.j, begin.j), std::min(low.k, begin.k)};
    high = {std::max(high.i, begin.i + block.ni()), std::max(high.j, begin.j + block.nj()),
            std::max(high.k, begin.k + block.nk())};
    points += block.size();
    pairs += neighbour_pairs(block);
    // Those that do not meet are placed as if they were alone.
    for (int other = 0; other < b; ++other) {
      if (!lie_apart(block, begin, grid.block(other), begins[as_size(other)])) return std::nullopt;
    }
  }
  for (auto const& interface : grid.interfaces()) {
    if (interface.block != interface.donor && interface.face > Direction::center) pairs += interface.points.size();
  }
  Grid const box(high.i - low.i, high.j - low.j, high.k - low.k);
  if (points != box.size() || pairs != neighbour_pairs(box)) return std::nullopt;
  for (auto& begin : begins) begin = {begin.i - low.i, begin.j - low.j, begin.k - low.k};
  result.grids = {box};
  return result;
}

/// Of each face of each grid block the numbers of couplings by face_place(), -1 where there is none; empty where a face
/// has none.
class NumbersOnFaces {
 public:
  explicit NumbersOnFaces(const MultiBlockGrid& grid) : m_numbers(as_size(grid.block_count())) {}

  /// Where a point of a grid block has a coupling.
  void set(const Grid& grid, int block, Direction face, const Point& p, int number) {
    auto& numbers = of(block, face);
    if (numbers.empty()) numbers.assign(as_size(face_size(grid, face)), -1);
    numbers[as_size(face_place(grid, face, p))] = number;
  }
  bool has(int block, Direction face) const { return !of(block, face).empty(); }
  int number(const Grid& grid, int block, Direction face, const Point& p) const {
    return of(block, face)[as_size(face_place(grid, face, p))];
  }

 private:
  const std::vector<int>& of(int block, Direction face) const {
    return m_numbers[as_size(block)][as_size(static_cast<int>(face))];
  }
  std::vector<int>& of(int block, Direction face) { return m_numbers[as_size(block)][as_size(static_cast<int>(face))]; }

  std::vector<std::array<std::vector<int>, std::size_t{stencil7_size}>> m_numbers;
};

/// Each grid block with a layer of ghost points behind each face that has couplings.
inline PlacedGrids with_ghost_layers(const MultiBlockGrid& grid, const NumbersOnFaces& numbers) {
  PlacedGrids result;
  for (int b = 0; b < grid.block_count(); ++b) {
    auto const& block = grid.block(b);
    auto const layer = [&](Direction face) { return numbers.has(b, face) ? 1 : 0; };
    Point const begin{layer(Direction::west), layer(Direction::south), layer(Direction::bottom)};
    result.grids.emplace_back(begin.i + block.ni() + layer(Direction::east),
                              begin.j + block.nj() + layer(Direction::north),
                              begin.k + block.nk() + layer(Direction::top));
    result.grid_of.push_back(b);
    result.begins.push_back(begin);
  }
  return result;
}

/// visit(point, direction) of the ghost points around a grid block that begins at a point of a larger grid: the face
/// that they are behind, center of edges.
template <class Visit>
void for_each_ghost(const Grid& grid, const Grid& block, const Point& begin, const Visit& visit) {
  auto const visit_point = [&](const Point& p) {
    int outside = 0;
    Direction direction = Direction::center;
    auto const look = [&](int at, int extent, Direction before, Direction after) {
      if (at >= 0 && at < extent) return;
      ++outside;
      direction = at < 0 ? before : after;
    };
    look(p.i - begin.i, block.ni(), Direction::west, Direction::east);
    look(p.j - begin.j, block.nj(), Direction::south, Direction::north);
    look(p.k - begin.k, block.nk(), Direction::bottom, Direction::top);
    visit(p, outside == 1 ? direction : Direction::center);
  };
  for (int k = 0; k < grid.nk(); ++k) {
    for (int j = 0; j < grid.nj(); ++j) {
      // Of a line that goes through the grid block its ends alone.
      bool const through = block.contains({0, j - begin.j, k - begin.k});
      for (int i = 0; i < grid.ni(); ++i) {
        if (through && i == begin.i) i += block.ni();
        if (i < grid.ni()) visit_point({i, j, k});
      }
    }
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
