// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <hyperplane/grid/folded_order.hpp>
#include <hyperplane/grid/grid.hpp>
#include <string>
#include <vector>

/// Orders of points with folded directions, from their definition.
namespace hyperplane::test {

/// 0, extent - 1, 1, extent - 2, ..., or 0, 1, 2, ...
inline std::vector<int> direction_order(int extent, bool folded) {
  std::vector<int> order;
  for (int first = 0, last = extent - 1; first <= last;) {
    order.push_back(first++);
    if (folded && first <= last) order.push_back(last--);
  }
  return order;
}

/// Point numbers, k outermost.
inline std::vector<std::int64_t> folded_order(const Grid& grid, const FoldedDirections& folded) {
  std::vector<std::int64_t> order;
  for (int const k : direction_order(grid.nk(), folded.k)) {
    for (int const j : direction_order(grid.nj(), folded.j)) {
      for (int const i : direction_order(grid.ni(), folded.i)) order.push_back(grid.index(i, j, k));
    }
  }
  return order;
}

/// All of them, the natural order last.
inline std::vector<FoldedDirections> foldings() {
  std::vector<FoldedDirections> result;
  for (int bits = 7; bits >= 0; --bits) result.push_back({(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0});
  return result;
}

/// "ik"
inline std::string letters(const FoldedDirections& folded) {
  return std::string(folded.i ? "i" : "") + (folded.j ? "j" : "") + (folded.k ? "k" : "");
}

}  // namespace hyperplane::test
