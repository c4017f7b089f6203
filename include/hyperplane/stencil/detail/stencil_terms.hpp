// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What products with blocks of this storage type are computed in: beside what 16 bits round, float rounds nothing.
template <class Scalar, class Storage>
using ProductScalar = std::conditional_t<ShortReal<Storage>, float, Scalar>;

/// The blocks of a point, and the units of its rows where they have some.
template <class Storage, int n>
inline constexpr double blocks_bytes = (7.0 * n * n + (ShortReal<Storage> ? n : 0)) * sizeof(Storage);

/// What a point of y = b - A x moves.
template <class Scalar, class Storage, int n>
inline constexpr double apply_bytes = blocks_bytes<Storage, n> + 3.0 * n * sizeof(Scalar);

/// What a point of y = A x moves, or of a product that is taken from b.
template <class Scalar, class Storage, int n>
constexpr double product_bytes(bool from_b) {
  return blocks_bytes<Storage, n> + (from_b ? 3.0 : 2.0) * n * sizeof(Scalar);
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
