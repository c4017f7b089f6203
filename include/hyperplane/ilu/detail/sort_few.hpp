// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

/// Short lists of the host.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Sorts values that differ. Of a few values that are not sorted each is compared with all, without branches.
inline void sort_few(int* values, std::size_t count) {
  constexpr int few = 16;
  if (std::is_sorted(values, values + count)) return;
  if (count > few) return std::sort(values, values + count);
  std::array<int, few> given{}, rank{};
  std::copy_n(values, count, given.begin());
  for (std::size_t v = 0; v < count; ++v) {
    for (std::size_t other = 0; other < few; ++other) rank[other] += given[v] < given[other] ? 1 : 0;
  }
  for (std::size_t v = 0; v < count; ++v) values[as_size(rank[v])] = given[v];
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
