// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "groups.hpp"

#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>

#include <Kokkos_Core.hpp>

namespace implicit_flow {

/// The blocks of a matrix that couple the points of a group with their neighbours in a direction. Where these are the
/// lanes of one SIMD group, as in the order of the matrix, an entry of all of them is one store.
template <int lanes, class Storage, int n, int vector_length>
class GroupBlocks {
 public:
  using number = NumberWith<lanes>;
  using Matrix = hyperplane::BlockStencil7Ref<Storage, n, vector_length>;

  KOKKOS_FUNCTION GroupBlocks(const Matrix& matrix, const Group<lanes>& group, hyperplane::Direction direction)
      : m_is_whole(lanes > 1 && lanes == vector_length && matrix.map().lane(group.point[0].j) == 0) {
    for (int lane = 0; lane < lanes; ++lane) {
      m_has[lane] = group.has[lane];
      m_block[lane] = &matrix(group.point[lane], direction, 0, 0);
      m_is_whole = m_is_whole && m_has[lane] && m_block[lane] - m_block[0] == lane;
    }
  }

  /// Entry (r, c) of all blocks.
  KOKKOS_FUNCTION void set(int r, int c, const number& value) const {
    int const at = entry(r, c);
    if constexpr (lanes > 1) {
      if (m_is_whole) return value.store(m_block[0] + at);
    }
    for (int lane = 0; lane < lanes; ++lane) {
      if (m_has[lane]) m_block[lane][at] = static_cast<Storage>(lane_of(value, lane));
    }
  }

 private:
  KOKKOS_FUNCTION static constexpr int entry(int r, int c) { return (c * n + r) * vector_length; }

  Storage* m_block[lanes];
  bool m_has[lanes];
  bool m_is_whole;
};

template <int lanes, class Storage, int n, int vector_length>
KOKKOS_FUNCTION GroupBlocks<lanes, Storage, n, vector_length> blocks_of(
    const hyperplane::BlockStencil7Ref<Storage, n, vector_length>& matrix, const Group<lanes>& group,
    hyperplane::Direction direction) {
  return {matrix, group, direction};
}

}  // namespace implicit_flow
