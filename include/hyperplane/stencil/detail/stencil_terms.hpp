// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/stencil7.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What a point of y = b - A x moves.
template <class Scalar, class Storage, int n>
inline constexpr double apply_bytes = 7.0 * n * n * sizeof(Storage) + 3.0 * n * sizeof(Scalar);

/// What a point of y = A x moves, or of a product that is taken from b.
template <class Scalar, class Storage, int n>
constexpr double product_bytes(bool from_b) {
  return 7.0 * n * n * sizeof(Storage) + (from_b ? 3.0 : 2.0) * n * sizeof(Scalar);
}

/// Which of the seven products a kernel takes: all of them.
struct AllTerms {
  HYPERPLANE_FUNCTION static constexpr bool has(Direction) { return true; }
};

/// Those that leave a grid line: neither the diagonal block nor the two along the line.
struct OffLineTerms {
  Direction m_lower;  ///< the neighbour before a point on its line

  HYPERPLANE_FUNCTION constexpr bool has(Direction direction) const {
    return direction != Direction::center && direction != m_lower && direction != opposite(m_lower);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
