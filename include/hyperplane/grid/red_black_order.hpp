// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/grid.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI {

/// Numbers of points where all red ones (i + j + k even) come before all black ones, each color in natural order; in
/// closed form. Trivially copyable, callable in kernels.
class RedBlackOrder {
 public:
  constexpr explicit RedBlackOrder(const Grid& grid) : m_grid(grid) {}

  HYPERPLANE_FUNCTION constexpr const Grid& grid() const { return m_grid; }

  /// Red points of the grid.
  HYPERPLANE_FUNCTION constexpr std::int64_t reds() const { return (m_grid.size() + 1) / 2; }

  HYPERPLANE_FUNCTION constexpr std::int64_t index(const Point& p) const {
    // Lines along i alternate between those that begin with a red point and those that begin with a black one, in every
    // layer and, if J is odd, from layer to layer too. The former have one more red point if I is odd.
    std::int64_t const rows = p.j + std::int64_t{m_grid.nj()} * p.k;
    std::int64_t const in_layer = (p.j + (p.k % 2 == 0 ? 1 : 0)) / 2;
    std::int64_t const rows_from_red =
        m_grid.nj() % 2 == 0 ? std::int64_t{m_grid.nj() / 2} * p.k + in_layer : (rows + 1) / 2;
    bool const from_red = (p.j + p.k) % 2 == 0;
    std::int64_t const reds_before =
        rows * (m_grid.ni() / 2) + (m_grid.ni() % 2) * rows_from_red + (p.i + (from_red ? 1 : 0)) / 2;
    bool const red = from_red == (p.i % 2 == 0);
    return red ? reds_before : reds() + m_grid.index(p) - reds_before;
  }

 private:
  Grid m_grid;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
