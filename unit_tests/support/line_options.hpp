// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/line/block_tridiagonal.hpp>
#include <string>
#include <vector>

#include "execution_spaces.hpp"

namespace hyperplane::test {

/// Every path of BlockTridiagonal with blocks of n unknowns, or of all sizes, and on LinePath::staged each width of
/// loads too.
template <class Exec>
std::vector<BlockTridiagonalOptions> line_options_of(int n = max_block_size) {
  std::vector<BlockTridiagonalOptions> result;
  for (auto const path : line_paths_of<Exec>(n)) {
    result.push_back({.path = path});
    if (path != LinePath::staged) continue;
    for (int const bits : {64, 128}) result.push_back({.path = path, .load_bits = bits});
  }
  return result;
}

inline std::string describe(const BlockTridiagonalOptions& options) {
  return std::string("path ") + name(options.path) +
         (options.load_bits ? ", loads of " + std::to_string(*options.load_bits) + " bits" : "");
}

}  // namespace hyperplane::test
