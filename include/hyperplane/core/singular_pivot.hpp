// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/dispatch.hpp>
#include <hyperplane/core/macros.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What kernels record of a point where a factorization fails: the column in which elimination stopped, or that
/// factors are too large to be stored. Which is a symptom: a diagnosis follows, see SingularPivotRecord.
inline constexpr int unstorable_code = max_block_size;
inline constexpr int pivot_codes = 2 * max_block_size;

/// Point and code as one word: the lowest is the first one, by point number, then by code. Kernels lower the record of
/// a factorization to it by an atomic minimum.
HYPERPLANE_FUNCTION constexpr std::uint64_t singular_pivot_word(std::int64_t point_number, int code) {
  return static_cast<std::uint64_t>(point_number) * pivot_codes + static_cast<std::uint64_t>(code);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
