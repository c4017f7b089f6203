// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/detail/face_axes.hpp>
#include <hyperplane/blocks/detail/place_blocks.hpp>
#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// For each grid block a number that is higher than those of its neighbours of lower i, j and k: colours with which
/// Coupling::coloured has the order that the points of the whole box have. In parts[0] x parts[1] x parts[2] parts
/// there are parts[0] + parts[1] + parts[2] - 2 of them. In a periodic direction the last points of the box are
/// neighbours of the first, and come after them: the box begins with the grid block of the lowest number, or with the
/// first one at whose beginning none lies across. Throws Error where an interface changes axes, where grid blocks do
/// not lie side by side, and where they lie before one another in a circle.
inline std::vector<int> find_natural_order(const MultiBlockGrid& grid) {
  auto const count = detail::as_size(grid.block_count());
  auto const begins = detail::place_blocks(grid);
  // The longest way to each from one that has no lower neighbour. A grid block that meets itself does not count.
  std::vector<int> numbers(count, 0), lower(count, 0), ready;
  auto const for_higher = [&](int b, const auto& use) {
    for (auto const& interface : grid.interfaces(b)) {
      Point const own = begins[detail::as_size(b)], donor = begins[detail::as_size(interface.donor)];
      int const across = detail::face_axes(interface.face).across;
      if (detail::along(donor, across) > detail::along(own, across)) use(interface.donor);
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

namespace detail {

/// Whether numbers of grid blocks rise along i, j and k at all interfaces between two of them, as those of
/// find_natural_order() do where no direction is periodic.
inline bool rises_along_axes(const MultiBlockGrid& grid, const std::vector<int>& numbers) {
  return std::ranges::all_of(grid.interfaces(), [&](const Interface& interface) {
    int const own = numbers[as_size(interface.block)], donor = numbers[as_size(interface.donor)];
    return interface.block == interface.donor || (donor > own) == (interface.face > Direction::center);
  });
}

}  // namespace detail
}  // namespace hyperplane::inline HYPERPLANE_ABI
