// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/csr/check_structure.hpp>
#include <hyperplane/csr/detail/block_norms.hpp>
#include <hyperplane/csr/detail/line_growth.hpp>
#include <hyperplane/csr/detail/row_couplings.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

struct CouplingLinesOptions {
  /// A coupling is strong where it is as many times the third strongest of both its points, which is beside a line.
  double strong = 2.0;
};

/// Lists of points, as LineSet::lists takes them. Each point is on one: line l is points[offsets[l]], ...,
/// points[offsets[l + 1] - 1].
struct CouplingLines {
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> points;
};

namespace detail {

/// Of a structure that was checked.
template <class Exec, class Matrix, class Offset>
RowLines checked_lines(const char* function, const Exec& exec, const Matrix& a, const std::vector<Offset>& offsets,
                       const std::vector<int>& columns, const CouplingLinesOptions& options) {
  if (!(options.strong >= 1.0 && std::isfinite(options.strong))) {
    fail(std::string(function) + ": strong is " + shortest(options.strong) + ", expected a finite number, 1 or more");
  }
  auto const norms = block_norms(exec, a);
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
    for (auto block = static_cast<std::size_t>(offsets[row]); block < static_cast<std::size_t>(offsets[row + 1]);
         ++block) {
      if (std::isfinite(norms[block])) continue;
      fail(std::string(function) + ": row " + std::to_string(row) + " has a block in column " +
           std::to_string(columns[block]) + " whose norm is " + shortest(norms[block]) +
           ", and lines follow the largest norms");
    }
  }
  if (!norms.empty() && std::ranges::max(norms) == 0.0) {
    fail(std::string(function) + ": all values of A are 0, and lines follow the largest norms of blocks");
  }
  return lines_along_couplings(RowCouplings(offsets, columns, norms), options.strong);
}

}  // namespace detail

/// Lines of points along the strongest couplings of A, as across a boundary layer: for LineImplicitCsr, and the order
/// of RowOrder::lines.
///
/// The strength of a coupling is the mean of the Frobenius norms of the two blocks that points have for one another. A
/// line begins at the point with the largest ratio of its strongest coupling to the mean of all that it has, and goes
/// on, to both sides, to the neighbour that is on no line and is coupled most strongly, as long as that is strong; then
/// the next line begins. Strong is what is much stronger than the third strongest coupling of both points, since two
/// can be along a line. Points are compared by their numbers where they are equal otherwise. Points without strong
/// couplings are lines of one. Source: D. J. Mavriplis, "Multigrid strategies for viscous flow solvers on anisotropic
/// unstructured meshes", J. Comput. Phys. 145, 1998, doi:10.1006/jcph.1998.6036, which compares the strongest coupling
/// of a point with its weakest.
///
/// Lines come by reverse Cuthill-McKee, as if each were a point that has the neighbours of all its points; each begins
/// with the end that RowOrder::rcm takes first. Where all lines are single points, the points are in that order.
///
/// Cost: n^2 values per block, one launch; O(blocks log blocks) on the calling thread. Waits for the instance. Throws
/// Error where `strong` is less than 1, where offsets or columns are out of range, where a block is not finite, and
/// where there are blocks, but all are zeros, as before the matrix is assembled.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Offset>
CouplingLines lines_along_couplings(const Exec& exec, const BlockCsr<Scalar, n, Exec, Storage, Offset>& a,
                                    const CouplingLinesOptions& options = {}) {
  constexpr auto name = "lines_along_couplings";
  auto const offsets = detail::to_vector(exec, a.offsets());
  auto const columns = detail::to_vector(exec, a.columns());
  detail::check_csr_structure(name, offsets, columns);
  auto const lines = detail::checked_lines(name, exec, a, offsets, columns, options);
  return {lines.begin, {lines.rows.begin(), lines.rows.end()}};
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
