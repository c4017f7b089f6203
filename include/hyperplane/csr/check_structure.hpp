// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

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

/// Whether offsets, of which there are some, begin with 0 and end with the number of columns; or Error.
template <std::integral Offset>
void check_csr_ends(const char* plan, const std::vector<Offset>& offsets, const std::vector<int>& columns) {
  if (offsets.front() != 0) {
    fail(std::string(plan) + ": offsets[0] is " + std::to_string(offsets.front()) + ", expected 0");
  }
  if (!std::cmp_equal(offsets.back(), columns.size())) {
    fail(std::string(plan) + ": the last offset is " + std::to_string(offsets.back()) + ", but there are " +
         std::to_string(columns.size()) + " columns");
  }
}

/// Whether a column is a row; or Error.
inline void check_csr_column(const char* plan, std::int64_t row, int column, std::int64_t rows) {
  if (column < 0 || column >= rows) {
    fail(std::string(plan) + ": row " + std::to_string(row) + " has column " + std::to_string(column) +
         ", expected 0 to " + std::to_string(rows - 1));
  }
}

/// Whether the blocks of all rows are some of those that there are, in columns that are rows; or Error.
template <std::integral Offset>
void check_csr_structure(const char* plan, const std::vector<Offset>& offsets, const std::vector<int>& columns) {
  auto const rows = static_cast<std::int64_t>(offsets.size()) - 1;
  for (std::int64_t row = 0; row < rows; ++row) {
    auto const begin = offsets[as_size(row)], end = offsets[as_size(row) + 1];
    check_csr_row(plan, row, begin, end, static_cast<std::int64_t>(columns.size()));
    for (auto block = begin; block < end; ++block) {
      check_csr_column(plan, row, columns[static_cast<std::size_t>(block)], rows);
    }
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
