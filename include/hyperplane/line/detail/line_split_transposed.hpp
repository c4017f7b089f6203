// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/gemv.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/line/detail/line_cursor.hpp>
#include <hyperplane/line/detail/line_factors.hpp>
#include <hyperplane/line/detail/line_separators.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>
#include <hyperplane/simd/pack.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// Kernels of LineSplit::solve_transposed(), which says what they compute: bodies of for_line_packs.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The transposed spikes times the right-hand side of a part: the share of the part in the equations of the separators
/// beside it, some columns of the spikes an index. A separator has n values from the part before, and then n from the
/// part after it.
template <class Scalar, int n, class Storage, int vector_length, int internal_length, int columns>
struct LineShare {
  static constexpr int groups = n / columns;  ///< indices of a pack
  static_assert(groups * columns == n);
  using PackType = Pack<Scalar, internal_length>;
  using Vector = block::Vector<PackType, n>;
  using Lanes = LineLanes<internal_length, vector_length>;
  using Cursor = LineCursor<GatheredPlaces, internal_length, vector_length>;

  using StoredBlock = block::PackMatrix<PackType, Storage, n, vector_length>;
  using Share = block::Vector<PackType, columns>;

  LineLayoutRef<vector_length> m_parts;
  LineSpikes<Storage, n, vector_length> m_spikes;
  const int* m_left;  ///< of each lane of each pack of parts: slot of the separator; -1 where there is none
  const int* m_right;
  LineUnknowns<const Scalar, GatheredPlaces> m_rhs;  ///< places are those of parts
  InterleavedRef<Scalar, vector_length, 2 * n> m_shares;

  KOKKOS_FUNCTION void operator()(std::int64_t index, int v) const {
    std::int64_t const pack = index / groups;
    int const column = static_cast<int>(index % groups) * columns;
    Lanes const lanes(m_parts, pack, v);
    Cursor const cursor(m_rhs.m_places, m_parts, lanes);
    Share left, right;
    HYPERPLANE_HOST_UNROLL
    for (int c = 0; c < columns; ++c) left[c] = right[c] = PackType(0);
    for (int step = 0; step < lanes.m_length; ++step) {
      auto const item = m_parts.first_item(pack) + step;
      Vector b;
      cursor.template load<n>(m_rhs.m_data, m_rhs.m_entries, m_rhs.m_first, step, b.m_entries);
      m_spikes.template scale<false>(b);
      add(StoredBlock{m_spikes.m_left.pack_data(item) + lanes.m_first_lane}, column, b, left);
      if (!m_spikes.m_single) {
        add(StoredBlock{m_spikes.m_right.pack_data(item) + lanes.m_first_lane}, column, b, right);
      }
    }
    m_spikes.template scale<true>(left, column);
    m_spikes.template scale<true>(right, column);
    keep(m_left, lanes, n + column, left);
    if (!m_spikes.m_single) keep(m_right, lanes, column, right);
  }

 private:
  KOKKOS_FUNCTION static void add(const StoredBlock& spike, int column, const Vector& b, Share& share) {
    HYPERPLANE_UNROLL
    for (int r = 0; r < n; ++r) {
      HYPERPLANE_UNROLL
      for (int c = 0; c < columns; ++c) share[c] += spike(r, column + c) * b[r];
    }
  }
  KOKKOS_FUNCTION void keep(const int* separators, const Lanes& lanes, int first, const Share& share) const {
    for (int l = 0; l < internal_length; ++l) {
      int const slot = separators[lanes.m_pack * vector_length + lanes.m_first_lane + l];
      if (slot < 0) continue;
      for (int c = 0; c < columns; ++c) m_shares(slot / vector_length, first + c, slot % vector_length) = share[c][l];
    }
  }
};

/// The right-hand side of the transposed reduced system: that of the separator less the shares of the parts beside it.
template <class Scalar, int n, int vector_length>
struct LineReduceShares {
  LineUnknowns<const Scalar, GatheredPlaces> m_rhs;  ///< places are those of separators
  LineSeparators m_separators;
  bool m_single;  ///< both parts are one, which has one share
  InterleavedRef<Scalar, vector_length, 2 * n> m_shares;
  Scalar* m_reduced;

  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane) const {
    auto const index = item * vector_length + lane;
    int const slot = m_rhs.m_places.m_slots[index];
    if (slot < 0) return;
    bool const before = !m_single && m_separators.m_before[index] >= 0, after = m_separators.m_after[index] >= 0;
    for (int c = 0; c < n; ++c) {
      Scalar sum = slot_entry(m_rhs.m_data, m_rhs.m_entries, m_rhs.m_first + c, slot, m_rhs.m_places.m_shift);
      if (before) sum -= m_shares(item, c, lane);
      if (after) sum -= m_shares(item, n + c, lane);
      m_reduced[(item * n + c) * vector_length + lane] = sum;
    }
  }
};

/// What is left for the parts: their right-hand side, less what the separators' unknowns give to the first and the last
/// point of each by the blocks of the separators that couple them, some steps of a pack an index; then x of the
/// separators, item by item.
template <class Scalar, int n, class Storage, int vector_length, int internal_length>
struct LineSpread {
  using PackType = Pack<Scalar, internal_length>;
  using Lanes = LineLanes<internal_length, vector_length>;
  using Cursor = LineCursor<GatheredPlaces, internal_length, vector_length>;

  LineLayoutRef<vector_length> m_parts;
  const WideStorage<Scalar, Storage>* m_couplings;  ///< the lower and the upper block of each separator
  const int* m_left;  ///< of each lane of each pack of parts: slot of the separator; -1 where there is none
  const int* m_right;
  const Scalar* m_reduced;
  LineUnknowns<const Scalar, GatheredPlaces> m_rhs;  ///< places are those of parts
  LineUnknowns<Scalar, GatheredPlaces> m_x;
  LineUnknowns<Scalar, GatheredPlaces> m_separators;  ///< the values of x; places are those of separators
  int m_steps;                                        ///< of an index
  int m_ranges;                                       ///< indices of a pack

  KOKKOS_FUNCTION void operator()(std::int64_t index, int v) const {
    auto const ranges = m_parts.m_packs * m_ranges;
    if (index < ranges) return spread(index / m_ranges, static_cast<int>(index % m_ranges) * m_steps, v);
    auto const first = (index - ranges) * vector_length + v * internal_length;
    for (int l = 0; l < internal_length; ++l) copy_separator<n, vector_length>(m_separators, first + l, m_reduced);
  }

 private:
  KOKKOS_FUNCTION void spread(std::int64_t pack, int begin, int v) const {
    Lanes const lanes(m_parts, pack, v);
    Cursor const cursor(m_x.m_places, m_parts, lanes);
    int const end = begin + m_steps < lanes.m_length ? begin + m_steps : lanes.m_length;
    for (int step = begin; step < end && m_rhs.m_data != m_x.m_data; ++step) {
      block::Vector<PackType, n> x;
      cursor.template load<n>(m_rhs.m_data, m_rhs.m_entries, m_rhs.m_first, step, x.m_entries);
      cursor.template store<n>(m_x.m_data, m_x.m_entries, m_x.m_first, step, x.m_entries);
    }
    for (int l = 0; l < internal_length; ++l) {
      auto const lane = pack * vector_length + lanes.m_first_lane + l;
      int const first = lanes.m_begins[l], last = lanes.m_ends[l] - 1;
      if (m_left[lane] >= 0 && first >= begin && first < end) subtract(m_left[lane], n * n, lanes, l, first);
      if (m_right[lane] >= 0 && last >= begin && last < end) subtract(m_right[lane], 0, lanes, l, last);
    }
  }

  /// A block of a separator, the lower or the upper one, transposed, times its unknowns, from x of a lane at a step.
  KOKKOS_FUNCTION void subtract(int separator, int first, const Lanes& lanes, int l, int step) const {
    auto const item = m_parts.first_item(lanes.m_pack) + step;
    int const slot = m_x.m_places.m_slots[item * vector_length + lanes.m_first_lane + l];
    std::int64_t const pack = separator / vector_length;
    int const lane = separator % vector_length;
    using Given = block::LaneMatrix<Scalar, WideStorage<Scalar, Storage>, n, vector_length>;
    block::TransposedBlock<Given> const coupling{{m_couplings + (pack * 2 * n * n + first) * vector_length + lane}};
    block::Vector<Scalar, n> known, product;
    for (int c = 0; c < n; ++c) known[c] = m_reduced[(pack * n + c) * vector_length + lane];
    block::gemv<n>(coupling, known, product);
    for (int c = 0; c < n; ++c) {
      slot_entry(m_x.m_data, m_x.m_entries, m_x.m_first + c, slot, m_x.m_places.m_shift) -= product[c];
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
