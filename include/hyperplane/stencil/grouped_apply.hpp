// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/stencil/grouped_apply_blocks.hpp>

#include <cstdint>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A grid, and where its values begin in vectors and in the matrix of several grids: a number of SIMD groups.
struct GroupedGrid {
  Grid grid;
  std::int64_t first_pack;
};

/// What is launched of a GroupedApply: all, or what has SIMD groups that come late, or the rest.
enum class GroupedPart { all, early, late };

/// The products of several grids together, with the bits of one grid after the other. A specialization says how;
/// without one they follow one another.
template <Real Scalar, int n, ExecutionSpace Exec>
class GroupedApply {
 public:
  static constexpr bool exists = false;

  GroupedApply(const Exec&, const std::vector<GroupedGrid>&, const std::vector<GroupedPack>& = {}) {}
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
