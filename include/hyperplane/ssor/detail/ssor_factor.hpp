// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/diagnosis.hpp>
#include <hyperplane/block/gemm.hpp>
#include <hyperplane/block/inverse.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/folded_order.hpp>
#include <hyperplane/grid/outside_lanes.hpp>
#include <hyperplane/grid/slab_outside.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/sweep/equation_units.hpp>
#include <hyperplane/sweep/folded_sweep.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Where directions are not folded.
struct NaturalOrder {};

/// The factors of SSOR in the form of those of BILU(0), see Ssor. T is a Pack, and an index a pack of the layout, or T
/// is a scalar and an index is one slot; points do not depend on one another. Blocks that couple points to neighbours
/// outside of the grid are kept where there are some. Slots alone have another order than the natural one.
template <class T, class Scalar, int n, class Exec, class Storage, class MatrixStorage, int vector_length,
          class Outside = NoOutside, class Order = NaturalOrder>
struct SsorFactor {
  static constexpr bool whole_packs = !std::is_same_v<T, Scalar>;
  using Block = block::Matrix<T, n>;
  using GivenBlock = std::conditional_t<whole_packs, block::PackMatrix<T, MatrixStorage, n, vector_length>,
                                        block::LaneMatrix<T, MatrixStorage, n, vector_length>>;

  using Factors = TriangularFactors<Storage, n, vector_length>;
  static constexpr bool has_units = Factors::Scales::exist;

  BlockStencil7Ref<MatrixStorage, n, vector_length> m_a;
  Factors m_factors;
  typename SingularPivotRecord<Exec>::Ref m_singular;
  Scalar m_relaxation;
  Outside m_outside{};
  Order m_order{};

  /// Of a slot.
  KOKKOS_FUNCTION void operator()(std::int64_t slot) const {
    factor(slot / vector_length, static_cast<int>(slot % vector_length), PackPlace{});
  }
  /// Of a pack.
  KOKKOS_FUNCTION void operator()(std::int64_t pack, const PackPlace& place) const { factor(pack, 0, place); }

 private:
  KOKKOS_FUNCTION void factor(std::int64_t pack, int lane, const PackPlace& place) const {
    Block inverse;
    copy(GivenBlock{m_a.pack_block(pack, Direction::center) + lane}, inverse);
    if (!make_padding_regular(pack, lane, place, inverse)) return;
    block::invert<n>(inverse, [&](const auto& mask, int equation) { record(pack, lane, mask, equation); });

    // Two sums, which do not wait for one another.
    T excess(0), upper_excess(0);
    Scalar const factor = m_relaxation * (2 - m_relaxation);
    auto const kept = kept_pack(pack, lane);
    Storage* const stored = m_factors.lower(kept, LowerBlock::inverse) + lane;
    auto const keep_lower = [&](const auto&... equations) {
      for_neighbours(pack, lane, true,
                     [&](Direction direction) { keep(pack, kept, lane, place, direction, excess, equations...); });
    };
    if constexpr (has_units) {
      auto const& scales = m_factors.m_scales;
      auto const equations = equation_units<T, n>(scales, inverse);
      keep_equation_units<n>(scales, pack, lane, equations);
      Block in_units = inverse;
      take_inverse_into_units<n>(scales, equations, in_units);
      store(in_units, factor, stored, excess);
      keep_lower(equations);
    } else {
      store(inverse, factor, stored, excess);
      keep_lower();
    }
    for_neighbours(pack, lane, false,
                   [&](Direction direction) { scale(pack, kept, lane, place, direction, inverse, upper_excess); });
    excess += upper_excess;
    if (any(excess != T(0))) [[unlikely]]
      record(pack, lane, excess != T(0), unstorable_code);
  }

  /// Calls use(direction) for the neighbours before a point, or for those after it.
  template <class Use>
  KOKKOS_FUNCTION void for_neighbours([[maybe_unused]] std::int64_t pack, [[maybe_unused]] int lane, bool before,
                                      const Use& use) const {
    if constexpr (std::is_same_v<Order, NaturalOrder>) {
      use(before ? Direction::bottom : Direction::top);
      use(before ? Direction::south : Direction::north);
      use(before ? Direction::west : Direction::east);
    } else {
      Point point;
      m_a.map().find_point(pack, lane, point);
      for (int d = 0; d < stencil7_size - 1; ++d) {
        Direction const direction = folded_direction(d);
        if (m_order.is_before(point, direction) == before) use(direction);
      }
    }
  }

  /// The pack that has the factors of a slot.
  KOKKOS_FUNCTION std::int64_t kept_pack(std::int64_t pack, [[maybe_unused]] int lane) const {
    if constexpr (std::is_same_v<Order, NaturalOrder>) {
      return pack;
    } else {
      Point point;
      m_a.map().find_point(pack, lane, point);
      auto const kept = m_order.stored(point);
      return m_a.map().pack(kept.i, kept.j, kept.k);
    }
  }

  /// In units of the equations, where there are units.
  template <class... Units>
  KOKKOS_FUNCTION void keep(std::int64_t pack, std::int64_t kept, int lane, const PackPlace& place, Direction direction,
                            T& excess, const Units&... equations) const {
    Block l;
    copy(GivenBlock{m_a.pack_block(pack, direction) + lane}, l);
    clear_outside(pack, lane, place, direction, l);
    if constexpr (has_units) take_lower_into_units<n>(m_factors.m_scales, equations..., l);
    store(l, 1 / (2 - m_relaxation), m_factors.coupling(kept, direction) + lane, excess);
  }

  KOKKOS_FUNCTION void scale(std::int64_t pack, std::int64_t kept, int lane, const PackPlace& place,
                             Direction direction, const Block& inverse, T& excess) const {
    Block u;
    block::gemm<n>(inverse, GivenBlock{m_a.pack_block(pack, direction) + lane}, u);
    clear_outside(pack, lane, place, direction, u);
    if constexpr (has_units) take_upper_into_units<n>(m_factors.m_scales, u);
    store(u, m_relaxation, m_factors.coupling(kept, direction) + lane, excess);
  }

  /// Zero where the direction points out of the grid: what is there is ignored, whatever it is.
  KOKKOS_FUNCTION void clear_outside(std::int64_t pack, int lane, const PackPlace& place, Direction direction,
                                     Block& block) const {
    auto const& map = m_a.map();
    if constexpr (whole_packs) {
      OutsideLanes<vector_length> const outside(map, place, direction);
      if (!outside.any()) return;
      if constexpr (Outside::exists) {
        Block const all = block;
        clear(outside, block);
        m_outside.for_lanes(place, direction, [&](int kept, int) {
          for (int e = 0; e < n * n; ++e) block.m_entries[e].set(kept, all.m_entries[e][kept]);
        });
      } else {
        clear(outside, block);
      }
    } else {
      Point point;
      if (map.find_point(pack, lane, point)) {
        if (map.grid().contains(neighbour(point, direction))) return;
        if constexpr (Outside::exists) {
          if (m_outside.number(direction, point) >= 0) return;
        }
      }
      for (auto& entry : block.m_entries) entry = T(0);
    }
  }

  KOKKOS_FUNCTION static void copy(const GivenBlock& given, Block& block) {
    for (int c = 0; c < n; ++c) {
      for (int r = 0; r < n; ++r) block(r, c) = given(r, c);
    }
  }

  /// Writes a block times a factor; adds storage_excess of what is written.
  KOKKOS_FUNCTION static void store(const Block& block, Scalar factor, Storage* values, T& excess) {
    auto const write = [&](int e) {
      T const value = T(factor) * block.m_entries[e];
      if constexpr (whole_packs) {
        value.store(values + e * vector_length);
      } else {
        values[e * vector_length] = static_cast<Storage>(value);
      }
      return storage_excess<Storage, Scalar>(value);
    };
    excess += sum_apart<n * n, T>(write);
  }

  /// Lanes without a point have zero blocks; a unit diagonal keeps them finite and out of the status. False where
  /// there is nothing but such a lane.
  KOKKOS_FUNCTION bool make_padding_regular(std::int64_t pack, int lane, const PackPlace& place, Block& d) const {
    if constexpr (whole_packs) {
      if (!is_full(m_a.map(), place)) make_regular<n>(padding_lanes<T>(m_a.map(), place), d);
      return true;
    } else {
      Point point;
      return m_a.map().find_point(pack, lane, point);
    }
  }

  template <class Mask>
  KOKKOS_FUNCTION void record(std::int64_t pack, int lane, const Mask& mask, int equation) const {
    Point point;
    if constexpr (whole_packs) {
      record_lanes(m_a.map(), pack, mask, equation, m_singular);
    } else if (m_a.map().find_point(pack, lane, point)) {
      if constexpr (!std::is_same_v<Order, NaturalOrder>) point = m_order.place(point);
      m_singular.record(m_a.grid().index(point), equation);
    }
  }
};

/// What `Diagnosis` finds, where numbers are those of places in an order.
template <class Diagnosis>
struct FoldedDiagnosis {
  FoldedOrder m_order;
  Diagnosis m_diagnosis;

  KOKKOS_FUNCTION PivotFinding operator()(std::int64_t place, int code) const {
    auto const& grid = m_order.grid();
    return m_diagnosis(grid.index(m_order.at(grid.point(place))), code);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
