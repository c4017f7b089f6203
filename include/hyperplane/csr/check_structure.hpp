// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

/// Plans look at the arrays of a BlockCsr that a caller shares, which nobody has looked at before.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Whether a row's blocks begin, ..., end - 1 are some of those that there are; or Error.
template <std::integral Offset>
void check_csr_row(const char* plan, std::int64_t row, Offset begin, Offset end, std::int64_t blocks) {
  if (std::cmp_less(begin, 0) || end < begin || std::cmp_greater(end, blocks)) {
    fail(std::string(plan) + ": row " + std::to_string(row) + " has blocks " + std::to_string(begin) + " to " +
         std::to_string(end) + " of " + std::to_string(blocks));
  }
}

/// Whether a column is a row; or Error.
inline void check_csr_column(const char* plan, std::int64_t row, int column, std::int64_t rows) {
  if (column < 0 || column >= rows) {
    fail(std::string(plan) + ": row " + std::to_string(row) + " has column " + std::to_string(column) +
         ", expected 0 to " + std::to_string(rows - 1));
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
