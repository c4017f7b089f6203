// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/diagnosis.hpp>
#include <hyperplane/block/gemm.hpp>
#include <hyperplane/block/inverse.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/line/detail/line_blocks.hpp>
#include <hyperplane/line/detail/line_cursor.hpp>
#include <hyperplane/line/detail/line_factors.hpp>
#include <hyperplane/line/detail/line_units.hpp>
#include <hyperplane/simd/pack.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What LineFactorHost does at a step, whatever the places. While a product or an inverse is computed, a block that is
/// done is written past the caches, vector by vector, and for each a vector of a later step is prefetched. What is
/// stored in units of its own is another block, which is written when it is there.
template <class Scalar, int n, class Exec, class Storage, class MatrixStorage, int vector_length>
struct LineFactorStep {
  using PackType = Pack<Scalar, vector_length>;
  using Block = block::Matrix<PackType, n>;
  using Operand = block::PackMatrix<PackType, Scalar, n>;
  using Lanes = LineLanes<vector_length, vector_length>;
  static constexpr int block_entries = n * n;

  using Factors = LineFactors<Storage, n, vector_length>;
  static constexpr bool has_units = Factors::Scales::exist;

  Factors m_factors;
  typename SingularPivotRecord<Exec>::Ref m_singular;

  /// d = diagonal - lower * upper, where upper is that of the step before: it is written.
  KOKKOS_FUNCTION void eliminate(const Lanes& lanes, int step, const Operand& diagonal, const Operand& lower,
                                 const Block& upper, Block& d, const MatrixStorage* ahead) const {
    Storage* const to = !has_units && step > 0 ? m_factors.upper(lanes.m_pack, step - 1) : nullptr;
    block::gemm_subtract_from<n>(diagonal, lower, upper, d, BesideGemm{data(upper), to, ahead});
  }

  /// d = d^-1; lower is written.
  KOKKOS_FUNCTION void invert(const Lanes& lanes, int step, const Operand& lower, Block& d,
                              const MatrixStorage* ahead) const {
    auto const report = [&](const auto& mask, int equation) {
      record_singular(m_factors.m_layout, lanes, step, mask, equation, m_singular);
    };
    Storage* const to = m_factors.lower(lanes.m_pack, step, LineFactor::lower);
    block::invert<n>(d, report, Transfer<n>{lower.m_data, has_units ? nullptr : to, ahead});
    if constexpr (has_units) {
      Block stored_lower, stored = d;
      for (int e = 0; e < block_entries; ++e) {
        stored_lower.m_entries[e] = PackType::load(lower.m_data + e * vector_length);
      }
      take_row_into_units<n>(m_factors.m_scales, m_factors.m_layout.first_item(lanes.m_pack) + step, 0, stored_lower,
                             stored);
      write(stored_lower, to);
      write(stored, m_factors.lower(lanes.m_pack, step, LineFactor::inverse));
      check(lanes, step,
            block::storage_excess<Storage, Scalar>(stored_lower) + block::storage_excess<Storage, Scalar>(stored));
    } else {
      PackType excess = block::storage_excess<Storage, Scalar>(d);
      if constexpr (sizeof(Storage) < sizeof(MatrixStorage)) {
        for (int e = 0; e < block_entries; ++e) {
          excess += storage_excess<Storage, Scalar>(PackType::load(lower.m_data + e * vector_length));
        }
      }
      check(lanes, step, excess);
    }
  }

  /// upper = inverse * given; inverse is written. What is too large is recorded: the next point takes it as it was
  /// before.
  KOKKOS_FUNCTION void scale(const Lanes& lanes, int step, const Block& inverse, const Operand& given, Block& upper,
                             const MatrixStorage* ahead) const {
    Storage* const to = has_units ? nullptr : m_factors.lower(lanes.m_pack, step, LineFactor::inverse);
    block::gemm<n>(inverse, given, upper, BesideGemm{data(inverse), to, ahead});
    if constexpr (has_units) {
      Block stored = upper;
      take_upper_into_units<n>(m_factors.m_scales, stored);
      write(stored, m_factors.upper(lanes.m_pack, step));
      check(lanes, step, block::storage_excess<Storage, Scalar>(stored));
    } else if constexpr (sizeof(Storage) < sizeof(Scalar)) {
      check(lanes, step, block::storage_excess<Storage, Scalar>(upper));
    }
  }

  /// After the last step.
  KOKKOS_FUNCTION void finish(const Lanes& lanes, const Block& upper) const {
    if (!has_units && lanes.m_length > 0) write(upper, m_factors.upper(lanes.m_pack, lanes.m_length - 1));
    KOKKOS_IF_ON_HOST((stream_fence();))
  }

  KOKKOS_FUNCTION static const Scalar* data(const Block& block) {
    return reinterpret_cast<const Scalar*>(block.m_entries);
  }

 private:
  KOKKOS_FUNCTION static void write(const Block& block, Storage* to) {
    for (int e = 0; e < block_entries; ++e) block.m_entries[e].stream(to + e * vector_length);
  }
  KOKKOS_FUNCTION void check(const Lanes& lanes, int step, const PackType& excess) const {
    if (any(excess != PackType(0))) [[unlikely]] {
      record_singular(m_factors.m_layout, lanes, step, excess != PackType(0), unstorable_code, m_singular);
    }
  }

  /// Writes a block, if there is a place for it, and prefetches another; in `calls` calls.
  template <int calls>
  struct Transfer {
    const Scalar* m_from;
    Storage* m_to;
    const MatrixStorage* m_ahead;
    int m_entry = 0;

    KOKKOS_FORCEINLINE_FUNCTION void operator()() {
      constexpr int share = (block_entries + calls - 1) / calls;
      HYPERPLANE_UNROLL
      for (int k = 0; k < share; ++k) {
        if (m_entry == block_entries) return;
        int const at = m_entry * vector_length;
        if (m_to != nullptr) PackType::load(m_from + at).stream(m_to + at);
        KOKKOS_IF_ON_HOST((prefetch(m_ahead + at);))
        ++m_entry;
      }
    }
  };
  using BesideGemm = Transfer<block::gemm_work_calls<PackType, n>>;
};

/// The factorization of BlockTridiagonal on hosts, body of for_line_packs: LineFactorPortable for whole packs, with the
/// memory kept busy while blocks are computed. Stores past the caches in bursts would fill the store buffer and hold up
/// the loads behind them, so that reading, computing and writing took turns. Blocks are read where they are: the copies
/// in LineFactorPortable are only made at the ends of lines, for storage of another type and for gathered lines.
template <class Scalar, int n, class Exec, class Storage, class MatrixStorage, int vector_length>
struct LineFactorHost {
  using Step = LineFactorStep<Scalar, n, Exec, Storage, MatrixStorage, vector_length>;
  using Block = typename Step::Block;
  using Operand = typename Step::Operand;
  using Lanes = typename Step::Lanes;
  using Places = EitherPlaces<vector_length>;
  using Cursor = LineCursor<Places, vector_length, vector_length>;
  /// So that at least about 64 vectors lie between, for small blocks.
  static constexpr int steps_ahead = 1 + 63 / (line_blocks * n * n);

  LineMatrix<MatrixStorage, Places> m_a;
  Step m_step;

  LineFactorHost(const LineMatrix<MatrixStorage, Places>& a, const LineFactors<Storage, n, vector_length>& factors,
                 const typename SingularPivotRecord<Exec>::Ref& singular)
      : m_a(a), m_step{factors, singular} {}

  KOKKOS_FUNCTION void operator()(std::int64_t pack, int) const {
    auto const& layout = m_step.m_factors.m_layout;
    Lanes const lanes(layout, pack, 0);
    Cursor const cursor(m_a.m_places, layout, lanes);
    Block upper, d, lower_copy, copy;
    for (auto& entry : upper.m_entries) entry = 0;
    for (int step = 0; step < lanes.m_length; ++step) {
      auto const lower = operand(cursor, lanes, LineBlock::lower, step, lower_copy,
                                 [&](Block& values) { clear_lower(values, lanes, step); });
      auto const diagonal = operand(cursor, lanes, LineBlock::diagonal, step, copy,
                                    [&](Block& values) { make_regular(values, lanes, step); });
      m_step.eliminate(lanes, step, diagonal, lower, upper, d, ahead(cursor, LineBlock::diagonal, step));
      m_step.invert(lanes, step, lower, d, ahead(cursor, LineBlock::lower, step));
      auto const given = operand(cursor, lanes, LineBlock::upper, step, copy,
                                 [&](Block& values) { clear_upper(values, lanes, step); });
      m_step.scale(lanes, step, d, given, upper, ahead(cursor, LineBlock::upper, step));
    }
    m_step.finish(lanes, upper);
  }

 private:
  /// What is prefetched: where places are gathered, always the same.
  KOKKOS_FUNCTION const MatrixStorage* ahead(const Cursor& cursor, LineBlock which, int step) const {
    return cursor.address(m_a.m_data, m_a.m_entries, m_a.m_first[static_cast<int>(which)], step + steps_ahead);
  }

  /// A block of the matrix where it is, or a copy of it: `edit` is for the lanes without a point there, before or
  /// after.
  template <class Edit>
  KOKKOS_FORCEINLINE_FUNCTION Operand operand(const Cursor& cursor, const Lanes& lanes, LineBlock which, int step,
                                              Block& copy, const Edit& edit) const {
    int const first = m_a.m_first[static_cast<int>(which)];
    bool const inner = lanes.is_inner(step);
    if constexpr (std::is_same_v<MatrixStorage, Scalar>) {
      if (inner && cursor.is_full(step)) return {cursor.address(m_a.m_data, m_a.m_entries, first, step)};
    }
    cursor.template load<n * n>(m_a.m_data, m_a.m_entries, first, step, copy.m_entries);
    if (!inner) edit(copy);
    return {Step::data(copy)};
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
