// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <vector>

#include "csr_ilu_reference.hpp"
#include "csr_ilut_reference.hpp"
#include "csr_reference.hpp"
#include "serial_reference.hpp"

/// Block CSR matrices with pivots that are replaced.
namespace hyperplane::test {

inline constexpr int mesh_rows = 30;
inline constexpr double share = 0.5;

/// A random matrix, in the rows of which that are named the diagonal block is zero, and so are those of rows that are
/// taken before: nothing is subtracted from the pivot block, which stays zero.
inline ReferenceCsr with_zero_pivots(int n, const std::vector<int>& rows, const std::vector<int>& order) {
  std::vector<int> position(order.size());
  for (std::size_t p = 0; p < order.size(); ++p) position[order[p]] = static_cast<int>(p);
  auto a = random_csr(mesh_rows, n);
  for (int const row : rows) {
    for (auto e = a.offsets[row]; e < a.offsets[row + 1]; ++e) {
      if (position[a.columns[e]] <= position[row]) a.blocks[e] = DenseMatrix(n);
    }
  }
  return a;
}

/// What the replaced pivots are those of: a share of the norm of its row is on the diagonal of each of these blocks.
inline ReferenceCsr with_shifts(const ReferenceCsr& a, const std::vector<int>& rows) {
  auto result = a;
  for (int const row : rows) {
    for (auto e = a.offsets[row]; e < a.offsets[row + 1]; ++e) {
      for (int c = 0; c < a.n && a.columns[e] == row; ++c) result.blocks[e](c, c) += share * norm_of_row(a, row);
    }
  }
  return result;
}

}  // namespace hyperplane::test
