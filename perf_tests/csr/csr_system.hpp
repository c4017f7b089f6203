// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "unit_tests/support/random_system.hpp"

#include <hyperplane/grid/stencil7.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hyperplane::perf {

/// A system in block CSR on the host.
struct CsrSystem {
  int block_size;
  std::vector<std::int64_t> offsets{0};
  std::vector<int> columns{};
  std::vector<double> values{};  ///< blocks by rows
  std::vector<double> rhs{};

  std::size_t rows() const { return offsets.size() - 1; }

  /// The same with rows numbered as they follow one another in a list.
  CsrSystem renumbered(const std::vector<int>& order) const {
    std::vector<int> position(order.size());
    for (std::size_t p = 0; p < order.size(); ++p) position[static_cast<std::size_t>(order[p])] = static_cast<int>(p);
    auto const area = static_cast<std::ptrdiff_t>(block_size) * block_size;
    CsrSystem result{.block_size = block_size};
    for (auto const row : order) {
      auto const r = static_cast<std::size_t>(row);
      for (auto e = offsets[r]; e < offsets[r + 1]; ++e) {
        result.columns.push_back(position[static_cast<std::size_t>(columns[static_cast<std::size_t>(e)])]);
        auto const block = values.begin() + e * area;
        result.values.insert(result.values.end(), block, block + area);
      }
      result.offsets.push_back(static_cast<std::int64_t>(result.columns.size()));
      auto const b = rhs.begin() + static_cast<std::ptrdiff_t>(row) * block_size;
      result.rhs.insert(result.rhs.end(), b, b + block_size);
    }
    return result;
  }
};

/// A seven-point system, whose rows have the numbers of its points.
inline CsrSystem csr_system(const test::RandomSystem& system) {
  auto const& grid = system.grid;
  CsrSystem result{.block_size = system.n, .rhs = system.rhs()};
  for (std::int64_t row = 0; row < grid.size(); ++row) {
    auto const p = grid.point(row);
    for (auto const direction : stencil7_directions) {
      auto const q = neighbour(p, direction);
      if (!grid.contains(q)) continue;
      result.columns.push_back(static_cast<int>(grid.index(q)));
      for (int r = 0; r < system.n; ++r) {
        for (int c = 0; c < system.n; ++c) result.values.push_back(system.coefficient(p, direction, r, c));
      }
    }
    result.offsets.push_back(static_cast<std::int64_t>(result.columns.size()));
  }
  return result;
}

}  // namespace hyperplane::perf
