// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/axis_transform.hpp>
#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// Whether a face is on the side of higher i, j or k.
constexpr bool is_high(Direction face) {
  return face == Direction::east || face == Direction::north || face == Direction::top;
}

[[noreturn]] inline void refuse_natural_order(const Interface& interface, const std::string& why) {
  fail("coupling natural is for parts of one box, but at the " + to_string(interface) + ", " + why);
}

/// Where the grid blocks are that grid block `first` is joined to, in its indices: added to `begins`. Throws Error
/// where they are no parts of one box.
inline void place_joined_blocks(const MultiBlockGrid& grid, int first, std::vector<std::optional<Point>>& begins) {
  begins[as_size(first)] = Point{0, 0, 0};
  std::vector<int> found{first};
  for (std::size_t next = 0; next < found.size(); ++next) {
    for (auto const& interface : grid.interfaces(found[next])) {
      if (interface.transform != AxisTransform{}) {
        refuse_natural_order(interface, "axes change: " + to_string(interface.transform));
      }
      Point const own = *begins[as_size(interface.block)];
      Point const step = offset(interface.face), from = interface.points.begin, to = interface.donor_begin;
      Point const begin{own.i + from.i + step.i - to.i, own.j + from.j + step.j - to.j, own.k + from.k + step.k - to.k};
      auto& known = begins[as_size(interface.donor)];
      if (!known) {
        known = begin;
        found.push_back(interface.donor);
      } else if (!(*known == begin)) {
        refuse_natural_order(interface, "grid block " + std::to_string(interface.donor) +
                                            " is also somewhere else: a direction is periodic, or the grid is bent");
      }
    }
  }
}

}  // namespace detail

/// For each grid block a number that is higher than those of its neighbours of lower i, j and k: colours with which
/// Coupling::coloured has the order that the points of the whole box have. In parts[0] x parts[1] x parts[2] parts
/// there are parts[0] + parts[1] + parts[2] - 2 of them. Throws Error where an interface changes axes, where a grid
/// block would be in two places, as in periodic directions, and where grid blocks lie before one another in a circle.
inline std::vector<int> find_natural_order(const MultiBlockGrid& grid) {
  auto const count = detail::as_size(grid.block_count());
  std::vector<std::optional<Point>> begins(count);
  for (int b = 0; b < grid.block_count(); ++b) {
    if (!begins[detail::as_size(b)]) detail::place_joined_blocks(grid, b, begins);
  }
  // The longest way to each from one that has no lower neighbour.
  std::vector<int> numbers(count, 0), lower(count, 0), ready;
  auto const for_higher = [&](int b, const auto& use) {
    for (auto const& interface : grid.interfaces(b)) {
      if (detail::is_high(interface.face)) use(interface.donor);
    }
  };
  for (int b = 0; b < grid.block_count(); ++b) for_higher(b, [&](int donor) { ++lower[detail::as_size(donor)]; });
  for (int b = 0; b < grid.block_count(); ++b) {
    if (lower[detail::as_size(b)] == 0) ready.push_back(b);
  }
  for (std::size_t next = 0; next < ready.size(); ++next) {
    int const b = ready[next];
    for_higher(b, [&](int donor) {
      auto& number = numbers[detail::as_size(donor)];
      number = std::max(number, numbers[detail::as_size(b)] + 1);
      if (--lower[detail::as_size(donor)] == 0) ready.push_back(donor);
    });
  }
  if (ready.size() != count) {
    auto const one = std::ranges::find_if(lower, [](int left) { return left > 0; }) - lower.begin();
    fail("coupling natural: grid blocks lie before one another in a circle, grid block " + std::to_string(one) +
         " among them");
  }
  return numbers;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
