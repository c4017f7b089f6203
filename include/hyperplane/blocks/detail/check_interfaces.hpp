// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/box.hpp>
#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The layer of points next to a side of a grid.
constexpr Box face_layer(const Grid& grid, Direction face) {
  Box layer = Box::of(grid);
  switch (face) {
    case Direction::west: layer.end.i = 1; break;
    case Direction::east: layer.begin.i = grid.ni() - 1; break;
    case Direction::south: layer.end.j = 1; break;
    case Direction::north: layer.begin.j = grid.nj() - 1; break;
    case Direction::bottom: layer.end.k = 1; break;
    case Direction::top: layer.begin.k = grid.nk() - 1; break;
    case Direction::center: break;
  }
  return layer;
}

constexpr Box intersection(const Box& a, const Box& b) {
  auto const low = [](int x, int y) { return x < y ? y : x; };
  auto const high = [](int x, int y) { return x < y ? x : y; };
  return {{low(a.begin.i, b.begin.i), low(a.begin.j, b.begin.j), low(a.begin.k, b.begin.k)},
          {high(a.end.i, b.end.i), high(a.end.j, b.end.j), high(a.end.k, b.end.k)}};
}

[[noreturn]] inline void refuse(const Interface& interface, const std::string& why) {
  fail("MultiBlockGrid: interface at the " + to_string(interface) + ": " + why);
}

inline void check_interface(std::span<const Grid> blocks, const Interface& interface) {
  auto const count = static_cast<int>(blocks.size());
  auto const require_block = [&](int number, const char* what) {
    if (number >= 0 && number < count) return;
    refuse(interface, std::string(what) + std::to_string(number) + " does not exist, there are " +
                          std::to_string(count) + " grid blocks");
  };
  require_block(interface.block, "grid block ");
  require_block(interface.donor, "donor ");
  if (static_cast<int>(interface.face) < 0 || static_cast<int>(interface.face) >= stencil7_size ||
      interface.face == Direction::center) {
    refuse(interface, "a face is one of west, east, south, north, bottom and top");
  }
  if (!interface.transform.valid()) {
    refuse(interface, "transform " + to_string(interface.transform) + " is not a signed permutation of 1, 2, 3");
  }
  if (interface.points.empty()) refuse(interface, "there are no points");
  const Grid& grid = blocks[as_size(interface.block)];
  Box const layer = face_layer(grid, interface.face);
  if (!(intersection(interface.points, layer) == interface.points)) {
    refuse(interface, "the points are not in the layer " + to_string(layer) + " next to that face of a grid of " +
                          to_string(grid) + " points");
  }
  const Grid& donor = blocks[as_size(interface.donor)];
  if (!donor.contains(interface.donor_begin)) {
    auto const& [i, j, k] = interface.donor_begin;
    refuse(interface, "donor_begin (" + std::to_string(i) + ", " + std::to_string(j) + ", " + std::to_string(k) +
                          ") is no point of donor " + std::to_string(interface.donor) + ", a grid of " +
                          to_string(donor) + " points");
  }
  Box const donors = interface.donor_points();
  Box const donor_layer = face_layer(donor, interface.donor_face());
  if (!(intersection(donors, donor_layer) == donors)) {
    refuse(interface, "by transform " + to_string(interface.transform) + " the neighbours are the points " +
                          to_string(donors) + " of donor " + std::to_string(interface.donor) +
                          ", which are not in the layer " + to_string(donor_layer) + " next to its " +
                          name(interface.donor_face()) + " face (a grid of " + to_string(donor) + " points)");
  }
}

/// Of a face that is folded onto itself: no point may be its own neighbour.
inline void check_own_neighbours(const Interface& interface) {
  auto const& [begin, end] = interface.points;
  for (int k = begin.k; k < end.k; ++k) {
    for (int j = begin.j; j < end.j; ++j) {
      for (int i = begin.i; i < end.i; ++i) {
        Point const p{i, j, k};
        if (!(interface.donor_point(p) == p)) continue;
        refuse(interface, "point (" + std::to_string(i) + ", " + std::to_string(j) + ", " + std::to_string(k) +
                              ") is its own neighbour");
      }
    }
  }
}

/// Every interface from both sides, by grid block, face and range. Throws Error as MultiBlockGrid says.
inline std::vector<Interface> both_sides(std::span<const Grid> blocks, const std::vector<Interface>& given) {
  std::vector<Interface> all;
  for (auto const& interface : given) {
    check_interface(blocks, interface);
    all.push_back(interface);
    all.push_back(interface.reversed());
  }
  auto const place = [](const Interface& i) {
    auto const& [begin, end] = i.points;
    return std::tuple(i.block, static_cast<int>(i.face), begin.k, begin.j, begin.i, end.k, end.j, end.i);
  };
  std::ranges::sort(all, {}, place);
  // What was given from both sides is there twice.
  all.erase(std::ranges::unique(all).begin(), all.end());
  for (auto first = all.begin(); first != all.end(); ++first) {
    for (auto second = first + 1; second != all.end(); ++second) {
      if (second->block != first->block || second->face != first->face) break;
      if (second->points.begin.k >= first->points.end.k) break;
      Box const common = intersection(first->points, second->points);
      if (common.empty()) continue;
      refuse(*first, "points " + to_string(common) + " are also in the interface of points " +
                         to_string(second->points) + " with donor " + std::to_string(second->donor) +
                         " (an interface that is given from both sides has to be the same from both)");
    }
    if (first->donor == first->block && first->donor_face() == first->face) check_own_neighbours(*first);
  }
  return all;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
