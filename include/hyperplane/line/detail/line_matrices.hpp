// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/check_grid.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/line/block_tridiagonal_matrix.hpp>
#include <hyperplane/line/detail/line_factors.hpp>
#include <hyperplane/line/line_set.hpp>

#include <array>
#include <string>

/// What BlockTridiagonal and LineJacobi take as matrices and vectors.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// First entries of the lower, the diagonal and the upper block among the `entries` of a point.
struct LineEntries {
  int entries;
  std::array<int, line_blocks> first;
};

/// In BlockStencil7, along a direction.
template <int n>
LineEntries stencil_line_entries(LineDirection direction) {
  auto const entry = [](Direction of) { return static_cast<int>(of) * n * n; };
  return {stencil7_size * n * n,
          {entry(lower_neighbour(direction)), entry(Direction::center), entry(upper_neighbour(direction))}};
}

/// In BlockTridiagonalMatrix.
template <int n>
LineEntries matrix_line_entries() {
  return {line_blocks * n * n, {0, n * n, 2 * n * n}};
}

template <class Storage, class Places>
LineMatrix<Storage, Places> make_line_matrix(const Storage* data, const Places& places, const LineEntries& of) {
  return {data, places, of.entries, {of.first[0], of.first[1], of.first[2]}};
}

/// Throws Error, naming function and argument, unless the lines are grid lines of the grid.
inline void check_line_grid(const char* function, const char* argument, const Grid& grid, const LineSet& lines) {
  auto const& grid_of_lines = lines.grid();
  if (!grid_of_lines) {
    fail(std::string(function) + ": " + argument + " is on a grid, but the lines are " +
         (lines.on_grids() ? "on several" : "not"));
  }
  check_grid(function, argument, grid, *grid_of_lines);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
