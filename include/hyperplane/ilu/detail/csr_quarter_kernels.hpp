// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/columns.hpp>
#include <hyperplane/block/quarter_sum.hpp>
#include <hyperplane/block/row_sums.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/quarter.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>
#include <hyperplane/ilu/detail/csr_ilu_sequence.hpp>
#include <hyperplane/ilu/detail/csr_quarter_factors.hpp>
#include <hyperplane/ilu/detail/csr_sweep_units.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// Sweeps with factors of 8 bits of a BlockCsr: each block row by one thread. A plain sweep has an index for each
/// record, in their order.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// right = b - F y, of a row that has a record, with b in units: products are summed up, and the sum multiplied by the
/// row scales.
template <bool of_lower, class Scalar, int n, class Rows>
KOKKOS_FORCEINLINE_FUNCTION void subtract_quarter_products(const CsrIluFactors<Quarter, n>& factors, const Rows& rows,
                                                           const CsrIluByRows::Place& place, std::int64_t record,
                                                           const Scalar* given, const Scalar* solved, Scalar* right) {
  using Factors = CsrIluFactors<Quarter, n>;
  CsrSweepUnits<false, of_lower, Scalar, n, typename Factors::Scales> const units{factors.m_scales};
  CsrQuarterScales<Scalar, n> const scales{factors.template record<of_lower>(record)};
  Scalar of_columns[std::size_t{n}], of_rows[std::size_t{n}];
  scales.columns(of_columns);
  scales.rows(of_rows);
  for (int c = 0; c < n; ++c) of_columns[c] = units.solved(place.row, c, of_columns[c]);
  auto const begin = rows.begin(place), end = rows.end(place);
  auto const* block = factors.template block<of_lower>(begin, record);
  block::QuarterSum<Scalar, n> sum(of_columns);
  for (auto number = begin; number < end; ++number, block += n * n) {
    sum.add(block, solved + rows.column(number) * n);
  }
  sum.store(right);
  for (int r = 0; r < n; ++r) right[r] = units.given(place.row, r, given[r]) - right[r] * of_rows[r];
}

template <class Scalar, int n, class Rows>
struct CsrIluForward<Scalar, n, Quarter, Rows> {
  CsrIluFactors<Quarter, n> m_factors;
  Rows m_rows;
  const Scalar* m_rhs;
  Scalar* m_y;

  static constexpr int vectors_moved = 2;
  static constexpr int prefetched = 8;
  void prefetch(std::int64_t index) const {
    m_rows.template prefetch<n, Scalar>(index, m_rhs, Rows::have_positions ? nullptr : m_y);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    CsrSweepUnits<false, true, Scalar, n, typename CsrIluFactors<Quarter, n>::Scales> const units{m_factors.m_scales};
    auto const place = m_rows.place(index);
    Scalar right[std::size_t{n}];
    subtract_quarter_products<true>(m_factors, m_rows, place, index, m_rhs + place.row * n, m_y, right);
    block::ColumnSum<Scalar, n> solved;
    solved.template add<false>(m_factors.inverse(index), right);
    units.store(solved, place.row, m_y + place.point * n);
  }
};

template <class Scalar, int n, class Rows>
struct CsrIluBackward<Scalar, n, Quarter, Rows> {
  CsrIluFactors<Quarter, n> m_factors;
  Rows m_rows;
  const Scalar* m_y;
  Scalar* m_x;
  Scalar* m_result;  ///< see CsrIluBackward

  static constexpr int vectors_moved = Rows::have_positions ? 3 : 2;
  static constexpr int prefetched = 8;
  void prefetch(std::int64_t index) const {
    m_rows.template prefetch<n, Scalar>(index, Rows::have_positions ? nullptr : m_y, m_result);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    CsrSweepUnits<false, false, Scalar, n, typename CsrIluFactors<Quarter, n>::Scales> const units{m_factors.m_scales};
    auto const place = m_rows.place(index);
    Scalar right[std::size_t{n}];
    subtract_quarter_products<false>(m_factors, m_rows, place, index, m_y + place.point * n, m_x, right);
    for (int r = 0; r < n; ++r) {
      auto const value = units.result(place.row, r, right[r]);
      m_x[place.point * n + r] = value;
      if constexpr (Rows::have_positions) m_result[place.row * n + r] = value;
    }
  }
};

/// One product after the other is subtracted, since each row has scales of its own.
template <bool with_diagonal, bool subtracts_each, class Scalar, int n>
struct CsrIluTransposedSweep<with_diagonal, subtracts_each, Scalar, n, Quarter> {
  CsrIluFactors<Quarter, n> m_factors;
  CsrIluColumnLists m_lists;
  CsrIluSequence m_order;
  const Scalar* m_rhs;
  Scalar* m_y;

  static constexpr int vectors_moved = 2;
  static constexpr int prefetched = 8;
  void prefetch(std::int64_t index) const { prefetch_point<n>(m_order, index, m_rhs, m_y); }
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    CsrSweepUnits<true, with_diagonal, Scalar, n, typename CsrIluFactors<Quarter, n>::Scales> const units{
        m_factors.m_scales};
    auto const row = m_order.row(index);
    auto const end = m_lists.m_begin[row + 1];
    Scalar right[std::size_t{n}];
    for (int r = 0; r < n; ++r) right[r] = units.given(row, r, m_rhs[row * n + r]);
    for (auto entry = m_lists.m_begin[row]; entry < end; ++entry) {
      std::int64_t const other = m_lists.m_rows[entry];
      auto const record = m_factors.template record_number<with_diagonal>(other);
      CsrQuarterScales<Scalar, n> const scales{m_factors.template record<with_diagonal>(record)};
      Scalar x[std::size_t{n}];
      for (int r = 0; r < n; ++r) x[r] = units.solved(other, r, m_y[other * n + r]) * scales.row(r);
      auto const* const block = m_factors.template block<with_diagonal>(m_lists.m_numbers[entry], record);
      block::sum_rows<Scalar, n>([&](auto& sums) { sums.template add<true, false>(block, x); },
                                 [&](int c, Scalar total) { right[c] -= total * scales.column(c); });
    }
    if constexpr (with_diagonal) {
      auto const* const inverse = m_factors.inverse(m_factors.template record_number<true>(row));
      block::sum_rows<Scalar, n>([&](auto& sums) { sums.template add<true, false>(inverse, right); },
                                 [&](int r, Scalar total) { m_y[row * n + r] = units.result(row, r, total); });
    } else {
      for (int r = 0; r < n; ++r) m_y[row * n + r] = units.result(row, r, right[r]);
    }
  }
};

/// From the record of the last index to the first.
template <bool with_diagonal, class Scalar, int n, class Rows>
struct CsrIluGivingSweep<with_diagonal, Scalar, n, Quarter, Rows> {
  CsrIluFactors<Quarter, n> m_factors;
  Rows m_rows;
  Scalar* m_y;
  Scalar* m_result;  ///< see CsrIluGivingSweep

  static constexpr int vectors_moved = with_diagonal && Rows::have_positions ? 3 : 2;
  static constexpr int prefetched = 8;
  void prefetch(std::int64_t index) const {
    if constexpr (with_diagonal || !Rows::have_positions) {
      m_rows.template prefetch<n, Scalar>(index, nullptr, m_result);
    }
  }
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    CsrSweepUnits<true, with_diagonal, Scalar, n, typename CsrIluFactors<Quarter, n>::Scales> const units{
        m_factors.m_scales};
    auto const record = m_factors.m_count - 1 - index;
    CsrQuarterScales<Scalar, n> const scales{m_factors.template record<with_diagonal>(record)};
    auto const place = m_rows.place(index);
    auto const first = m_rows.begin(place), end = m_rows.end(place);
    Scalar own[std::size_t{n}];
    for (int r = 0; r < n; ++r) own[r] = units.given(place.row, r, m_y[place.point * n + r]);
    if constexpr (with_diagonal) {
      Scalar solved[std::size_t{n}];
      block::sum_rows<Scalar, n>([&](auto& sums) { sums.template add<true, false>(m_factors.inverse(record), own); },
                                 [&](int r, Scalar total) { solved[r] = total; });
      for (int r = 0; r < n; ++r) {
        own[r] = solved[r];
        m_result[place.row * n + r] = units.result(place.row, r, solved[r]);
      }
    }
    Scalar of_columns[std::size_t{n}];
    for (int r = 0; r < n; ++r) {
      own[r] *= scales.row(r);
      of_columns[r] = units.not_given(r, scales.column(r));
    }
    auto const* block = m_factors.template block<with_diagonal>(end, record);
    for (auto number = end; number-- > first;) {
      block -= n * n;
      Scalar* const to = m_y + m_rows.column(number) * n;
      block::sum_rows<Scalar, n>([&](auto& sums) { sums.template add<true, false>(block, own); },
                                 [&](int c, Scalar total) { to[c] -= total * of_columns[c]; });
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
