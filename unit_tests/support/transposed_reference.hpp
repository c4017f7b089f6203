// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "csr_relaxation_reference.hpp"
#include "line_reference.hpp"
#include "serial_reference.hpp"

/// Slow, obvious transposes.
namespace hyperplane::test {

/// A^T: the block of p for its neighbour q is the transpose of that of q for p. Blocks that point out of the grid have
/// values of their own, and are to be ignored.
inline ReferenceStencil transposed_reference(const ReferenceStencil& a) {
  ReferenceStencil result = a;
  for (std::int64_t p = 0; p < a.grid.size(); ++p) {
    for (auto const d : stencil7_directions) {
      Point const other = neighbour(a.grid.point(p), d);
      if (!a.grid.contains(other)) continue;
      result.block(p, d) = transposed_dense(a.block(a.grid.index(other), opposite(d)));
    }
  }
  return result;
}

/// The same of a line. What an open line has before its first and after its last point is to be ignored.
inline ReferenceLine transposed_line(const ReferenceLine& a) {
  ReferenceLine result = a;
  int const m = a.length();
  for (int p = 0; p < m; ++p) {
    result.diagonal[p] = transposed_dense(a.diagonal[p]);
    result.lower[p] = transposed_dense(a.upper[(p + m - 1) % m]);
    result.upper[p] = transposed_dense(a.lower[(p + 1) % m]);
  }
  return result;
}

/// <u, v> = <other_u, other_v> to rounding.
inline ::testing::AssertionResult same_products(const std::vector<double>& u, const std::vector<double>& v,
                                                const std::vector<double>& other_u, const std::vector<double>& other_v,
                                                double tolerance) {
  double left = 0.0, right = 0.0, size = 0.0;
  for (std::size_t e = 0; e < u.size(); ++e) {
    left += u[e] * v[e];
    right += other_u[e] * other_v[e];
    size += std::abs(u[e] * v[e]) + std::abs(other_u[e] * other_v[e]);
  }
  if (std::abs(left - right) <= tolerance * size) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << left << " and " << right << ", tolerance " << tolerance << " of " << size;
}

}  // namespace hyperplane::test
