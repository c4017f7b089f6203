// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/gemm.hpp>
#include <hyperplane/block/gemv.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/singular_pivot.hpp>
#include <hyperplane/core/storage_excess.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/line/detail/line_blocks.hpp>
#include <hyperplane/line/detail/line_cursor.hpp>
#include <hyperplane/line/detail/line_factors.hpp>
#include <hyperplane/line/detail/line_separators.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/sweep/factor_scales.hpp>

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

/// Kernels of the factorization of LineSplit, which says what they compute: bodies of for_line_packs.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// `columns` of the spikes' n columns, which do not depend on one another, for an internal vector of a pack of parts:
/// all of them, or one. Those that are too large for a type that is narrower than Scalar are recorded.
template <class Scalar, int n, class Exec, class Storage, class MatrixStorage, int vector_length, int internal_length,
          int columns>
struct LineSpikeFactor {
  static_assert(columns == n || columns == 1);
  using PackType = Pack<Scalar, internal_length>;
  using Columns = std::conditional_t<columns == n, block::Matrix<PackType, n>, block::Vector<PackType, n>>;
  using Lanes = LineLanes<internal_length, vector_length>;
  using Cursor = LineCursor<GatheredPlaces, internal_length, vector_length>;
  /// Indices of a pack.
  static constexpr int groups = n / columns;
  static constexpr int entries = n * columns;

  using StoredBlock = block::PackMatrix<PackType, Storage, n, vector_length>;

  LineMatrix<MatrixStorage, GatheredPlaces> m_a;
  LineFactors<Storage, n, vector_length> m_factors;
  LineSpikes<Storage, n, vector_length> m_spikes;
  const int* m_left;  ///< of each lane of each pack of parts: slot of the separator; -1 where there is none
  const int* m_right;
  typename SingularPivotRecord<Exec>::Ref m_unstorable;

  KOKKOS_FUNCTION void operator()(std::int64_t index, int v) const {
    auto const pack = index / groups;
    int const entry = static_cast<int>(index % groups) * entries;
    auto const& layout = m_factors.m_layout;
    Lanes const lanes(layout, pack, v);
    Cursor const cursor(m_a.m_places, layout, lanes);
    auto const lane = lanes.m_first_lane;
    auto const first = layout.first_item(pack);
    Columns z, other, sum;
    clear(z);
    for (int step = 0; step < lanes.m_length; ++step) {
      coupling<LineBlock::lower>(cursor, lanes, step, entry, sum);
      if (m_spikes.m_single) {
        coupling<LineBlock::upper>(cursor, lanes, step, entry, other);
        for (int e = 0; e < entries; ++e) sum.m_entries[e] += other.m_entries[e];
      }
      multiply_subtract(StoredBlock{m_factors.lower(pack, step, LineFactor::lower) + lane}, z, sum);
      multiply(StoredBlock{m_factors.lower(pack, step, LineFactor::inverse) + lane}, sum, z);
      keep(lanes, step, z, m_spikes.m_left.pack_data(first + step, entry) + lane);
    }
    clear(z);
    for (int step = lanes.m_length - 1; step >= 0; --step) {
      Storage* const values = m_spikes.m_left.pack_data(first + step, entry) + lane;
      for (int e = 0; e < entries; ++e) sum.m_entries[e] = PackType::load(values + e * vector_length);
      multiply_subtract(StoredBlock{m_factors.upper(pack, step) + lane}, z, sum);
      z = sum;
      keep(lanes, step, z, values);
    }
    if (m_spikes.m_single) return;
    clear(z);
    for (int step = lanes.m_length - 1; step >= 0; --step) {
      coupling<LineBlock::upper>(cursor, lanes, step, entry, other);
      multiply(StoredBlock{m_factors.lower(pack, step, LineFactor::inverse) + lane}, other, sum);
      multiply_subtract(StoredBlock{m_factors.upper(pack, step) + lane}, z, sum);
      z = sum;
      keep(lanes, step, z, m_spikes.m_right.pack_data(first + step, entry) + lane);
    }
  }

 private:
  KOKKOS_FUNCTION static void clear(Columns& block) {
    for (auto& value : block.m_entries) value = PackType(0);
  }
  KOKKOS_FUNCTION void keep(const Lanes& lanes, int step, const Columns& block, Storage* values) const {
    for (int e = 0; e < entries; ++e) block.m_entries[e].store(values + e * vector_length);
    if constexpr (sizeof(Storage) < sizeof(Scalar)) {
      auto const excess =
          sum_apart<entries, PackType>([&](int e) { return storage_excess<Storage, Scalar>(block.m_entries[e]); });
      if (any(excess != PackType(0))) {
        record_singular(m_factors.m_layout, lanes, step, excess != PackType(0), unstorable_code, m_unstorable);
      }
    }
  }
  /// The columns from `entry` on of a block of the matrix, in the units of the factors.
  KOKKOS_FUNCTION void take_into_units([[maybe_unused]] const Lanes& lanes, [[maybe_unused]] int step,
                                       [[maybe_unused]] int entry, [[maybe_unused]] Columns& block) const {
    if constexpr (has_scales<Storage>) {
      auto const& scales = m_factors.m_scales;
      auto const item = m_factors.m_layout.first_item(lanes.m_pack) + step;
      for (int e = 0; e < entries; ++e) {
        auto const equation = PackType::load(scales.equation(item, e % n) + lanes.m_first_lane);
        block.m_entries[e] = block::scaled(block.m_entries[e], scales.unknown((entry + e) / n)) * equation;
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static void multiply(const StoredBlock& a, const Columns& b, Columns& c) {
    if constexpr (columns == n) {
      block::gemm<n>(a, b, c);
    } else {
      block::gemv<n>(a, b, c);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static void multiply_subtract(const StoredBlock& a, const Columns& b, Columns& c) {
    if constexpr (columns == n) {
      block::gemm_subtract<n>(a, b, c);
    } else {
      block::gemv_subtract<n>(a, b, c);
    }
  }

  /// Columns of the block that couples the first point of a part to the separator before it, or the last to the one
  /// after it, in the lanes that are there at this step; zero in the others, and where there is no separator: what an
  /// open line has there belongs to no point.
  template <LineBlock which>
  KOKKOS_FUNCTION void coupling(const Cursor& cursor, const Lanes& lanes, int step, int entry, Columns& block) const {
    constexpr bool lower = which == LineBlock::lower;
    const int* const separators = (lower ? m_left : m_right) + lanes.m_pack * vector_length + lanes.m_first_lane;
    auto const here = [&](int l) {
      return (lower ? step == lanes.m_begins[l] : step + 1 == lanes.m_ends[l]) && separators[l] >= 0;
    };
    bool any_here = false;
    for (int l = 0; l < internal_length; ++l) any_here = any_here || here(l);
    clear(block);
    if (!any_here) return;
    cursor.template load<entries>(m_a.m_data, m_a.m_entries, m_a.m_first[static_cast<int>(which)] + entry, step,
                                  block.m_entries);
    clear_lanes(block, [&](int l) { return !here(l); });
    take_into_units(lanes, step, entry, block);
  }
};

/// For each column of the blocks and each lane of each item of the separators' layout: the reduced matrix, and the
/// separators' own couplings. Those that are too large for a type that is narrower than Scalar are recorded.
template <class Scalar, int n, class Exec, class Storage, class MatrixStorage, int vector_length>
struct LineReduce {
  using Vector = block::Vector<Scalar, n>;
  using Coupling = WideStorage<Scalar, Storage>;

  LineMatrix<MatrixStorage, GatheredPlaces> m_a;  ///< places are those of separators
  LineSpikes<Storage, n, vector_length> m_spikes;
  LineSeparators m_separators;
  Scalar* m_reduced;      ///< three blocks a separator
  Coupling* m_couplings;  ///< the lower and the upper block
  typename SingularPivotRecord<Exec>::Ref m_unstorable;
  static constexpr int shift = std::countr_zero(static_cast<unsigned>(vector_length));

  KOKKOS_FUNCTION void operator()(std::int64_t item_column, int lane) const {
    auto const index = item_column / n * vector_length + lane;
    int const column = static_cast<int>(item_column % n);
    int const slot = m_a.m_places.m_slots[index];
    if (slot < 0) return;
    auto const to = static_cast<int>(index);
    Given const lower = given(LineBlock::lower, slot), upper = given(LineBlock::upper, slot);
    Given const own = given(LineBlock::diagonal, slot);
    Vector diagonal, reduced_lower, reduced_upper;
    for (int r = 0; r < n; ++r) {
      diagonal[r] = own(r, column);
      reduced_lower[r] = reduced_upper[r] = 0;
    }
    int const before = m_separators.m_before[index], after = m_separators.m_after[index];
    bool const same_before = m_separators.m_same[index] & 1, same_after = m_separators.m_same[index] & 2;
    if (before < 0 && after < 0) {
      // A periodic line of one point.
      for (int r = 0; r < n; ++r) diagonal[r] += lower(r, column) + upper(r, column);
    }
    if (before >= 0) {
      subtract(lower, spike(m_spikes.m_left, before, column), same_before, diagonal, reduced_lower);
      if (!m_spikes.m_single) block::gemv_subtract<n>(lower, spike(m_spikes.m_right, before, column), diagonal);
    }
    if (after >= 0) {
      block::gemv_subtract<n>(upper, spike(m_spikes.m_left, after, column), diagonal);
      if (!m_spikes.m_single) {
        subtract(upper, spike(m_spikes.m_right, after, column), same_after, diagonal, reduced_upper);
      }
    }
    for (int r = 0; r < n; ++r) {
      int const e = column * n + r;
      slot_entry(m_reduced, line_blocks * n * n, e, to, shift) = reduced_lower[r];
      slot_entry(m_reduced, line_blocks * n * n, n * n + e, to, shift) = diagonal[r];
      slot_entry(m_reduced, line_blocks * n * n, 2 * n * n + e, to, shift) = reduced_upper[r];
      slot_entry(m_couplings, 2 * n * n, e, to, shift) = static_cast<Coupling>(lower(r, column));
      slot_entry(m_couplings, 2 * n * n, n * n + e, to, shift) = static_cast<Coupling>(upper(r, column));
    }
    if constexpr (sizeof(Coupling) < sizeof(Scalar)) {
      // A periodic line of one point has none.
      bool const fits = (before < 0 || is_storable(lower, column)) && (after < 0 || is_storable(upper, column));
      if (!fits) m_unstorable.record(m_separators.m_ordinal[index], unstorable_code);
    }
  }

 private:
  /// A block of a slot of A.
  struct Given {
    const MatrixStorage* m_data;
    int m_width;
    KOKKOS_FUNCTION Scalar operator()(int r, int c) const { return static_cast<Scalar>(m_data[(c * n + r) * m_width]); }
  };
  KOKKOS_FUNCTION Given given(LineBlock which, int slot) const {
    int const shift_given = m_a.m_places.m_shift;
    return {&slot_entry(m_a.m_data, m_a.m_entries, m_a.m_first[static_cast<int>(which)], slot, shift_given),
            1 << shift_given};
  }

  KOKKOS_FUNCTION static bool is_storable(const Given& a, int column) {
    return sum_apart<n, Scalar>([&](int r) { return storage_excess<Coupling, Scalar>(a(r, column)); }) == Scalar(0);
  }

  KOKKOS_FUNCTION Vector spike(const typename LineSpikes<Storage, n, vector_length>::Ref& spikes, int slot,
                               int column) const {
    Vector x;
    for (int r = 0; r < n; ++r) {
      x[r] = static_cast<Scalar>(spikes(slot / vector_length, column * n + r, slot % vector_length));
      if constexpr (has_scales<Storage>) x[r] = block::scaled(x[r], m_spikes.m_scales.upper()[column * n + r]);
    }
    return x;
  }

  KOKKOS_FORCEINLINE_FUNCTION static void subtract(const Given& a, const Vector& x, bool same, Vector& diagonal,
                                                   Vector& beside) {
    if (same) {
      block::gemv_subtract<n>(a, x, diagonal);
    } else {
      block::gemv_subtract<n>(a, x, beside);
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
