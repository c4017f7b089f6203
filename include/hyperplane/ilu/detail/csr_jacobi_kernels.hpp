// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/columns.hpp>
#include <hyperplane/block/row_sums.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/ilu/detail/csr_sweep_units.hpp>
#include <hyperplane/sweep/factor_scales.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// Block Jacobi of a BlockCsr: one thread for each row.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// x = d^-1 b, or d^-T b, of blocks that are stored by columns; x may be b.
template <bool transposed, class Scalar, int n, class Storage>
struct CsrJacobiSolve {
  const Storage* m_inverses;
  CsrSweepUnits<transposed, true, Scalar, n, FactorScales<Storage, n, 1>> m_units;
  const Scalar* m_rhs;
  Scalar* m_x;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    Scalar right[std::size_t{n}];
    for (int r = 0; r < n; ++r) right[r] = m_units.given(row, r, m_rhs[row * n + r]);
    const Storage* const inverse = m_inverses + row * n * n;
    if constexpr (transposed) {
      block::sum_rows<Scalar, n>([&](auto& sums) { sums.template add<true, false>(inverse, right); },
                                 [&](int r, Scalar total) { m_x[row * n + r] = m_units.result(row, r, total); });
    } else {
      block::ColumnSum<Scalar, n> solved;
      solved.template add<false>(inverse, right);
      m_units.store(solved, row, m_x + row * n);
    }
  }
};

/// Whether the diagonal block of a row is not where it was.
template <class MatrixRef>
struct CsrDiagonalDifference {
  MatrixRef m_a;
  const std::int64_t* m_diagonal;

  /// Rows are compared one by one in either case.
  std::int64_t pieces() const { return m_a.rows(); }
  KOKKOS_FUNCTION bool piece_differs(std::int64_t row) const { return row_differs(row); }
  KOKKOS_FUNCTION std::int64_t row_of(std::int64_t row) const { return row; }

  KOKKOS_FUNCTION bool row_differs(std::int64_t row) const {
    auto const number = m_diagonal[row];
    return number < m_a.begin(row) || number >= m_a.end(row) || m_a.column(number) != row;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
