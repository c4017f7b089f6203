// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
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
  auto const for_pairs = [&](const auto& visit) {
    for (int place = 0; place < givers.count(); ++place) {
      auto const rows = givers.of(place);
      for (std::size_t e = 0; e < rows.size(); ++e) {
        if (take) visit(place, rows[e]);
        if (e > 0 && rows[e] != rows[e - 1]) visit(rows[e], rows[e - 1]);
      }
    }
  };
  RowNeeds result;
  result.begin.assign(detail::as_size(givers.count()) + 1, 0);
  for_pairs([&](int row, int) { ++result.begin[detail::as_size(row) + 1]; });
  std::partial_sum(result.begin.begin(), result.begin.end(), result.begin.begin());
  result.rows.resize(detail::as_size(result.begin.back()));
  auto next = result.begin;
  for_pairs([&](int row, int needed) { result.rows[detail::as_size(next[detail::as_size(row)]++)] = needed; });
  // Those of several places come once.
  auto kept = result.rows.begin();
  for (int row = 0; row < result.count(); ++row) {
    auto const first = result.rows.begin() + result.begin[detail::as_size(row)];
    auto const end = result.rows.begin() + next[detail::as_size(row)];
    std::sort(first, end);
    result.begin[detail::as_size(row)] = kept - result.rows.begin();
    kept = std::unique_copy(first, end, kept);
  }
  result.begin.back() = kept - result.rows.begin();
  result.rows.erase(kept, result.rows.end());
  return result;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::host
