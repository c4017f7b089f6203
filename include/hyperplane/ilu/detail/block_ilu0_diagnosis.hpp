// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/diagnosis.hpp>
#include <hyperplane/block/gemm.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/stencil_diagnosis.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What is wrong at the first point at which BILU(0) fails: its pivot block is computed once more, from the matrix and
/// from what the points before it, which are regular, have left.
template <class Scalar, int n, class Storage, class MatrixStorage, int vector_length>
struct BlockIlu0Diagnosis {
  BlockStencil7Ref<MatrixStorage, n, vector_length> m_a;
  TriangularFactors<Storage, n, vector_length> m_factors;
  /// Of a part of a box: d^-1 T of the layer below, [slab][step][n * n][lane]; null: there is none.
  const Storage* m_below = nullptr;

  KOKKOS_FUNCTION PivotFinding operator()(std::int64_t number, int code) const {
    Point const p = m_a.grid().point(number);
    auto const given = [&](const Point& point, Direction direction) {
      return stencil_block<Scalar, n>(m_a, point, direction);
    };
    auto const center = given(p, Direction::center);
    if (!block::is_finite<n>(center)) return {FactorFailure::not_finite, static_cast<int>(Direction::center)};
    block::Matrix<Scalar, n> d;
    for (int c = 0; c < n; ++c) {
      for (int r = 0; r < n; ++r) d(r, c) = center(r, c);
    }
    auto const& map = m_a.map();
    PivotFinding outside{FactorFailure::none, 0};
    for (int s = 0; s < upper_blocks; ++s) {
      auto const direction = sweep_direction<Sweep::forward>(s);
      Point const other = neighbour(p, direction);
      bool const is_below = direction == Direction::bottom && p.k == 0 && m_below != nullptr;
      if (!block::is_finite<n>(given(p, direction))) {
        PivotFinding const found{FactorFailure::not_finite, static_cast<int>(direction)};
        if (is_below || m_a.grid().contains(other)) return found;
        if (outside.failure == FactorFailure::none) outside = found;
      }
      if (is_below) {
        block::gemm_subtract<n>(given(p, direction), below(p), d);
        continue;
      }
      if (!m_a.grid().contains(other)) continue;
      if (!block::is_finite<n>(given(other, opposite(direction)))) {
        return {FactorFailure::not_finite, neighbour_blocks + static_cast<int>(direction)};
      }
      StoredBlock const upper{m_factors.upper(map.pack(other.i, other.j, other.k), static_cast<UpperBlock>(s)) +
                              map.lane(other.j)};
      block::gemm_subtract<n>(given(p, direction), upper, d);
    }
    if (outside.failure == FactorFailure::none) return block::diagnose<Storage>(d, code);
    // Kernels for whole vectors multiply what points out of the grid by zero; others do not read it.
    return block::diagnose<Storage>(d, code, outside);
  }

 private:
  using StoredBlock = block::LaneMatrix<Scalar, Storage, n, vector_length>;

  KOKKOS_FUNCTION StoredBlock below(const Point& p) const {
    auto const& map = m_a.map();
    int const lane = map.lane(p.j);
    std::int64_t const steps = map.grid().ni() + vector_length - 1;
    std::int64_t const group = p.j / vector_length * steps + p.i + lane;
    return StoredBlock{m_below + group * (n * n * vector_length) + lane};
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
