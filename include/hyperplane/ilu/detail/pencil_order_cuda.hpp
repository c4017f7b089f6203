// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/grid/pencil_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hyperplane::detail {

/// Numbers pencil + pencils * k of the tiles of a grid, sorted by pencil * pencil_lag + k * layer_lag: topological,
/// since every neighbour on which another depends has a smaller sum.
template <int vector_length>
std::vector<int> cuda_pencil_order(const PencilMap<vector_length>& map, int tiles_k, int pencil_lag, int layer_lag) {
  std::vector<int> result(std::size_t(map.pencils()) * tiles_k);
  for (std::size_t e = 0; e < result.size(); ++e) result[e] = static_cast<int>(e);
  auto const begin = [&](int number) {
    return std::int64_t{number % map.pencils()} * pencil_lag + std::int64_t{number / map.pencils()} * layer_lag;
  };
  std::stable_sort(result.begin(), result.end(), [&](int a, int b) { return begin(a) < begin(b); });
  return result;
}

}  // namespace hyperplane::detail
