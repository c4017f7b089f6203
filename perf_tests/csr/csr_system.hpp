// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "unit_tests/support/random_system.hpp"

#include <hyperplane/grid/stencil7.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hyperplane::perf {

/// A system in block CSR, on the host.
struct CsrSystem {
  int n;
  std::vector<std::int64_t> offsets{0};
  std::vector<int> columns{};
  std::vector<double> values{};  ///< blocks by rows
  std::vector<double> rhs{};

  std::size_t points() const { return offsets.size() - 1; }
  std::size_t first(std::size_t row) const { return static_cast<std::size_t>(offsets[row]); }

  /// The same with rows numbered as they follow one another in a list.
  CsrSystem renumbered(const std::vector<int>& order) const {
    std::vector<int> position(order.size());
    for (std::size_t p = 0; p < order.size(); ++p) position[static_cast<std::size_t>(order[p])] = static_cast<int>(p);
    CsrSystem result{.n = n};
    for (auto const row : order) {
      auto const r = static_cast<std::size_t>(row);
      for (auto e = first(r); e < first(r + 1); ++e) {
        result.columns.push_back(position[static_cast<std::size_t>(columns[e])]);
        auto const block = values.begin() + static_cast<std::ptrdiff_t>(e * n * n);
        result.values.insert(result.values.end(), block, block + n * n);
      }
      result.offsets.push_back(static_cast<std::int64_t>(result.columns.size()));
      auto const b = rhs.begin() + static_cast<std::ptrdiff_t>(r * n);
      result.rhs.insert(result.rhs.end(), b, b + n);
    }
    return result;
  }

  /// One equation of each point for one unknown of each, n = 1.
  CsrSystem component(int c) const {
    CsrSystem result{.n = 1, .offsets = offsets, .columns = columns};
    for (std::size_t e = 0; e < columns.size(); ++e) result.values.push_back(values[(e * n + c) * n + c]);
    for (std::size_t p = 0; p < points(); ++p) result.rhs.push_back(rhs[p * n + c]);
    return result;
  }
};

/// A seven-point system, whose rows have the numbers of its points.
inline CsrSystem csr_system(const test::RandomSystem& system) {
  auto const& grid = system.grid;
  CsrSystem result{.n = system.n, .rhs = system.rhs()};
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
