// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/simd/native_vector.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <limits>

/// Short lists of the host.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Sorts values that differ. Of a few values that are not sorted each is compared with all, without branches, by whole
/// vectors of the processor.
inline void sort_few(int* values, std::size_t count) {
  constexpr int few = 16;
  using Few = NativeVector<int, few>;
  if (std::is_sorted(values, values + count)) return;
  if (count > few) return std::sort(values, values + count);
  std::array<int, few> given;
  given.fill(std::numeric_limits<int>::max());
  std::copy_n(values, count, given.begin());
  Few all, rank{};
  std::memcpy(&all, given.data(), sizeof all);
  for (std::size_t v = 0; v < count; ++v) rank -= broadcast<int, few>(given[v]) < all;
  for (std::size_t v = 0; v < count; ++v) values[as_size(rank[static_cast<int>(v)])] = given[v];
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
