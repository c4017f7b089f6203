// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/gemv.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/line/detail/line_blocks.hpp>
#include <hyperplane/line/detail/line_cursor.hpp>
#include <hyperplane/line/detail/line_factors.hpp>
#include <hyperplane/line/detail/line_separators.hpp>
#include <hyperplane/simd/pack.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// Kernels of the solves of LineSplit, which says what they compute: bodies of for_line_packs.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The right-hand side of the reduced system: that of the separator less what the parts beside it contribute.
template <class Scalar, int n, class Storage, int vector_length>
struct LineReduceRhs {
  LineUnknowns<const Scalar, GatheredPlaces> m_rhs;  ///< places are those of separators
  LineUnknowns<const Scalar, GatheredPlaces> m_x;    ///< places are those of parts
  LineSeparators m_separators;
  const WideStorage<Scalar, Storage>* m_couplings;
  Scalar* m_reduced;

  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane) const {
    auto const index = item * vector_length + lane;
    int const slot = m_rhs.m_places.m_slots[index];
    if (slot < 0) return;
    block::Vector<Scalar, n> sum;
    for (int c = 0; c < n; ++c) sum[c] = entry(m_rhs, c, slot);
    subtract(index, 0, m_separators.m_before[index], sum);
    subtract(index, n * n, m_separators.m_after[index], sum);
    auto const to = item * n * vector_length + lane;
    for (int c = 0; c < n; ++c) m_reduced[to + c * vector_length] = sum[c];
  }

 private:
  KOKKOS_FUNCTION static Scalar entry(const LineUnknowns<const Scalar, GatheredPlaces>& of, int c, int slot) {
    return slot_entry(of.m_data, of.m_entries, of.m_first + c, slot, of.m_places.m_shift);
  }
  KOKKOS_FUNCTION void subtract(std::int64_t index, int first, int part_slot, block::Vector<Scalar, n>& sum) const {
    if (part_slot < 0) return;
    int const slot = m_x.m_places.m_slots[part_slot];
    auto const from = (index / vector_length * 2 * n * n + first) * vector_length + index % vector_length;
    block::Vector<Scalar, n> x;
    for (int c = 0; c < n; ++c) x[c] = entry(m_x, c, slot);
    using Coupling = block::LaneMatrix<Scalar, WideStorage<Scalar, Storage>, n, vector_length>;
    block::gemv_subtract<n>(Coupling{m_couplings + from}, x, sum);
  }
};

/// x of the parts less what the separators contribute, some steps of a pack an index; then x of the separators, item by
/// item.
template <class Scalar, int n, class Storage, int vector_length, int internal_length>
struct LineExpand {
  using PackType = Pack<Scalar, internal_length>;
  using Vector = block::Vector<PackType, n>;
  using Lanes = LineLanes<internal_length, vector_length>;
  using Cursor = LineCursor<GatheredPlaces, internal_length, vector_length>;

  using StoredBlock = block::PackMatrix<PackType, Storage, n, vector_length>;

  LineLayoutRef<vector_length> m_parts;
  LineSpikes<Storage, n, vector_length> m_spikes;
  const int* m_left;  ///< of each lane of each pack of parts: slot of the separator; -1 where there is none
  const int* m_right;
  const Scalar* m_reduced;
  LineUnknowns<Scalar, GatheredPlaces> m_x;           ///< places are those of parts
  LineUnknowns<Scalar, GatheredPlaces> m_separators;  ///< the same values; places are those of separators
  int m_steps;                                        ///< of an index
  int m_ranges;                                       ///< indices of a pack

  KOKKOS_FUNCTION void operator()(std::int64_t index, int v) const {
    auto const ranges = m_parts.packs() * m_ranges;
    if (index < ranges) return expand(index / m_ranges, static_cast<int>(index % m_ranges) * m_steps, v);
    auto const first = (index - ranges) * vector_length + v * internal_length;
    for (int l = 0; l < internal_length; ++l) copy_separator<n, vector_length>(m_separators, first + l, m_reduced);
  }

 private:
  KOKKOS_FUNCTION void expand(std::int64_t pack, int begin, int v) const {
    Lanes const lanes(m_parts, pack, v);
    Cursor const cursor(m_x.m_places, m_parts, lanes);
    int const end = begin + m_steps < lanes.m_length ? begin + m_steps : lanes.m_length;
    if (begin >= end) return;
    Vector const left = separator(m_left, lanes);
    Vector const right = separator(m_right, lanes);
    for (int step = begin; step < end; ++step) {
      auto const item = m_parts.first_item(pack) + step;
      Vector x;
      cursor.template load<n>(m_x.m_data, m_x.m_entries, m_x.m_first, step, x.m_entries);
      m_spikes.template scale<true>(x);
      block::gemv_subtract<n>(StoredBlock{m_spikes.m_left.pack_data(item) + lanes.m_first_lane}, left, x);
      if (!m_spikes.m_single) {
        block::gemv_subtract<n>(StoredBlock{m_spikes.m_right.pack_data(item) + lanes.m_first_lane}, right, x);
      }
      m_spikes.template scale<false>(x);
      cursor.template store<n>(m_x.m_data, m_x.m_entries, m_x.m_first, step, x.m_entries);
    }
  }

  /// In the units of the part's factors.
  KOKKOS_FUNCTION Vector separator(const int* table, const Lanes& lanes) const {
    Vector x;
    HYPERPLANE_HOST_UNROLL
    for (int c = 0; c < n; ++c) {
      x[c] = PackType(0);
      for (int l = 0; l < internal_length; ++l) {
        int const slot = table[lanes.m_pack * vector_length + lanes.m_first_lane + l];
        if (slot >= 0) x[c].set(l, reduced(slot, c));
      }
    }
    m_spikes.template scale<true>(x);
    return x;
  }

  KOKKOS_FUNCTION Scalar reduced(int slot, int c) const {
    return m_reduced[(std::int64_t{slot / vector_length} * n + c) * vector_length + slot % vector_length];
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
