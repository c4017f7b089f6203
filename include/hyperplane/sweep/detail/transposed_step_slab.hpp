// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/gemv.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/outside_lanes.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/host/prefetch.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/stencil/block_vector_ref.hpp>
#include <hyperplane/sweep/slab_strips.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What slabs hand on in sweeps with M^T, on hosts.
template <class Scalar, int n, int vector_length>
struct SlabHandedOn {
  Scalar* m_borders;  ///< from the last lane of each step to the slab that is taken next: n values
  Scalar* m_carried;  ///< of each chain of steps, from the last one that was taken to the next one: 2 n groups

  /// Steps are those of one slab.
  static constexpr std::int64_t border_values(int slabs, std::int64_t steps) { return (slabs - 1) * steps * n; }
  static constexpr std::int64_t carried_values(std::int64_t chains) { return chains * (2 * n * vector_length); }
};

/// A sweep with M^T on hosts. A point whose value is known multiplies its own blocks, transposed, with it, and hands a
/// vector on to each of three neighbours. So a step reads the blocks that a step of the plain solve reads, each once,
/// from the last one to the first. What is for the next layer waits in x. Steps and slabs are counted upwards, as
/// SlabSweep does; the backward sweep takes them from the other end.
///
/// Blocks that point out of the grid hand on something to slots without a point, where it is dropped.
template <Sweep sweep, class Scalar, int n, class Storage, int vector_length>
struct TransposedSlabStep {
  using PackType = Pack<Scalar, vector_length>;
  using StoredBlock = block::PackMatrix<PackType, Storage, n>;
  using Vector = BlockVectorRef<Scalar, n, vector_length>;
  using Values = block::Vector<PackType, n>;
  static constexpr bool forward = sweep == Sweep::forward;
  static constexpr int stride = forward ? 1 : -1;

  using Factors = TriangularFactors<Storage, n, vector_length>;
  using InverseBlock = block::PackMatrix<PackType, typename Factors::Inverse, n>;

  Factors m_factors;
  Vector m_rhs;
  Vector m_x;
  SlabHandedOn<Scalar, n, vector_length> m_handed_on;

  void operator()(int counted_slab, std::int64_t counted_begin, std::int64_t counted_end) const {
    run(counted_slab, counted_begin, counted_end, EverySlabStep{{.begins = counted_begin == 0}});
  }

  /// Of `steps`.
  template <class Steps>
  void run(int counted_slab, std::int64_t counted_begin, std::int64_t counted_end, const Steps& steps) const {
    auto const& map = m_factors.m_map;
    int const slab = forward ? counted_slab : map.slabs() - 1 - counted_slab;
    std::int64_t const first_step = forward ? counted_begin : map.steps() - 1 - counted_begin;
    PackPlace place{slab, first_step, first_step % map.pitch()};
    std::int64_t pack = map.first_pack(slab) + first_step;
    Scalar* const carried = m_handed_on.m_carried + steps.chain(counted_slab) * (2 * n * vector_length);
    Values along, across;  // from the step before: for the same lanes, and for the next ones
    for (int c = 0; c < n; ++c) {
      along[c] = steps.begins ? PackType(0) : PackType::load(carried + c * vector_length);
      across[c] = steps.begins ? PackType(0) : PackType::load(carried + (n + c) * vector_length);
    }
    for (auto counted = counted_begin; counted < counted_end; ++counted, pack += stride) {
      auto const lanes = steps.at(place.step);
      bool const enters = forward ? steps.south_enters(place.step) : steps.north_enters(place.step);
      Values value;
      take(enters ? counted_slab : 0, counted, pack, along, across, lanes, value);
      if (!is_full(map, place)) {
        auto const padding = padding_lanes<PackType>(map, place);
        for (int c = 0; c < n; ++c) value[c] = select(padding, PackType(0), value[c]);
      }
      for (int c = 0; c < n; ++c) value[c] = lanes.only(value[c]);
      hand_on(counted_slab, counted, pack, value, lanes, along, across);
      place.move(map, stride);
    }
    for (int c = 0; c < n; ++c) {
      along[c].store(carried + c * vector_length);
      across[c].store(carried + (n + c) * vector_length);
    }
  }

 private:
  /// The values at a pack, of which what was handed on is subtracted: also by the slab before, if this is not slab 0.
  template <class Lanes>
  void take(int counted_slab, std::int64_t counted, std::int64_t pack, const Values& along, const Values& across,
            const Lanes& lanes, Values& value) const {
    auto const& map = m_factors.m_map;
    // The first layer has nothing in x yet.
    auto const& from = counted < map.pitch() ? m_rhs : m_x;
    auto const other = counted + vector_length - 1;
    bool const has_other = counted_slab > 0 && other < map.steps();
    const Scalar* const entering = has_other ? border(counted_slab - 1, other) : nullptr;
    Values sum;
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) {
      Scalar const first = has_other ? entering[c] : Scalar(0);
      auto const entered = forward ? shift_from_lower_lane(across[c], first) : shift_from_upper_lane(across[c], first);
      sum[c] = in_units(lanes.template load<PackType>(from.packs().pack_data(pack, c)), c) - entered - along[c];
    }
    if constexpr (forward) {
      value = sum;
    } else {
      multiply(InverseBlock{m_factors.inverse(pack)}, sum, value);
    }
  }

  template <class Lanes>
  void hand_on(int counted_slab, std::int64_t counted, std::int64_t pack, const Values& value, const Lanes& lanes,
               Values& along, Values& across) const {
    auto const& map = m_factors.m_map;
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) lanes.store(out_of_units(pack, value[c], c), m_x.packs().pack_data(pack, c));
    auto const& scaled = times_row_scales(pack, value);
    multiply_coupling(pack, 2, scaled, along);   // to the east; backward, to the west
    multiply_coupling(pack, 1, scaled, across);  // to the north; backward, to the south
    constexpr int last = forward ? vector_length - 1 : 0;
    if (counted_slab + 1 < map.slabs() && lanes.has(last)) {
      Scalar* const leaving = border(counted_slab, counted);
      HYPERPLANE_UNROLL
      for (int c = 0; c < n; ++c) leaving[c] = across[c][last];
    }
    if (counted + map.pitch() >= map.steps()) return;
    Values up;
    multiply_coupling(pack, 0, scaled, up);  // to the layer above; backward, below
    auto const next = pack + stride * map.pitch();
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) {
      auto const rhs = in_units(lanes.template load<PackType>(m_rhs.packs().pack_data(next, c)), c);
      lanes.store(before_units(rhs - up[c], c), m_x.packs().pack_data(next, c));
    }
  }

  /// Values that are taken, in units of the factors, C of the values themselves; and from these units again.
  PackType in_units(const PackType& value, [[maybe_unused]] int c) const {
    if constexpr (Factors::Scales::exist) return block::scaled(value, m_factors.m_scales.unknown(c));
    return value;
  }
  PackType before_units(const PackType& value, [[maybe_unused]] int c) const {
    if constexpr (Factors::Scales::exist) {
      return block::scaled(value, m_factors.m_scales.unknown_inverse(c));
    }
    return value;
  }
  /// Results, which d^-T has taken to other units, those of the equations.
  PackType out_of_units([[maybe_unused]] std::int64_t pack, const PackType& value, int c) const {
    if constexpr (Factors::Scales::exist && !forward) {
      return value * PackType::load(m_factors.m_scales.equation(pack, c));
    } else {
      return before_units(value, c);
    }
  }

  /// y = A^T x, with a block of the plain sweep that goes the other way. Hardware sees no stream in blocks that are
  /// read from the last entry to the first, so that it is asked for what is read soon: of narrow blocks where plain
  /// sweeps ask for them, as far ahead, and for the nearest cache.
  template <class Kept>
  void multiply(const block::PackMatrix<PackType, Kept, n>& block, const Values& x, Values& y) const {
    if constexpr (host::reads_narrow<Scalar, Kept>) {
      if (host::asks_for_narrow<Scalar, Storage>(n * n * vector_length)) {
        host::prefetch_values<1>(block.m_data - 2 * host::values_ahead<Kept>, n * n * vector_length);
      }
    } else {
      host::prefetch_values(block.m_data - host::values_ahead<Kept>, n * n * vector_length);
    }
    using Transposed = block::TransposedBlock<block::PackMatrix<PackType, Kept, n>, block::EntryOrder::backward>;
    block::gemv<n>(Transposed{block}, x, y);
  }

  /// The same with a block of L or d^-1 U; where blocks have scales, x has those of the rows already.
  void multiply_coupling(std::int64_t pack, int number, const Values& x, Values& y) const {
    if constexpr (forward) {
      multiply(StoredBlock{m_factors.upper(pack, static_cast<UpperBlock>(number))}, x, y);
    } else {
      multiply(StoredBlock{m_factors.lower(pack, static_cast<LowerBlock>(number))}, x, y);
    }
    if constexpr (Factors::has_block_scales) {
      const auto* const scales = m_factors.template column_scales<!forward>(pack);
      HYPERPLANE_UNROLL
      for (int c = 0; c < n; ++c) {
        y[c] *= PackType::load(scales + c * vector_length) * PackType(quarter_unit<Scalar>);
      }
    }
  }
  decltype(auto) times_row_scales([[maybe_unused]] std::int64_t pack, const Values& x) const {
    if constexpr (Factors::has_block_scales) {
      const auto* const scales = m_factors.template row_scales<!forward>(pack);
      Values result;
      HYPERPLANE_UNROLL
      for (int c = 0; c < n; ++c) result[c] = x[c] * PackType::load(scales + c * vector_length);
      return result;
    } else {
      return (x);
    }
  }

  Scalar* border(int counted_slab, std::int64_t counted) const {
    return m_handed_on.m_borders + (counted_slab * m_factors.m_map.steps() + counted) * n;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
