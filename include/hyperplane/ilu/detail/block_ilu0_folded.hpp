// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/diagnosis.hpp>
#include <hyperplane/block/gemm.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/folded_order.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_outside.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/ilu/detail/block_ilu0_portable.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/stencil_diagnosis.hpp>
#include <hyperplane/sweep/folded_sweep.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// BILU(0) where directions are folded, point by point. Numbers of points in records are those of their places in the
/// order.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <class AtPoint>
struct BlockIlu0FoldedPoint {
  AtPoint m_at;

  KOKKOS_FUNCTION void operator()(const Point& p) const {
    typename AtPoint::Block sum, inverse;
    typename AtPoint::scalar_type excess(0);
    for (auto& entry : sum.m_entries) entry = typename AtPoint::scalar_type(0);
    for_neighbours(p, true, [&](Direction direction) { m_at.eliminate(p, direction, sum, excess); });
    auto const number = order().grid().index(order().place(p));
    m_at.invert(
        p, number, sum, [&](Direction direction) { return has_neighbour(p, direction, true); }, excess, inverse);
    for_neighbours(p, false, [&](Direction direction) { m_at.scale(p, direction, inverse, excess); });
    m_at.finish(number, excess);
  }

 private:
  KOKKOS_FUNCTION const FoldedOrder& order() const { return m_at.m_factors.m_order; }
  /// One before p, or one after it.
  KOKKOS_FUNCTION bool has_neighbour(const Point& p, Direction direction, bool before) const {
    return order().grid().contains(neighbour(p, direction)) && order().is_before(p, direction) == before;
  }
  /// Those before p, or those after it.
  template <class Use>
  KOKKOS_FUNCTION void for_neighbours(const Point& p, bool before, const Use& use) const {
    for (int d = 0; d < stencil7_size - 1; ++d) {
      Direction const direction = folded_direction(d);
      if (has_neighbour(p, direction, before)) use(direction);
    }
  }
};

/// `points`: FoldedPlanes, or FoldedPieces of hosts.
template <class Scalar, int n, class Points, ExecutionSpace Exec, class Storage, class MatrixStorage, int vector_length>
void block_ilu0_factor_folded(const Exec& exec, const Points& points,
                              const BlockStencil7Ref<MatrixStorage, n, vector_length>& a,
                              const FoldedFactors<Storage, n, vector_length>& factors,
                              const SingularPivotRecord<Exec>& singular) {
  using AtPoint =
      BlockIlu0Point<Scalar, n, Exec, Storage, MatrixStorage, vector_length, FoldedFactors<Storage, n, vector_length>>;
  points.run(exec, "Hyperplane::BlockIlu0::factor", Sweep::forward, AtPoint::bytes,
             BlockIlu0FoldedPoint<AtPoint>{{a, factors, singular.ref()}});
}

/// As BlockIlu0Diagnosis: blocks that point out of the grid are not looked at, as the factorization does not.
template <class Scalar, int n, class Storage, class MatrixStorage, int vector_length>
struct BlockIlu0FoldedDiagnosis {
  using Factors = FoldedFactors<Storage, n, vector_length>;
  using StoredBlock = block::LaneMatrix<Scalar, Storage, n, vector_length>;

  BlockStencil7Ref<MatrixStorage, n, vector_length> m_a;
  Factors m_factors;

  KOKKOS_FUNCTION PivotFinding operator()(std::int64_t number, int code) const {
    auto const& order = m_factors.m_order;
    Point const p = order.at(m_a.grid().point(number));
    auto const found = at_pivot(p, code);
    if (found.failure != FactorFailure::overflow || found.number >= 0) return found;
    for (int s = 0; s < stencil7_size - 1; ++s) {
      Direction const direction = folded_direction(s);
      if (!m_a.grid().contains(neighbour(p, direction)) || order.is_before(p, direction)) continue;
      if (!block::is_finite<n>(stencil_block<Scalar, n>(m_a, p, direction))) {
        return {FactorFailure::not_finite, static_cast<int>(direction)};
      }
    }
    return found;
  }

 private:
  KOKKOS_FUNCTION PivotFinding at_pivot(const Point& p, int code) const {
    auto const& order = m_factors.m_order;
    auto const center = stencil_block<Scalar, n>(m_a, p, Direction::center);
    if (!block::is_finite<n>(center)) return {FactorFailure::not_finite, static_cast<int>(Direction::center)};
    block::Matrix<Scalar, n> d;
    for (int c = 0; c < n; ++c) {
      for (int r = 0; r < n; ++r) d(r, c) = center(r, c);
    }
    for (int s = 0; s < stencil7_size - 1; ++s) {
      Direction const direction = folded_direction(s);
      Point const other = neighbour(p, direction);
      if (!m_a.grid().contains(other) || !order.is_before(p, direction)) continue;
      auto const lower = stencil_block<Scalar, n>(m_a, p, direction);
      if (!block::is_finite<n>(lower)) return {FactorFailure::not_finite, static_cast<int>(direction)};
      if (!block::is_finite<n>(stencil_block<Scalar, n>(m_a, other, opposite(direction)))) {
        return {FactorFailure::not_finite, neighbour_blocks + static_cast<int>(direction)};
      }
      StoredBlock const upper{m_factors.coupling(other, opposite(direction))};
      if (!block::is_finite<n>(upper)) return {FactorFailure::overflow, 0, m_a.grid().index(order.place(other))};
      if constexpr (Factors::Scales::exist) {
        block::gemm_subtract<n>(lower, block::ScaledEntries<StoredBlock, n>{upper, m_factors.m_scales.upper()}, d);
      } else {
        block::gemm_subtract<n>(lower, upper, d);
      }
    }
    return block::diagnose<StoredRange<Scalar, Storage>>(d, code);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
