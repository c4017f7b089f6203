// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "serial_reference.hpp"

namespace hyperplane::test {

/// x = M^-1 rhs for SSOR by its definition, M = w / (2 - w) (D/w + L) D^-1 (D/w + U): one triangular solve, a product
/// with D, the other triangular solve.
inline std::vector<double> reference_ssor(const ReferenceStencil& a, double w, const std::vector<double>& rhs) {
  int const n = a.n;
  std::vector<double> x(rhs.size(), 0.0);
  auto const block_of = [&](const std::vector<double>& v, std::int64_t p) {
    return std::vector<double>(v.begin() + p * n, v.begin() + (p + 1) * n);
  };
  // x[p] = (D/w)^-1 (right - the blocks in these directions times x)
  auto const relax = [&](std::int64_t p, std::vector<double> right, std::initializer_list<Direction> directions) {
    for (auto const d : directions) {
      Point const other = neighbour(a.grid.point(p), d);
      if (!a.grid.contains(other)) continue;
      auto const product = a.block(p, d) * block_of(x, a.grid.index(other));
      for (int c = 0; c < n; ++c) right[c] -= product[c];
    }
    auto const solution = inverse(a.block(p, Direction::center)) * right;
    for (int c = 0; c < n; ++c) x[p * n + c] = w * solution[c];
  };
  for (std::int64_t p = 0; p < a.grid.size(); ++p) {
    auto right = block_of(rhs, p);
    for (auto& value : right) value *= (2 - w) / w;
    relax(p, right, {Direction::bottom, Direction::south, Direction::west});
  }
  for (std::int64_t p = a.grid.size() - 1; p >= 0; --p) {
    relax(p, a.block(p, Direction::center) * block_of(x, p), {Direction::top, Direction::north, Direction::east});
  }
  return x;
}

}  // namespace hyperplane::test
