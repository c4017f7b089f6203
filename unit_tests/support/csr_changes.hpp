// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "csr_reference.hpp"

namespace hyperplane::test {

struct Change {
  std::string what;
  int row;  ///< the first that is another one
  ReferenceCsr to;
};

/// Structures with as many rows and blocks as the matrix, whose rows have diagonal blocks. `first_row` has several.
inline std::vector<Change> changes_of(const ReferenceCsr& a, int first_row) {
  std::vector<Change> result;
  int const last_row = static_cast<int>(a.offsets.size()) - 2;
  auto const begin = static_cast<std::size_t>(a.offsets[first_row]),
             end = static_cast<std::size_t>(a.offsets[first_row + 1]);
  result.push_back({"two columns change places", first_row, a});
  std::swap(result.back().to.columns[begin], result.back().to.columns[end - 1]);
  result.push_back({"a block that is not on the diagonal moves", first_row, a});
  auto const at = a.columns[begin] == first_row ? begin + 1 : begin;
  int free_column = 0;
  auto const is_taken = [&] {
    return std::find(a.columns.begin() + a.offsets[first_row], a.columns.begin() + a.offsets[first_row + 1],
                     free_column) != a.columns.begin() + a.offsets[first_row + 1];
  };
  while (is_taken()) ++free_column;
  result.back().to.columns[at] = free_column;
  result.push_back({"the row gets the first block of the next one", first_row, a});
  ++result.back().to.offsets[first_row + 1];
  result.push_back({"the last row", last_row, a});
  std::swap(result.back().to.columns.back(), result.back().to.columns[result.back().to.columns.size() - 2]);
  return result;
}

}  // namespace hyperplane::test
