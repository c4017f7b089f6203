// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "random_system.hpp"
#include "serial_reference.hpp"

/// Masks, and what they do to a matrix and a vector, by the definition.
namespace hyperplane::test {

using Mask = std::vector<std::int8_t>;

/// Points in the way of a flow: a box, some scattered points, and negative values for others, which are not masked.
inline Mask mask_of(const Grid& grid) {
  auto const values = random_vector(grid.size());
  Mask mask(grid.size());
  for (std::int64_t p = 0; p < grid.size(); ++p) {
    auto const [i, j, k] = grid.point(p);
    bool const in_box = i < grid.ni() / 2 && j >= grid.nj() / 3 && 2 * j < grid.nj() + 2 && k <= grid.nk() / 2;
    mask[p] = in_box || values[p] > 0.7 ? 0 : values[p] < 0 ? -1 : 1;
  }
  return mask;
}

/// Masks of a grid by name: all kinds of places.
inline std::vector<std::pair<std::string, Mask>> masks_of(const Grid& grid) {
  Mask const none(grid.size(), 1), all(grid.size(), 0);
  auto faces = none, first = none, last = none;
  for (std::int64_t p = 0; p < grid.size(); ++p) {
    auto const [i, j, k] = grid.point(p);
    if (i == 0 || j + 1 == grid.nj() || k + 1 == grid.nk()) faces[p] = 0;
  }
  first.front() = 0;
  last.back() = 0;
  return {{"none", none}, {"all", all}, {"faces", faces}, {"first", first}, {"last", last}, {"body", mask_of(grid)}};
}

/// Calls `block(p, d)` for the blocks of the rows of masked points, and of others towards them.
template <class Use>
void for_masked_blocks(const Grid& grid, const Mask& mask, const std::array<bool, 3>& periodic, const Use& use) {
  for (std::int64_t p = 0; p < grid.size(); ++p) {
    for (auto const d : stencil7_directions) {
      Point q = neighbour(grid.point(p), d);
      if (periodic[0]) q.i = (q.i + grid.ni()) % grid.ni();
      if (periodic[1]) q.j = (q.j + grid.nj()) % grid.nj();
      if (periodic[2]) q.k = (q.k + grid.nk()) % grid.nk();
      if (mask[p] == 0 || (grid.contains(q) && mask[grid.index(q)] == 0)) use(p, d);
    }
  }
}

/// Unit rows at masked points, and zeros for them in the other rows.
inline ReferenceStencil without_masked(ReferenceStencil a, const Mask& mask, const std::array<bool, 3>& periodic = {}) {
  for_masked_blocks(a.grid, mask, periodic, [&](std::int64_t p, Direction d) {
    a.block(p, d) = d == Direction::center ? identity(a.n) : DenseMatrix(a.n);
  });
  return a;
}

/// Not a number in all that has to be ignored.
inline ReferenceStencil with_nonsense(ReferenceStencil a, const Mask& mask, const std::array<bool, 3>& periodic = {}) {
  for_masked_blocks(a.grid, mask, periodic, [&](std::int64_t p, Direction d) {
    for (auto& entry : a.block(p, d).entries) entry = std::numeric_limits<double>::quiet_NaN();
  });
  return a;
}

/// The same of a vector.
inline std::vector<double> with_value(std::vector<double> x, const Mask& mask, double value) {
  auto const n = x.size() / mask.size();
  for (std::size_t e = 0; e < x.size(); ++e) {
    if (mask[e / n] == 0) x[e] = value;
  }
  return x;
}

}  // namespace hyperplane::test
