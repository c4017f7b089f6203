// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/grid.hpp>

#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Throws Error, which names the function and the argument, where the argument is on another grid than expected.
inline void check_grid(const char* function, const char* argument, const Grid& grid, const Grid& expected) {
  if (!(grid == expected)) {
    fail(std::string(function) + ": " + argument + " is on a grid of " + to_string(grid) + " points, expected " +
         to_string(expected));
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
