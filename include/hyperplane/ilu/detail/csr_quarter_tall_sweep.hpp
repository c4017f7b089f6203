// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/tall_sums.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/quarter.hpp>
#include <hyperplane/csr/tall_rows.hpp>
#include <hyperplane/ilu/detail/csr_quarter_factors.hpp>
#include <hyperplane/ilu/detail/csr_sweep_units.hpp>
#include <hyperplane/ilu/detail/csr_tall_sweep.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// With factors of 8 bits. Products of plain sweeps are summed up and multiplied by the row scales; of `transposed`
/// ones each is subtracted, since each row has scales of its own.
template <bool transposed, bool with_diagonal, class Exec, class Scalar, int n, int count>
struct CsrTallSweep<transposed, with_diagonal, Exec, Scalar, n, count, Quarter>
    : CsrTallPoints<Exec, Scalar, n, count> {
  using Factors = CsrIluFactors<Quarter, n>;

  CsrTallBlocks<Quarter, std::int64_t> m_blocks;  ///< without values
  Factors m_factors;

  void prefetch(std::int64_t index) const { this->prefetch_row(m_blocks, index); }
  KOKKOS_FUNCTION void operator()(std::int64_t index) const { run_tall<Exec, Scalar, count>(*this, index); }

  /// For vectors first, ..., first + width - 1.
  template <int width>
  KOKKOS_FORCEINLINE_FUNCTION void run(std::int64_t row, int first) const {
    Units const units{m_factors.m_scales};
    auto const record = m_factors.template record_number<with_diagonal>(row);
    Scalar right[std::size_t{n * width}];
    for (int r = 0; r < n; ++r) {
      auto const given = units.given(row, r, this->template given<width>(row, first, r));
      block::store_tall<Scalar>(given, right + r * width);
    }
    if constexpr (transposed) {
      subtract_each<width>(units, row, first, right);
    } else {
      subtract_sum<width>(units, row, record, first, right);
    }
    auto const store = [&](int r, const auto& total) { this->store(row, first, r, units.result(row, r, total)); };
    if constexpr (with_diagonal) {
      multiply_tall_block<!transposed, n, width>(m_factors.inverse(record), right, store);
    } else {
      for (int r = 0; r < n; ++r) store(r, block::load_tall<Scalar, width>(right + r * width));
    }
  }

 private:
  using Units = CsrSweepUnits<transposed, with_diagonal, Scalar, n, typename Factors::Scales>;
  using RowScales = CsrQuarterScales<Scalar, n>;

  /// visit(point, number of the block) for the blocks of a row.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void for_blocks(std::int64_t row, const Visit& visit) const {
    auto const end = m_blocks.m_end[row];
    for (auto entry = m_blocks.m_begin[row]; entry < end; ++entry) {
      visit(std::int64_t{m_blocks.m_columns[entry]}, m_blocks.m_numbers != nullptr ? m_blocks.m_numbers[entry] : entry);
    }
  }
  /// Unknowns of a point in units, each times factor(c).
  template <int width, class Factor>
  KOKKOS_FORCEINLINE_FUNCTION void load(const Units& units, std::int64_t point, int first, const Factor& factor,
                                        Scalar* to) const {
    const Scalar* const values = this->m_y + point * (n * count) + first;
    for (int c = 0; c < n; ++c) {
      auto const solved = units.solved(point, c, block::load_tall<Scalar, width>(values + c * count));
      block::store_tall<Scalar>(solved * factor(c), to + c * width);
    }
  }
  template <int width, class Total>
  KOKKOS_FORCEINLINE_FUNCTION static void subtract(const Total& total, Scalar factor, Scalar* from) {
    block::store_tall<Scalar>(block::load_tall<Scalar, width>(from) - total * factor, from);
  }

  template <int width>
  KOKKOS_FORCEINLINE_FUNCTION void subtract_sum(const Units& units, std::int64_t row, std::int64_t record, int first,
                                                Scalar* right) const {
    RowScales const scales{m_factors.template record<with_diagonal>(record)};
    auto const products = [&](const auto& add) {
      for_blocks(row, [&](std::int64_t point, std::int64_t number) {
        Scalar x[std::size_t{n * width}];
        load<width>(units, point, first, [&](int c) { return scales.column(c); }, x);
        const Quarter* const block = m_factors.template block<with_diagonal>(number, record);
        const Scalar* const of_point = x;
        add(block, of_point);
      });
    };
    sum_tall<false, true, Scalar, n, width, width>(NoneGiven(), products, [&](int r, const auto& total) {
      subtract<width>(total, scales.row(r), right + r * width);
    });
  }
  template <int width>
  KOKKOS_FORCEINLINE_FUNCTION void subtract_each(const Units& units, std::int64_t row, int first, Scalar* right) const {
    for_blocks(row, [&](std::int64_t other, std::int64_t number) {
      auto const record = m_factors.template record_number<with_diagonal>(other);
      RowScales const scales{m_factors.template record<with_diagonal>(record)};
      Scalar x[std::size_t{n * width}];
      load<width>(units, other, first, [&](int r) { return scales.row(r); }, x);
      const Quarter* const block = m_factors.template block<with_diagonal>(number, record);
      multiply_tall_block<false, n, width>(
          block, x, [&](int c, const auto& total) { subtract<width>(total, scales.column(c), right + c * width); });
    });
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
