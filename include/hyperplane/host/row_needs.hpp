// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::host {

/// Which rows the rows of a recursion need: row r those of `rows` from begin[r] to begin[r + 1] - 1, which all come
/// before it, rising.
struct RowNeeds {
  std::vector<std::int64_t> begin{0};
  std::vector<int> rows{};

  int count() const { return static_cast<int>(begin.size()) - 1; }
  std::span<const int> of(int row) const {
    return {rows.data() + begin[detail::as_size(row)], rows.data() + begin[detail::as_size(row) + 1]};
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::host
