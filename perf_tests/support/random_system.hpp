// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace hyperplane::perf {

/// A diagonally dominant block seven-point system with random coefficients, given entry by entry as a function of the
/// place, so that every library gets the same values in its own layout and none has to be stored. Coefficients are
/// multiples of 2^-16 below 256: exact in float as well as in double.
class RandomSystem {
 public:
  RandomSystem(const Grid& grid, int n) : m_grid(grid), m_n(n) {}

  KOKKOS_FUNCTION const Grid& grid() const { return m_grid; }
  KOKKOS_FUNCTION int block_size() const { return m_n; }

  /// Entry (r, c) of a block at (i, j, k); also for blocks that point outside the grid, which a solver must ignore.
  KOKKOS_FUNCTION double coefficient(int i, int j, int k, Direction direction, int r, int c) const {
    auto const block = m_grid.index(i, j, k) * stencil7_size + static_cast<int>(direction);
    double const value = random((block * m_n + r) * m_n + c);
    return direction == Direction::center && r == c ? value + 7.0 * m_n : value;
  }

  KOKKOS_FUNCTION double rhs(int i, int j, int k, int c) const {
    return random(-1 - (m_grid.index(i, j, k) * m_n + c));
  }

 private:
  /// Uniform in [-1, 1); the finalizer of splitmix64 as a hash of the counter.
  KOKKOS_FUNCTION static double random(std::int64_t counter) {
    auto bits = static_cast<std::uint64_t>(counter) * 0x9e3779b97f4a7c15u;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    bits ^= bits >> 31;
    return (static_cast<double>(bits >> 47) - 65536.0) / 65536.0;
  }

  Grid m_grid;
  int m_n;
};

}  // namespace hyperplane::perf
