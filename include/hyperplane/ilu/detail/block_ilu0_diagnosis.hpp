// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/diagnosis.hpp>
#include <hyperplane/block/gemm.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/slab_outside.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/stencil_diagnosis.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What is wrong at the first point at which BILU(0) fails: its pivot block is computed once more, from the matrix and
/// from what the points before it, which are regular, have left; those outside of the grid, too, where there are some.
/// What such a point has left may be too large for its type, which only shows here: then the failure is that of the
/// point before. Factors that are too large are an overflow where the blocks are finite that they were made of, those
/// for points after it too. A part of a box also records points of the layer above it, which another part has, where
/// the point below has left them something that is not finite.
template <class Scalar, int n, class Storage, class MatrixStorage, int vector_length, class Outside = NoOutside>
struct BlockIlu0Diagnosis {
  using Factors = TriangularFactors<Storage, n, vector_length>;
  static constexpr bool has_units = Factors::Scales::exist;

  BlockStencil7Ref<MatrixStorage, n, vector_length> m_a;
  Factors m_factors;
  Outside m_outside{};

  KOKKOS_FUNCTION PivotFinding operator()(std::int64_t number, int code) const {
    Point const p = m_a.grid().point(number);
    if constexpr (Outside::exists) {
      if (p.k == m_a.grid().nk()) return left_by(neighbour(p, Direction::bottom));
    }
    auto const found = at_pivot(p, code);
    if (found.failure != FactorFailure::overflow || found.number >= 0) return found;
    for (int s = 0; s < upper_blocks; ++s) {
      auto const direction = sweep_direction<Sweep::backward>(s);
      bool used = m_a.grid().contains(neighbour(p, direction));
      if constexpr (Outside::exists) used = used || m_outside.number(direction, p) >= 0;
      if (used && !block::is_finite<n>(stencil_block<Scalar, n>(m_a, p, direction))) {
        return {FactorFailure::not_finite, static_cast<int>(direction)};
      }
    }
    return found;
  }

 private:
  /// Why what a point has left to the one above is not finite.
  KOKKOS_FUNCTION PivotFinding left_by(const Point& p) const {
    if (block::is_finite<n>(stencil_block<Scalar, n>(m_a, p, Direction::top))) {
      return {FactorFailure::overflow, 0, m_a.grid().index(p)};
    }
    return {FactorFailure::not_finite, neighbour_blocks + static_cast<int>(Direction::bottom)};
  }
  KOKKOS_FUNCTION PivotFinding at_pivot(const Point& p, int code) const {
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
      int number_outside = -1;
      if constexpr (Outside::exists) {
        if (!m_a.grid().contains(other)) number_outside = m_outside.number(direction, p);
      }
      if (!block::is_finite<n>(given(p, direction))) {
        PivotFinding const found{FactorFailure::not_finite, static_cast<int>(direction)};
        if (number_outside >= 0 || m_a.grid().contains(other)) return found;
        if (outside.failure == FactorFailure::none) outside = found;
      }
      if constexpr (Outside::exists) {
        if (number_outside >= 0) {
          auto const upper = neighbour_block(number_outside);
          if (!block::is_finite<n>(upper)) {
            return {FactorFailure::not_finite, neighbour_blocks + static_cast<int>(direction)};
          }
          block::gemm_subtract<n>(given(p, direction), upper, d);
        }
      }
      if (!m_a.grid().contains(other)) continue;
      if (!block::is_finite<n>(given(other, opposite(direction)))) {
        return {FactorFailure::not_finite, neighbour_blocks + static_cast<int>(direction)};
      }
      using StoredBlock = block::LaneMatrix<Scalar, Storage, n, vector_length>;
      StoredBlock const upper{m_factors.upper(map.pack(other.i, other.j, other.k), static_cast<UpperBlock>(s)) +
                              map.lane(other.j)};
      if (!block::is_finite<n>(upper)) return {FactorFailure::overflow, 0, m_a.grid().index(other)};
      if constexpr (has_units) {
        block::ScaledEntries<StoredBlock, n> const in_units{upper, m_factors.m_scales.upper()};
        block::gemm_subtract<n>(given(p, direction), in_units, d);
      } else {
        block::gemm_subtract<n>(given(p, direction), upper, d);
      }
    }
    using Range = StoredRange<Scalar, Storage>;
    if (outside.failure == FactorFailure::none) return block::diagnose<Range>(d, code);
    // Kernels for whole vectors multiply what points out of the grid by zero; others do not read it.
    return block::diagnose<Range>(d, code, outside);
  }

  KOKKOS_FUNCTION block::Matrix<Scalar, n> neighbour_block(int number) const {
    block::Matrix<Scalar, n> result;
    for (int e = 0; e < n * n; ++e) result.m_entries[e] = static_cast<Scalar>(m_outside.values()(number, e));
    return result;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
