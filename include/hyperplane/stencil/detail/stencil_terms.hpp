// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/stencil7.hpp>

namespace hyperplane::detail {

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

}  // namespace hyperplane::detail
