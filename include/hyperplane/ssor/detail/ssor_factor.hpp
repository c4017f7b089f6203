// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/gemm.hpp>
#include <hyperplane/block/inverse.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/factor_status.hpp>
#include <hyperplane/ilu/detail/block_ilu0_factors.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace hyperplane::detail {

/// The factors of SSOR in the form of those of BILU(0), see Ssor. T is a Pack, and an index a pack of the layout, or T
/// is a scalar and an index is one slot; points do not depend on one another.
template <class T, class Scalar, int n, class Exec, class Storage, class MatrixStorage, int vector_length>
struct SsorFactor {
  static constexpr bool whole_packs = !std::is_same_v<T, Scalar>;
  using Block = block::Matrix<T, n>;
  using GivenBlock = std::conditional_t<whole_packs, block::PackMatrix<T, MatrixStorage, n, vector_length>,
                                        block::LaneMatrix<T, MatrixStorage, n, vector_length>>;

  BlockStencil7Ref<MatrixStorage, n, vector_length> m_a;
  BlockIlu0Factors<Storage, n, vector_length> m_factors;
  typename SingularPivotRecord<Exec>::Ref m_singular;
  Scalar m_relaxation;

  static std::int64_t count(const PencilMap<vector_length>& map) {
    return whole_packs ? map.pack_count() : map.pack_count() * vector_length;
  }

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const pack = whole_packs ? index : index / vector_length;
    int const lane = whole_packs ? 0 : static_cast<int>(index % vector_length);
    Block inverse;
    copy(GivenBlock{m_a.pack_block(pack, Direction::center) + lane}, inverse);
    if (!make_padding_regular(pack, lane, inverse)) return;
    block::invert<n>(inverse, [&](const auto& mask, int equation) { record(pack, lane, mask, equation); });

    store(inverse, m_relaxation * (2 - m_relaxation), m_factors.lower(pack, LowerBlock::inverse) + lane);
    keep(pack, lane, Direction::bottom, LowerBlock::bottom);
    keep(pack, lane, Direction::south, LowerBlock::south);
    keep(pack, lane, Direction::west, LowerBlock::west);
    scale(pack, lane, Direction::top, UpperBlock::top, inverse);
    scale(pack, lane, Direction::north, UpperBlock::north, inverse);
    scale(pack, lane, Direction::east, UpperBlock::east, inverse);
  }

 private:
  KOKKOS_FUNCTION void keep(std::int64_t pack, int lane, Direction direction, LowerBlock lower) const {
    Block l;
    copy(GivenBlock{m_a.pack_block(pack, direction) + lane}, l);
    store(l, 1 / (2 - m_relaxation), m_factors.lower(pack, lower) + lane);
  }

  KOKKOS_FUNCTION void scale(std::int64_t pack, int lane, Direction direction, UpperBlock upper,
                             const Block& inverse) const {
    Block u;
    block::gemm<n>(inverse, GivenBlock{m_a.pack_block(pack, direction) + lane}, u);
    store(u, m_relaxation, m_factors.upper(pack, upper) + lane);
  }

  KOKKOS_FUNCTION static void copy(const GivenBlock& given, Block& block) {
    for (int c = 0; c < n; ++c) {
      for (int r = 0; r < n; ++r) block(r, c) = given(r, c);
    }
  }

  KOKKOS_FUNCTION static void store(const Block& block, Scalar factor, Storage* values) {
    for (int e = 0; e < n * n; ++e) {
      T const value = T(factor) * block.m_entries[e];
      if constexpr (whole_packs) {
        value.store(values + e * vector_length);
      } else {
        values[e * vector_length] = static_cast<Storage>(value);
      }
    }
  }

  /// Lanes without a point have zero blocks; a unit diagonal keeps them finite and out of the status. False where
  /// there is nothing but such a lane.
  KOKKOS_FUNCTION bool make_padding_regular(std::int64_t pack, int lane, Block& d) const {
    Point point;
    if constexpr (whole_packs) {
      if (m_a.map().is_full(pack)) return true;
      for (int l = 0; l < vector_length; ++l) {
        if (m_a.map().find_point(pack, l, point)) continue;
        for (int r = 0; r < n; ++r) d(r, r).set(l, Scalar(1));
      }
      return true;
    } else {
      return m_a.map().find_point(pack, lane, point);
    }
  }

  template <class Mask>
  KOKKOS_FUNCTION void record(std::int64_t pack, int lane, const Mask& mask, int equation) const {
    Point point;
    if constexpr (whole_packs) {
      for (int l = 0; l < vector_length; ++l) {
        if (mask[l] && m_a.map().find_point(pack, l, point)) m_singular.record(m_a.grid().index(point), equation);
      }
    } else if (m_a.map().find_point(pack, lane, point)) {
      m_singular.record(m_a.grid().index(point), equation);
    }
  }
};

}  // namespace hyperplane::detail
