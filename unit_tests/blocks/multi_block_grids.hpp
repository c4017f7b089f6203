// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/axis_transform.hpp>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <string>
#include <utility>
#include <vector>

namespace hyperplane::test {

/// All 48 signed permutations.
inline std::vector<AxisTransform> all_transforms() {
  std::vector<AxisTransform> result;
  for (int a = -3; a <= 3; ++a) {
    for (int b = -3; b <= 3; ++b) {
      for (int c = -3; c <= 3; ++c) {
        if (AxisTransform const transform{{a, b, c}}; transform.valid()) result.push_back(transform);
      }
    }
  }
  return result;
}

/// The whole east face of a grid meets one of a grid of 4 points across it, whose axes lie as the transform says.
inline MultiBlockGrid joined_pair(const Grid& grid, const AxisTransform& transform) {
  // Extents of the donor, as the first grid's axes have them, and where its neighbour of (I-1, 0, 0) is.
  Point const extents = transform(Point{4, grid.nj(), grid.nk()});
  auto const positive = [](int extent) { return extent < 0 ? -extent : extent; };
  Point const begin{extents.i < 0 ? -extents.i - 1 : 0, extents.j < 0 ? -extents.j - 1 : 0,
                    extents.k < 0 ? -extents.k - 1 : 0};
  Grid const donor(positive(extents.i), positive(extents.j), positive(extents.k));
  Interface const interface{.block = 0,
                            .face = Direction::east,
                            .points = {{grid.ni() - 1, 0, 0}, {grid.ni(), grid.nj(), grid.nk()}},
                            .donor = 1,
                            .donor_begin = begin,
                            .transform = transform};
  return MultiBlockGrid({grid, donor}, {interface});
}

/// A grid block of one point in i between that of joined_pair() to the east and another one to the west.
inline MultiBlockGrid thin_between(const AxisTransform& transform) {
  auto const pair = joined_pair(Grid(1, 5, 2), transform);
  Interface const west{
      .block = 0, .face = Direction::west, .points = {{0, 0, 0}, {1, 5, 2}}, .donor = 2, .donor_begin = {3, 0, 0}};
  return MultiBlockGrid({pair.block(0), pair.block(1), Grid(4, 5, 2)}, {pair.interfaces(0).front(), west});
}

/// Two grid blocks of one point in j, 2 and 5 behind it, of which the second one's i runs backwards. Those to the south
/// of 2, 0 and 1, meet halves of its face; 3 and 4, to the north of 5, meet a third of its face, behind 1, and the
/// rest.
inline MultiBlockGrid thin_and_wide() {
  auto const meets = [](int block, Direction face, int begin, int end, int donor, const Point& donor_begin) {
    return Interface{.block = block,
                     .face = face,
                     .points = {{begin, 0, 0}, {end, 1, 2}},
                     .donor = donor,
                     .donor_begin = donor_begin};
  };
  auto between = meets(2, Direction::north, 0, 6, 5, {5, 0, 0});
  between.transform = {{-1, 2, 3}};
  return MultiBlockGrid(
      {Grid(3, 4, 2), Grid(3, 4, 2), Grid(6, 1, 2), Grid(2, 4, 2), Grid(4, 4, 2), Grid(6, 1, 2)},
      {meets(2, Direction::south, 0, 3, 0, {0, 3, 0}), meets(2, Direction::south, 3, 6, 1, {0, 3, 0}), between,
       meets(5, Direction::north, 0, 2, 3, {0, 0, 0}), meets(5, Direction::north, 2, 6, 4, {0, 0, 0})});
}

/// Grids that are awkward in many ways, by name.
inline std::vector<std::pair<std::string, MultiBlockGrid>> awkward_grids() {
  std::vector<std::pair<std::string, MultiBlockGrid>> grids;
  auto const add = [&](const std::string& name, const MultiBlockGrid& grid) { grids.emplace_back(name, grid); };
  add("one", MultiBlockGrid({Grid(5, 4, 3)}));
  add("without interfaces", MultiBlockGrid({Grid(5, 4, 3), Grid(1, 1, 1)}));
  add("cut along i", cut_grid(Grid(11, 5, 4), {2, 1, 1}).grid);
  add("cut along j", cut_grid(Grid(5, 19, 3), {1, 3, 1}).grid);
  add("cut along k", cut_grid(Grid(4, 9, 7), {1, 1, 3}).grid);
  add("cut along all", cut_grid(Grid(7, 12, 5), {2, 3, 2}).grid);
  add("one point each", cut_grid(Grid(3, 3, 2), {3, 3, 2}).grid);
  add("periodic, one block", cut_grid(Grid(6, 5, 4), {1, 1, 1}, {true, false, true}).grid);
  add("periodic, one point thick", cut_grid(Grid(1, 5, 4), {1, 1, 1}, {true, true, false}).grid);
  add("periodic, two blocks", cut_grid(Grid(6, 9, 4), {2, 1, 1}, {true, true, true}).grid);
  add("periodic, two points", cut_grid(Grid(2, 3, 2), {2, 1, 2}, {true, false, true}).grid);
  add("periodic, three blocks", cut_grid(Grid(5, 9, 3), {1, 3, 1}, {false, true, false}).grid);
  // A C-grid: the south face of its only block meets itself, both ends of it.
  add("C-grid", MultiBlockGrid({Grid(12, 5, 2)}, {{.block = 0,
                                                   .face = Direction::south,
                                                   .points = {{0, 0, 0}, {4, 1, 2}},
                                                   .donor = 0,
                                                   .donor_begin = {11, 0, 0},
                                                   .transform = {{-1, -2, 3}}}}));
  // Parts of faces.
  add("part of a face",
      MultiBlockGrid({Grid(4, 9, 3), Grid(3, 5, 2)},
                     {{.block = 0, .face = Direction::east, .points = {{3, 2, 1}, {4, 7, 3}}, .donor = 1}}));
  return grids;
}

}  // namespace hyperplane::test
