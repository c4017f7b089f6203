// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/slab_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Numbers slab + slabs * k of the tiles of a grid, sorted by slab * slab_lag + k * layer_lag: topological,
/// since every neighbour on which another depends has a smaller sum.
template <int vector_length>
std::vector<int> cuda_slab_order(const SlabMap<vector_length>& map, int tiles_k, int slab_lag, int layer_lag) {
  std::vector<int> result(std::size_t(map.slabs()) * tiles_k);
  for (std::size_t e = 0; e < result.size(); ++e) result[e] = static_cast<int>(e);
  auto const begin = [&](int number) {
    return std::int64_t{number % map.slabs()} * slab_lag + std::int64_t{number / map.slabs()} * layer_lag;
  };
  std::stable_sort(result.begin(), result.end(), [&](int a, int b) { return begin(a) < begin(b); });
  return result;
}

/// The same slab after slab. Of a part of a box, values so come soon to the last layer, for which another device waits.
template <int vector_length>
std::vector<int> cuda_order_by_slabs(const SlabMap<vector_length>& map, int tiles_k) {
  return cuda_slab_order(map, tiles_k, 1, 0);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
