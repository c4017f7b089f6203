// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>

#include <algorithm>
#include <cstddef>
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

/// Rows that subtract from the same places, or add to them, do it one after the other: what they need, where the
/// `givers` of each place are known. `take`: the places are rows themselves, which need all who give to them.
inline RowNeeds needs_of_givers(const RowNeeds& givers, bool take) {
  std::vector<std::vector<int>> before(detail::as_size(givers.count()));
  for (int place = 0; place < givers.count(); ++place) {
    auto const rows = givers.of(place);
    if (take) before[detail::as_size(place)].insert(before[detail::as_size(place)].end(), rows.begin(), rows.end());
    for (std::size_t e = 1; e < rows.size(); ++e) {
      if (rows[e] != rows[e - 1]) before[detail::as_size(rows[e])].push_back(rows[e - 1]);
    }
  }
  RowNeeds result;
  for (auto& rows : before) {
    std::ranges::sort(rows);
    result.rows.insert(result.rows.end(), rows.begin(), std::unique(rows.begin(), rows.end()));
    result.begin.push_back(static_cast<std::int64_t>(result.rows.size()));
  }
  return result;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::host
