// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/columns.hpp>
#include <hyperplane/block/row_sums.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/ilu/detail/csr_ilu_sequence.hpp>
#include <hyperplane/ilu/detail/csr_sweep_units.hpp>
#include <hyperplane/sweep/factor_scales.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// What kernels have of the factors of a BlockCsr, and sweeps with them: each block row by one thread.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Which blocks are in which row, for kernels; they are numbered as in CsrIluBlocks.
struct CsrIluRows {
  const std::int64_t* m_lower_begin;
  const std::int64_t* m_diagonal;
  const std::int64_t* m_upper_begin;
  const std::int64_t* m_upper_end;
  const int* m_columns;
};

/// The factors, for kernels. Blocks are stored by columns, in units of their own where FactorScales are.
template <class Storage, int n>
struct CsrIluFactors : CsrIluRows {
  using Scales = FactorScales<Storage, n, 1>;

  Storage* m_values;
  Scales m_scales{};

  KOKKOS_FUNCTION Storage* block(std::int64_t number) const { return m_values + number * n * n; }

  /// take(r, total) for each row of F^T x, of a block F; nothing behind x is read.
  template <class Scalar, class Take>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_transposed(std::int64_t number, const Scalar* x, const Take& take) const {
    block::sum_rows<Scalar, n>([&](auto& sums) { sums.template add<true, false>(block(number), x); }, take);
  }
};

/// y = d^-1 (b - L y); where rows have no positions, y may be b.
template <class Scalar, int n, class Storage, class Rows = CsrIluByRows>
struct CsrIluForward {
  CsrIluFactors<Storage, n> m_factors;
  Rows m_rows;
  const Scalar* m_rhs;
  Scalar* m_y;

  static constexpr int vectors_moved = 2;
  static constexpr int prefetched = 8;
  void prefetch(std::int64_t index) const {
    m_rows.template prefetch<n, Scalar>(index, m_rhs, Rows::have_positions ? nullptr : m_y);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    CsrSweepUnits<false, true, Scalar, n, typename CsrIluFactors<Storage, n>::Scales> const units{m_factors.m_scales};
    auto const place = m_rows.place(index);
    auto const diagonal = m_rows.end(place);
    block::ColumnSum<Scalar, n> sum(units.point_given(place.row, m_rhs + place.row * n));
    for (auto number = m_rows.begin(place); number < diagonal; ++number) {
      auto const before = m_rows.column(number);
      sum.template add<true>(m_factors.block(number), units.point_solved(before, m_y + before * n));
    }
    Scalar right[std::size_t{n}];
    sum.store(right);
    block::ColumnSum<Scalar, n> solved;
    solved.template add<false>(m_factors.block(diagonal), right);
    units.store(solved, place.row, m_y + place.point * n);
  }
};

/// x = y - d^-1 U x; x may be y. Where rows have positions, both are vectors by positions, and x is written to where
/// rows are, too.
template <class Scalar, int n, class Storage, class Rows = CsrIluByRows>
struct CsrIluBackward {
  CsrIluFactors<Storage, n> m_factors;
  Rows m_rows;
  const Scalar* m_y;
  Scalar* m_x;
  Scalar* m_result;  ///< x where rows are: m_x, where they have no positions

  static constexpr int vectors_moved = Rows::have_positions ? 3 : 2;
  static constexpr int prefetched = 8;
  void prefetch(std::int64_t index) const {
    m_rows.template prefetch<n, Scalar>(index, Rows::have_positions ? nullptr : m_y, m_result);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    CsrSweepUnits<false, false, Scalar, n, typename CsrIluFactors<Storage, n>::Scales> const units{m_factors.m_scales};
    auto const place = m_rows.place(index);
    block::ColumnSum<Scalar, n> sum(units.point_given(place.row, m_y + place.point * n));
    auto const end = m_rows.end(place);
    for (auto number = m_rows.begin(place); number < end; ++number) {
      auto const behind = m_rows.column(number);
      sum.template add<true>(m_factors.block(number), units.point_solved(behind, m_x + behind * n));
    }
    units.store(sum, place.row, m_x + place.point * n);
    if constexpr (Rows::have_positions) units.store(sum, place.row, m_result + place.row * n);
  }
};

/// Blocks of the factors by columns.
struct CsrIluColumnLists {
  const std::int64_t* m_begin;
  const std::int64_t* m_numbers;
  const int* m_rows;
};

/// y_j = b_j - the sum of F_ij^T y_i over the blocks (i, j) of column j that are listed; multiplied by d_j^-T where
/// that is wanted. y may be b. `subtracts_each`: one product after the other, as CsrIluGivingSweep does.
template <bool with_diagonal, bool subtracts_each, class Scalar, int n, class Storage>
struct CsrIluTransposedSweep {
  CsrIluFactors<Storage, n> m_factors;
  CsrIluColumnLists m_lists;
  CsrIluSequence m_order;
  const Scalar* m_rhs;
  Scalar* m_y;

  static constexpr int vectors_moved = 2;
  static constexpr int prefetched = 8;
  void prefetch(std::int64_t index) const { prefetch_point<n>(m_order, index, m_rhs, m_y); }
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    CsrSweepUnits<true, with_diagonal, Scalar, n, typename CsrIluFactors<Storage, n>::Scales> const units{
        m_factors.m_scales};
    auto const row = m_order.row(index);
    auto const end = m_lists.m_begin[row + 1];
    Scalar right[std::size_t{n}];
    if constexpr (subtracts_each) {
      for (int r = 0; r < n; ++r) right[r] = units.given(row, r, m_rhs[row * n + r]);
      for (auto entry = m_lists.m_begin[row]; entry < end; ++entry) {
        block::sum_rows<Scalar, n>([&](auto& sums) { add(units, entry, sums); },
                                   [&](int r, Scalar total) { right[r] -= total; });
      }
    } else {
      block::sum_rows<Scalar, n>(
          [&](auto& sums) {
            for (auto entry = m_lists.m_begin[row]; entry < end; ++entry) add(units, entry, sums);
          },
          [&](int r, Scalar total) { right[r] = units.given(row, r, m_rhs[row * n + r]) - total; });
    }
    if constexpr (with_diagonal) {
      m_factors.multiply_transposed(m_factors.m_diagonal[row], right,
                                    [&](int r, Scalar total) { m_y[row * n + r] = units.result(row, r, total); });
    } else {
      for (int r = 0; r < n; ++r) m_y[row * n + r] = units.result(row, r, right[r]);
    }
  }

 private:
  template <class Units, class Sums>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Units& units, std::int64_t entry, Sums& sums) const {
    std::int64_t const other = m_lists.m_rows[entry];
    // Another thread may be writing to what follows the n values.
    sums.template add<true, false>(m_factors.block(m_lists.m_numbers[entry]),
                                   units.point_solved(other, m_y + other * n));
  }
};

/// The same from the other side, in the order of the rows: a row whose y_i is there subtracts its products F_ij^T y_i
/// from those that come behind it, so that blocks are read as memory has them. A column has its products in the order
/// of the rows. y is b before.
template <bool with_diagonal, class Scalar, int n, class Storage, class Rows = CsrIluByRows>
struct CsrIluGivingSweep {
  CsrIluFactors<Storage, n> m_factors;
  Rows m_rows;
  Scalar* m_y;
  Scalar* m_result;  ///< of a sweep with the diagonal, y where rows are: m_y, where they have no positions

  static constexpr int vectors_moved = with_diagonal && Rows::have_positions ? 3 : 2;
  static constexpr int prefetched = 8;
  void prefetch(std::int64_t index) const {
    if constexpr (with_diagonal || !Rows::have_positions) {
      m_rows.template prefetch<n, Scalar>(index, nullptr, m_result);
    }
  }
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    CsrSweepUnits<true, with_diagonal, Scalar, n, typename CsrIluFactors<Storage, n>::Scales> const units{
        m_factors.m_scales};
    auto const place = m_rows.place(index);
    auto const first = m_rows.begin(place), end = m_rows.end(place);
    Scalar own[std::size_t{n}];
    for (int r = 0; r < n; ++r) own[r] = units.given(place.row, r, m_y[place.point * n + r]);
    if constexpr (with_diagonal) {
      Scalar solved[std::size_t{n}];
      m_factors.multiply_transposed(end, own, [&](int r, Scalar total) { solved[r] = total; });
      for (int r = 0; r < n; ++r) {
        own[r] = solved[r];
        m_result[place.row * n + r] = units.result(place.row, r, solved[r]);
      }
    }
    // Blocks follow one another as rows do in the plain sweep, the other way round: all of them backwards are a stream
    // that processors see, rows alone are none.
    for (auto number = end; number-- > first;) {
      Scalar* const to = m_y + m_rows.column(number) * n;
      m_factors.multiply_transposed(number, own, [&](int r, Scalar total) { to[r] -= units.not_given(r, total); });
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
