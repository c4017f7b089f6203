// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/box.hpp>
#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// A grid that is cut into boxes, or one whose ends meet.
struct CutGrid {
  MultiBlockGrid grid;
  /// Where each grid block is in the whole grid; i fastest.
  std::vector<Box> boxes;
};

/// Cuts a grid into parts[0] x parts[1] x parts[2] boxes along i, j and k, as even as possible, with an interface
/// wherever two of them meet. In periodic directions the last points are neighbours of the first. Throws Error where a
/// direction has fewer points than parts.
inline CutGrid cut_grid(const Grid& whole, const std::array<int, 3>& parts,
                        const std::array<bool, 3>& periodic = {false, false, false}) {
  std::array<int, 3> const points{whole.ni(), whole.nj(), whole.nk()};
  for (std::size_t d = 0; d < 3; ++d) {
    if (parts[d] >= 1 && parts[d] <= points[d]) continue;
    fail("cut_grid: " + std::to_string(parts[d]) + " parts of " + std::to_string(points[d]) + " points along " +
         "ijk"[d] + " of a grid of " + to_string(whole) + " points");
  }
  auto const begin = [&](std::size_t d, int part) {
    return static_cast<int>(std::int64_t{points[d]} * part / parts[d]);
  };
  auto const number = [&](int a, int b, int c) { return a + parts[0] * (b + parts[1] * c); };
  std::vector<Grid> blocks;
  std::vector<Box> boxes;
  std::vector<Interface> interfaces;
  for (int c = 0; c < parts[2]; ++c) {
    for (int b = 0; b < parts[1]; ++b) {
      for (int a = 0; a < parts[0]; ++a) {
        Box const box{{begin(0, a), begin(1, b), begin(2, c)}, {begin(0, a + 1), begin(1, b + 1), begin(2, c + 1)}};
        Grid const block(box.end.i - box.begin.i, box.end.j - box.begin.j, box.end.k - box.begin.k);
        boxes.push_back(box);
        blocks.push_back(block);
        std::array<int, 3> const place{a, b, c};
        for (std::size_t d = 0; d < 3; ++d) {
          if (place[d] + 1 == parts[d] && !periodic[d]) continue;
          std::array<int, 3> next = place;
          next[d] = (place[d] + 1) % parts[d];
          constexpr std::array<Direction, 3> faces{Direction::east, Direction::north, Direction::top};
          Interface interface{.block = number(a, b, c), .face = faces[d], .donor = number(next[0], next[1], next[2])};
          interface.points = detail::face_layer(block, interface.face);
          interfaces.push_back(interface);
        }
      }
    }
  }
  return {MultiBlockGrid(std::move(blocks), interfaces), std::move(boxes)};
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
