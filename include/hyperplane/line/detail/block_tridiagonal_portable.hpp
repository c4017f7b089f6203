// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/diagnosis.hpp>
#include <hyperplane/block/gemm.hpp>
#include <hyperplane/block/gemv.hpp>
#include <hyperplane/block/inverse.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/host/prefetch.hpp>
#include <hyperplane/line/detail/line_blocks.hpp>
#include <hyperplane/line/detail/line_cursor.hpp>
#include <hyperplane/line/detail/line_factors.hpp>
#include <hyperplane/line/detail/line_units.hpp>
#include <hyperplane/simd/pack.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// The portable path of BlockTridiagonal, bodies of for_line_packs: each internal vector of a pack of lines for itself.
/// Hosts have a factorization of their own, LineFactorHost.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <class Scalar, int n, class Exec, class Storage, class MatrixStorage, class Places, int vector_length,
          int internal_length>
struct LineFactorPortable {
  using PackType = Pack<Scalar, internal_length>;
  using Block = block::Matrix<PackType, n>;
  using Lanes = LineLanes<internal_length, vector_length>;
  using Cursor = LineCursor<Places, internal_length, vector_length>;
  static constexpr int block_entries = n * n;
  using Factors = LineFactors<Storage, n, vector_length>;
  static constexpr bool has_units = Factors::Scales::exist;

  LineMatrix<MatrixStorage, Places> m_a;
  Factors m_factors;
  typename SingularPivotRecord<Exec>::Ref m_singular;

  KOKKOS_FUNCTION void operator()(std::int64_t pack, int v) const {
    auto const& layout = m_factors.m_layout;
    Lanes const lanes(layout, pack, v);
    Cursor const cursor(m_a.m_places, layout, lanes);
    Block upper, given, d;
    for (auto& entry : upper.m_entries) entry = PackType(0);
    for (int step = 0; step < lanes.m_length; ++step) {
      bool const inner = lanes.is_inner(step);
      load(cursor, LineBlock::lower, step, given);
      if (!inner) clear_lower(given, lanes, step);
      PackType excess(0);
      if constexpr (sizeof(Storage) < sizeof(MatrixStorage) && !has_units) {
        excess = block::storage_excess<Storage, Scalar>(given);
      }
      if constexpr (!has_units) keep(given, m_factors.lower(pack, step, LineFactor::lower) + lanes.m_first_lane);
      load(cursor, LineBlock::diagonal, step, d);
      if (!inner) make_regular(d, lanes, step);
      block::gemm_subtract<n>(given, upper, d);
      block::invert<n>(
          d, [&](const auto& mask, int equation) { record_singular(layout, lanes, step, mask, equation, m_singular); });
      if constexpr (has_units) {
        keep_in_units(lanes, step, given, d, excess);
      } else {
        excess += block::storage_excess<Storage, Scalar>(d);
        keep(d, m_factors.lower(pack, step, LineFactor::inverse) + lanes.m_first_lane);
      }
      load(cursor, LineBlock::upper, step, given);
      if (!inner) clear_upper(given, lanes, step);
      block::gemm<n>(d, given, upper);
      keep_upper(lanes, step, upper, excess);
      auto const unstorable = excess != PackType(0);
      if (any(unstorable)) record_singular(layout, lanes, step, unstorable, unstorable_code, m_singular);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void keep_in_units(const Lanes& lanes, int step, Block& lower, const Block& d,
                                                 PackType& excess) const {
    Block inverse = d;
    auto const item = m_factors.m_layout.first_item(lanes.m_pack) + step;
    take_row_into_units<n>(m_factors.m_scales, item, lanes.m_first_lane, lower, inverse);
    excess = block::storage_excess<Storage, Scalar>(lower) + block::storage_excess<Storage, Scalar>(inverse);
    keep(lower, m_factors.lower(lanes.m_pack, step, LineFactor::lower) + lanes.m_first_lane);
    keep(inverse, m_factors.lower(lanes.m_pack, step, LineFactor::inverse) + lanes.m_first_lane);
  }

  /// In units, where there are some. What is too large is recorded: the next point takes it as it was before.
  KOKKOS_FORCEINLINE_FUNCTION void keep_upper(const Lanes& lanes, int step, const Block& upper,
                                              [[maybe_unused]] PackType& excess) const {
    Storage* const to = m_factors.upper(lanes.m_pack, step) + lanes.m_first_lane;
    if constexpr (sizeof(Storage) < sizeof(Scalar)) {
      Block stored = upper;
      if constexpr (has_units) take_upper_into_units<n>(m_factors.m_scales, stored);
      excess += block::storage_excess<Storage, Scalar>(stored);
      keep(stored, to);
    } else {
      keep(upper, to);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void load(const Cursor& cursor, LineBlock block, int step, Block& values) const {
    cursor.template load<block_entries>(m_a.m_data, m_a.m_entries, m_a.m_first[static_cast<int>(block)], step,
                                        values.m_entries);
  }

  KOKKOS_FORCEINLINE_FUNCTION static void keep(const Block& block, Storage* values) {
    HYPERPLANE_UNROLL
    for (int e = 0; e < block_entries; ++e) {
      block.m_entries[e].store(values + e * vector_length);
    }
  }
};

/// `many`: whether there may be more columns than one; what has one is not compiled for many. `transposed`: of M^T =
/// (I + d^-1 U)^T (d + L)^T, whose sweeps read both streams of factors towards lower addresses.
template <class Scalar, int n, class Storage, class Places, int vector_length, int internal_length, bool many,
          bool transposed>
struct LineSolvePortable {
  using PackType = Pack<Scalar, internal_length>;
  using Vector = block::Vector<PackType, n>;
  using Lanes = LineLanes<internal_length, vector_length>;
  using Cursor = LineCursor<Places, internal_length, vector_length>;

  using StoredBlock = block::PackMatrix<PackType, Storage, n, vector_length>;
  using TransposedBlock = block::TransposedBlock<StoredBlock>;
  static constexpr int block_values = n * n * vector_length;
  /// So that at least about 64 vectors lie between, for small blocks.
  static constexpr int steps_ahead = 2 + 63 / (n * n);

  using Factors = LineFactors<Storage, n, vector_length>;
  using Units = LineUnits<n, typename Factors::Scales, transposed>;

  Factors m_factors;
  LineUnknowns<const Scalar, Places> m_rhs;
  LineUnknowns<Scalar, Places> m_x;
  int m_columns;

  KOKKOS_FUNCTION void operator()(std::int64_t pack, int v) const {
    auto const& layout = m_factors.m_layout;
    Lanes const lanes(layout, pack, v);
    Cursor const cursor(m_x.m_places, layout, lanes);
    if constexpr (transposed) {
      sweep_transposed(lanes, cursor);
    } else {
      sweep(lanes, cursor);
    }
  }

 private:
  /// With many columns a block is used for all of them while it is in the cache, and so is the step before in x.
  KOKKOS_FORCEINLINE_FUNCTION void sweep(const Lanes& lanes, const Cursor& cursor) const {
    auto const pack = lanes.m_pack;
    auto const first_item = m_factors.m_layout.first_item(pack);
    Units const units{m_factors.m_scales};
    int const lane = lanes.m_first_lane;
    Vector y;
    clear(y);
    for (int step = 0; step < lanes.m_length; ++step) {
      StoredBlock const lower{m_factors.lower(pack, step, LineFactor::lower) + lane};
      StoredBlock const inverse{m_factors.lower(pack, step, LineFactor::inverse) + lane};
      for (int column = 0; column < (many ? m_columns : 1); ++column) {
        if constexpr (many) load_before(cursor, step > 0, step - 1, column, y);
        Vector sum;
        cursor.template load<n>(m_rhs.m_data, m_rhs.m_entries, m_rhs.m_first + column * n, step, sum.m_entries);
        units.take_in(first_item + step, lane, sum);
        block::gemv_subtract<n>(lower, y, sum);
        block::gemv<n>(inverse, sum, y);
        cursor.template store<n>(m_x.m_data, m_x.m_entries, m_x.m_first + column * n, step, y.m_entries);
      }
    }
    clear(y);
    for (int step = lanes.m_length - 1; step >= 0; --step) {
      StoredBlock const upper{m_factors.upper(pack, step) + lane};
      for (int column = 0; column < (many ? m_columns : 1); ++column) {
        if constexpr (many) load_solved(cursor, lanes, step + 1, column, y);
        Vector x;
        cursor.template load<n>(m_x.m_data, m_x.m_entries, m_x.m_first + column * n, step, x.m_entries);
        block::gemv_subtract<n>(upper, y, x);
        y = x;
        units.take_out(first_item + step, lane, x);
        cursor.template store<n>(m_x.m_data, m_x.m_entries, m_x.m_first + column * n, step, x.m_entries);
      }
    }
  }

  /// y[p] = b[p] - (d[p-1]^-1 U[p-1])^T y[p-1], x[p] = d[p]^-T (y[p] - L[p+1]^T x[p+1]).
  KOKKOS_FORCEINLINE_FUNCTION void sweep_transposed(const Lanes& lanes, const Cursor& cursor) const {
    auto const pack = lanes.m_pack;
    auto const first_item = m_factors.m_layout.first_item(pack);
    Units const units{m_factors.m_scales};
    int const lane = lanes.m_first_lane, last = lanes.m_length - 1;
    Vector y;
    clear(y);
    for (int step = 0; step <= last; ++step) {
      // Before the first step there is nothing to multiply with any block.
      int const before = step > 0 ? step - 1 : 0;
      TransposedBlock const upper{{m_factors.upper(pack, before) + lane}};
      KOKKOS_IF_ON_HOST((prefetch_narrow(m_factors.upper(pack, before + steps_ahead), block_values);))
      for (int column = 0; column < (many ? m_columns : 1); ++column) {
        if constexpr (many) load_before(cursor, step > 0, step - 1, column, y);
        Vector sum;
        cursor.template load<n>(m_rhs.m_data, m_rhs.m_entries, m_rhs.m_first + column * n, step, sum.m_entries);
        units.take_in(first_item + step, lane, sum);
        block::gemv_subtract<n>(upper, y, sum);
        cursor.template store<n>(m_x.m_data, m_x.m_entries, m_x.m_first + column * n, step, sum.m_entries);
        y = sum;
      }
    }
    clear(y);
    for (int step = last; step >= 0; --step) {
      TransposedBlock const lower{{m_factors.lower(pack, step < last ? step + 1 : last, LineFactor::lower) + lane}};
      TransposedBlock const inverse{{m_factors.lower(pack, step, LineFactor::inverse) + lane}};
      KOKKOS_IF_ON_HOST((prefetch_narrow(m_factors.lower(pack, step - steps_ahead, LineFactor::inverse),
                                         line_lower_blocks * block_values);))
      for (int column = 0; column < (many ? m_columns : 1); ++column) {
        if constexpr (many) load_solved(cursor, lanes, step + 1, column, y);
        Vector sum;
        cursor.template load<n>(m_x.m_data, m_x.m_entries, m_x.m_first + column * n, step, sum.m_entries);
        block::gemv_subtract<n>(lower, y, sum);
        block::gemv<n>(inverse, sum, y);
        Vector x = y;
        units.take_out(first_item + step, lane, x);
        cursor.template store<n>(m_x.m_data, m_x.m_entries, m_x.m_first + column * n, step, x.m_entries);
      }
    }
  }

  /// A Zen 5 follows streams of wide values towards lower addresses by itself, too: asking for them cost a fifth of a
  /// solve there. Narrow ones a Zen 4 does not follow either.
  static void prefetch_narrow([[maybe_unused]] const Storage* values, [[maybe_unused]] int count) {
    if constexpr (host::reads_narrow<Scalar, Storage>) host::prefetch_values(values, count);
  }

  KOKKOS_FORCEINLINE_FUNCTION static void clear(Vector& y) {
    HYPERPLANE_HOST_UNROLL
    for (int c = 0; c < n; ++c) y[c] = PackType(0);
  }

  KOKKOS_FORCEINLINE_FUNCTION void load_before(const Cursor& cursor, bool exists, int step, int column,
                                               Vector& y) const {
    if (exists) {
      cursor.template load<n>(m_x.m_data, m_x.m_entries, m_x.m_first + column * n, step, y.m_entries);
    } else {
      clear(y);
    }
  }
  /// What the sweep downwards has computed, in the units of the factors.
  KOKKOS_FORCEINLINE_FUNCTION void load_solved(const Cursor& cursor, const Lanes& lanes, int step, int column,
                                               Vector& x) const {
    load_before(cursor, step < lanes.m_length, step, column, x);
    if (step < lanes.m_length) {
      auto const item = m_factors.m_layout.first_item(lanes.m_pack) + step;
      Units{m_factors.m_scales}.take_back(item, lanes.m_first_lane, x);
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
