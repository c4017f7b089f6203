// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstddef>
#include <cstdint>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <vector>

#include "dense_matrix.hpp"

/// Random systems as functions of the place, so that kernels assemble them, and none has to be stored.
namespace hyperplane::test {

/// Uniform in [-1, 1), a function of a seed and a counter: the finalizer of splitmix64.
KOKKOS_FUNCTION inline double random_value(unsigned seed, std::int64_t counter) {
  auto bits = static_cast<std::uint64_t>(counter) * 0x9e3779b97f4a7c15u + seed * std::uint64_t{0xd1342543de82ef95u};
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  bits ^= bits >> 31;
  return static_cast<double>(bits >> 11) / 4503599627370496.0 - 1.0;
}

inline std::vector<double> random_vector(std::int64_t size, unsigned seed = 2) {
  std::vector<double> x(static_cast<std::size_t>(size));
  for (std::int64_t e = 0; e < size; ++e) x[static_cast<std::size_t>(e)] = random_value(seed, e);
  return x;
}

/// A block seven-point matrix with random entries in [-1, 1), and a right-hand side. `dominance` * n is added to an
/// entry of the diagonal that is positive, and subtracted from one that is negative: from 7 on, every row is dominated
/// by its diagonal.
struct RandomSystem {
  Grid grid;
  int n;
  double dominance = 7.0;
  unsigned seed = 1;

  /// Entry (r, c) of a block at (i, j, k); also of blocks that point outside the grid, which a solver must ignore.
  KOKKOS_FUNCTION double coefficient(const Point& p, Direction direction, int r, int c) const {
    auto const block = grid.index(p) * stencil7_size + static_cast<int>(direction);
    double const value = random_value(seed, (block * n + r) * n + c);
    if (direction != Direction::center || r != c) return value;
    return value + (value < 0.0 ? -dominance : dominance) * n;
  }
  DenseMatrix block(std::int64_t point, Direction direction) const {
    DenseMatrix result(n);
    Point const p = grid.point(point);
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) result(r, c) = coefficient(p, direction, r, c);
    }
    return result;
  }

  KOKKOS_FUNCTION double rhs(const Point& p, int c) const { return random_value(seed + 1, grid.index(p) * n + c); }
  std::vector<double> rhs() const { return random_vector(grid.size() * n, seed + 1); }
};

}  // namespace hyperplane::test
