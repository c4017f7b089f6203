// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/dispatch.hpp>
#include <hyperplane/core/macros.hpp>

#include <cstdint>

namespace hyperplane::detail {

/// Where a singular pivot is, as one word: the lowest is the first one, by point number, then by equation. Kernels
/// lower the record of a factorization to it by an atomic minimum.
HYPERPLANE_FUNCTION constexpr std::uint64_t singular_pivot_word(std::int64_t point_number, int equation) {
  return static_cast<std::uint64_t>(point_number) * max_block_size + static_cast<std::uint64_t>(equation);
}

}  // namespace hyperplane::detail
