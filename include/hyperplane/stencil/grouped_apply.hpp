// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/grid.hpp>

#include <cstdint>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A grid, and where its values begin in vectors and in the matrix of several grids: a number of SIMD groups.
struct GroupedGrid {
  Grid grid;
  std::int64_t first_pack;
};

/// The products of several grids together, with the bits of one grid after the other. A specialization says how;
/// without one they follow one another.
template <Real Scalar, int n, ExecutionSpace Exec, Real StorageScalar>
class GroupedApply {
 public:
  static constexpr bool exists = false;

  GroupedApply(const Exec&, const std::vector<GroupedGrid>&) {}
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
