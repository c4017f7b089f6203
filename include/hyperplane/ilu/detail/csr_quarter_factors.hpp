// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/columns.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/half.hpp>
#include <hyperplane/core/quarter.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>
#include <hyperplane/sweep/factor_scales.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Of 8 bits, in the units that those of Half have: as TriangularFactors<Quarter>. The blocks that a sweep reads of a
/// row, L or d^-1 U, have n column scales and n row scales in common. These are in a record of the row, all of them
/// Half: the column scales, the row scales and, of L, d^-1, by columns. Records are in the order in which the sweep
/// takes the rows. So are the blocks, without those of the diagonal.
template <int n>
struct CsrIluFactors<Quarter, n> : CsrIluRows {
  using Scales = FactorScales<Half, n, 1>;
  template <bool of_lower>
  static constexpr int record_size = 2 * n + (of_lower ? n * n : 0);

  std::int64_t m_count;  ///< rows
  Quarter* m_values;
  Half* m_lower_records;
  Half* m_upper_records;
  const int* m_lower_numbers;  ///< of the record of each row
  const int* m_upper_numbers;
  Scales m_scales{};

  template <bool of_lower>
  KOKKOS_FUNCTION std::int64_t record_number(std::int64_t row) const {
    return of_lower ? m_lower_numbers[row] : m_upper_numbers[row];
  }
  template <bool of_lower>
  KOKKOS_FUNCTION Half* record(std::int64_t number) const {
    return (of_lower ? m_lower_records : m_upper_records) + number * record_size<of_lower>;
  }
  KOKKOS_FUNCTION Half* inverse(std::int64_t number) const { return record<true>(number) + 2 * n; }
  /// A block of the row that has a record. There are as many blocks of diagonals before it.
  template <bool of_lower>
  KOKKOS_FUNCTION Quarter* block(std::int64_t block_number, std::int64_t number) const {
    return m_values + (block_number - (of_lower ? number : m_count)) * (n * n);
  }
};

/// The scales of a row, of blocks of L or of d^-1 U.
template <class Scalar, int n>
struct CsrQuarterScales {
  const Half* m_record;

  /// What unknown c is multiplied by before a block is multiplied with it.
  KOKKOS_FORCEINLINE_FUNCTION Scalar column(int c) const {
    return static_cast<Scalar>(m_record[c]) * quarter_unit<Scalar>;
  }
  /// What sums of products are multiplied by.
  KOKKOS_FORCEINLINE_FUNCTION Scalar row(int r) const { return static_cast<Scalar>(m_record[n + r]); }

  /// The same, all together: behind them in the record, or behind that, are values that may be read.
  KOKKOS_FORCEINLINE_FUNCTION void columns(Scalar* to) const {
    load(m_record, to);
    for (int c = 0; c < n; ++c) to[c] *= quarter_unit<Scalar>;
  }
  KOKKOS_FORCEINLINE_FUNCTION void rows(Scalar* to) const { load(m_record + n, to); }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static void load(const Half* from, Scalar* to) {
#if defined(HYPERPLANE_VECTOR_EXTENSION)
    block::detail::Column<Scalar, n>::load(from).store(to);
#else
    for (int c = 0; c < n; ++c) to[c] = static_cast<Scalar>(from[c]);
#endif
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
