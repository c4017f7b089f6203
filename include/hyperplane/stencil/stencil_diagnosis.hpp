// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/diagnosis.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/slab_outside.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The block of a point of a stencil in a direction.
template <class Scalar, int n, class MatrixStorage, int vector_length>
KOKKOS_FUNCTION block::LaneMatrix<Scalar, MatrixStorage, n, vector_length> stencil_block(
    const BlockStencil7Ref<MatrixStorage, n, vector_length>& a, const Point& p, Direction direction) {
  auto const& map = a.map();
  return {a.pack_block(map.pack(p.i, p.j, p.k), direction) + map.lane(p.j)};
}

/// What is wrong at a point whose diagonal block cannot be inverted, or whose blocks cannot be stored: for
/// preconditioners whose points do not depend on one another. `all_blocks`: not the diagonal one alone is used, but
/// those to neighbours in the grid, and outside of it where there are some.
template <class Scalar, int n, class Storage, class MatrixStorage, int vector_length, bool all_blocks,
          class Outside = NoOutside>
struct DiagonalDiagnosis {
  BlockStencil7Ref<MatrixStorage, n, vector_length> m_a;
  Outside m_outside{};

  KOKKOS_FUNCTION PivotFinding operator()(std::int64_t number, int code) const {
    Point const p = m_a.grid().point(number);
    for (int e = 0; e < stencil7_size; ++e) {
      auto const direction = static_cast<Direction>(e);
      bool used = direction == Direction::center || (all_blocks && m_a.grid().contains(neighbour(p, direction)));
      if constexpr (Outside::exists) {
        used = used || (!m_a.grid().contains(neighbour(p, direction)) && m_outside.number(direction, p) >= 0);
      }
      if (used && !block::is_finite<n>(stencil_block<Scalar, n>(m_a, p, direction))) {
        return {FactorFailure::not_finite, e};
      }
    }
    block::Matrix<Scalar, n> d;
    auto const center = stencil_block<Scalar, n>(m_a, p, Direction::center);
    for (int c = 0; c < n; ++c) {
      for (int r = 0; r < n; ++r) d(r, c) = center(r, c);
    }
    return block::diagnose<Storage>(d, code);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
