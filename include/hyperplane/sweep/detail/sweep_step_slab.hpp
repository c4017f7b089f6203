// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/gemv.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/quarter.hpp>
#include <hyperplane/grid/outside_lanes.hpp>
#include <hyperplane/grid/slab_outside.hpp>
#include <hyperplane/host/prefetch.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/stencil/block_vector_ref.hpp>
#include <hyperplane/stencil/slab_neighbours.hpp>
#include <hyperplane/sweep/slab_strips.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// `count` vectors at a time. SlabSweep counts steps and slabs upwards; the backward sweep takes them from the
/// other end. Where there are values outside of the grid, they are those of the same vector: of one at a time.
template <Sweep sweep, class Scalar, int n, class Storage, int vector_length, int count, class Outside = NoOutside>
struct SlabSweepStep {
  using PackType = Pack<Scalar, vector_length>;
  using StoredBlock = block::PackMatrix<PackType, Storage, n>;
  using Vectors = VectorRefs<BlockVectorRef<Scalar, n, vector_length>, count>;
  using Values = block::Vector<PackType, n>;
  static constexpr bool forward = sweep == Sweep::forward;
  using Factors = TriangularFactors<Storage, n, vector_length>;
  using InverseBlock = block::PackMatrix<PackType, typename Factors::Inverse, n>;

  Factors m_factors;
  Vectors m_rhs;
  Vectors m_x;
  Outside m_outside{};

  void operator()(int counted_slab, std::int64_t counted_begin, std::int64_t counted_end) const {
    run(counted_slab, counted_begin, counted_end, EverySlabStep{{.begins = counted_begin == 0}});
  }

  /// Of `steps`.
  template <class Steps>
  void run(int counted_slab, std::int64_t counted_begin, std::int64_t counted_end, const Steps& steps) const {
    auto const& map = m_factors.m_map;
    int const slab = forward ? counted_slab : map.slabs() - 1 - counted_slab;
    auto const all_neighbours = [&]<int... v>(std::integer_sequence<int, v...>) {
      return std::array<decltype(vector_neighbours(m_x[0], slab)), std::size_t{count}>{
          vector_neighbours(m_x[v], slab)...};
    }(std::make_integer_sequence<int, count>());
    Values x[std::size_t{count}];  // of the step before
    std::int64_t step = forward ? counted_begin : map.steps() - 1 - counted_begin;
    for (int v = 0; v < count; ++v) {
      all_neighbours[as_size(v)].load(step - stride, x[v].m_entries, steps.at(step - stride));
    }
    PackPlace place{slab, step, Outside::exists ? step % map.pitch() : 0};
    [[maybe_unused]] auto const outside = m_outside.in(slab, forward ? counted_begin : map.steps() - counted_end,
                                                       forward ? counted_end : map.steps() - counted_begin);
    auto const enter = [&]([[maybe_unused]] int block_number, [[maybe_unused]] Values& values) {
      if constexpr (Outside::exists) {
        outside.template enter<n>(place, sweep_direction<sweep>(block_number), values.m_entries);
      }
    };
    for (auto counted = counted_begin; counted < counted_end; ++counted, step += stride) {
      std::int64_t const pack = map.first_pack(slab) + step;
      auto const lanes = steps.at(step);
      [[maybe_unused]] auto const columns = this->column_units(pack);
      for (int v = 0; v < count; ++v) {
        auto const& neighbours = all_neighbours[as_size(v)];
        auto const factor = [&](int block_number) { return this->stored(pack, block_number, v); };
        Values sum, other;
        if (counted + steps_beside < counted_end) ask_beside(neighbours, step + stride * steps_beside);
        begin_sum(pack, v, lanes, sum);
        neighbours.load(step - stride * map.pitch(), other.m_entries, lanes);
        enter(0, other);
        block::gemv_subtract<n>(factor(0), in_units(other, columns), sum);  // bottom; backward, top
        if constexpr (forward) {
          neighbours.south(step, x[v].m_entries, other.m_entries, steps.south_enters(step));
        } else {
          neighbours.north(step, x[v].m_entries, other.m_entries, steps.north_enters(step));
        }
        enter(1, other);
        block::gemv_subtract<n>(factor(1), in_units(other, columns), sum);  // south; backward, north
        enter(2, x[v]);
        block::gemv_subtract<n>(factor(2), in_units(x[v], columns), sum);  // west; backward, east
        finish_sum(pack, v, lanes, sum);
        if constexpr (forward) {
          block::gemv<n>(inverse(pack, v), sum, x[v]);
        } else {
          x[v] = sum;
        }
        if constexpr (Factors::Scales::exist) take_out_of_units(x[v]);
        HYPERPLANE_UNROLL
        for (int c = 0; c < n; ++c) {
          x[v][c] = lanes.only(x[v][c]);
          lanes.store(x[v][c], m_x[v].packs().pack_data(pack, c));
        }
      }
      if constexpr (Outside::exists) place.move(map, stride);
    }
  }

 private:
  static constexpr int stride = forward ? 1 : -1;
  /// Of the right-hand side, that it is asked for about as far ahead as narrow factors are.
  static constexpr int steps_ahead = 1 + 2 * host::values_ahead<Storage> / (lower_blocks * n * n * vector_length);

  /// Products are subtracted from the right-hand side, or, where blocks have scales, from zero: their sums are then
  /// multiplied by those of the rows.
  template <class Lanes>
  void begin_sum(std::int64_t pack, int v, const Lanes& lanes, Values& sum) const {
    if constexpr (Factors::has_block_scales) {
      HYPERPLANE_UNROLL
      for (int c = 0; c < n; ++c) sum[c] = PackType(0);
    } else {
      load_rhs(pack, v, lanes, sum);
    }
  }
  template <class Lanes>
  void finish_sum([[maybe_unused]] std::int64_t pack, [[maybe_unused]] int v, [[maybe_unused]] const Lanes& lanes,
                  [[maybe_unused]] Values& sum) const {
    if constexpr (Factors::has_block_scales) {
      Values rhs;
      load_rhs(pack, v, lanes, rhs);
      const auto* const scales = m_factors.template row_scales<forward>(pack);
      if (v == 0 && asks()) host::prefetch_behind(scales, n * vector_length);
      HYPERPLANE_UNROLL
      for (int c = 0; c < n; ++c) sum[c] = rhs[c] + sum[c] * PackType::load(scales + c * vector_length);
    }
  }

  /// Values of the other slab, which another core may have just written, are asked for as many steps ahead where steps
  /// are so short that they would wait for them: with factors of 8 bits. Not beyond the steps of a piece of work, where
  /// they may be written at this moment; so not at all where a piece has no more steps, as blocks are large.
  static constexpr int steps_beside = 8;
  template <class Neighbours>
  static void ask_beside([[maybe_unused]] const Neighbours& neighbours, [[maybe_unused]] std::int64_t step) {
    if constexpr (Factors::has_block_scales) neighbours.template prefetch_beside<forward>(step);
  }

  /// In the units of the factors.
  template <class Lanes>
  void load_rhs(std::int64_t pack, int v, const Lanes& lanes, Values& sum) const {
    auto const packs = m_rhs[v].packs();
    if (asks()) {
      host::prefetch_values<1>(packs.pack_data(pack + stride * steps_ahead), n * vector_length);
    }
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) sum[c] = lanes.template load<PackType>(packs.pack_data(pack, c));
    if constexpr (Factors::Scales::exist) take_into_units(pack, sum);
  }
  void take_into_units(std::int64_t pack, Values& rhs) const {
    auto const& scales = m_factors.m_scales;
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) {
      if constexpr (forward) {
        rhs[c] *= PackType::load(scales.equation(pack, c));
      } else {
        rhs[c] = block::scaled(rhs[c], scales.unknown_inverse(c));
      }
    }
  }
  /// What takes the unknowns of neighbours into the units of blocks that have scales.
  auto column_units([[maybe_unused]] std::int64_t pack) const {
    if constexpr (Factors::has_block_scales) {
      const auto* const scales = m_factors.template column_scales<forward>(pack);
      if (asks()) host::prefetch_behind(scales, n * vector_length);
      Values result;
      HYPERPLANE_UNROLL
      for (int c = 0; c < n; ++c) {
        result[c] = block::scaled(PackType::load(scales + c * vector_length),
                                  m_factors.m_scales.unknown_inverse(c) * quarter_unit<double>);
      }
      return result;
    } else {
      return nullptr;
    }
  }
  /// The unknowns of neighbours, in the units of the factors.
  template <class Columns>
  decltype(auto) in_units(const Values& x, [[maybe_unused]] const Columns& columns) const {
    if constexpr (Factors::Scales::exist) {
      Values result;
      HYPERPLANE_UNROLL
      for (int c = 0; c < n; ++c) {
        if constexpr (Factors::has_block_scales) {
          result[c] = x[c] * columns[c];
        } else {
          result[c] = block::scaled(x[c], m_factors.m_scales.unknown_inverse(c));
        }
      }
      return result;
    } else {
      return (x);
    }
  }
  void take_out_of_units(Values& x) const {
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) x[c] = block::scaled(x[c], m_factors.m_scales.unknown(c));
  }

  /// Whether it asks for factors, and what comes with them, ahead.
  static bool asks() { return host::asks_for_narrow<Scalar, Storage>(n * n * vector_length); }

  /// The block that is used first, second or third, for one of the vectors.
  StoredBlock stored(std::int64_t pack, int block_number, int v) const {
    const Storage* const block = forward ? m_factors.lower(pack, static_cast<LowerBlock>(block_number))
                                         : m_factors.upper(pack, static_cast<UpperBlock>(block_number));
    if (v == 0 && asks()) host::prefetch_behind(block, n * n * vector_length);
    return {block};
  }
  InverseBlock inverse(std::int64_t pack, int v) const {
    const auto* const block = m_factors.inverse(pack);
    if (v == 0 && asks()) host::prefetch_behind(block, n * n * vector_length);
    return {block};
  }
};

/// Bytes that a step of a sweep moves.
template <class Scalar, int n, class Storage, int vector_length, int count>
inline constexpr double slab_step_bytes =
    (4.0 * n * n * sizeof(Storage) + 2.0 * n * count * sizeof(Scalar)) * vector_length;

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
