// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/diagnosis.hpp>
#include <hyperplane/block/gemm.hpp>
#include <hyperplane/block/gemv.hpp>
#include <hyperplane/block/inverse.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/factor_failure.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/singular_pivot.hpp>
#include <hyperplane/grid/factor_status.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// Incomplete factorizations of a BlockCsr: one thread for each block row of a level.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The order in which a sweep takes block rows: that of a list, or by their numbers; from m_first on, by steps of
/// m_step.
struct CsrIluSequence {
  const int* m_rows;  ///< or none
  std::int64_t m_first;
  int m_step;

  KOKKOS_FUNCTION std::int64_t row(std::int64_t index) const {
    auto const at = m_first + m_step * index;
    return m_rows != nullptr ? m_rows[at] : at;
  }
};

/// The factors, for kernels; blocks are numbered as in CsrIluBlocks.
template <class Scalar, int n, class Storage>
struct CsrIluFactors {
  using Block = block::Matrix<Scalar, n>;
  using StoredBlock = block::LaneMatrix<Scalar, Storage, n, 1>;

  const std::int64_t* m_lower_begin;
  const std::int64_t* m_diagonal;
  const std::int64_t* m_upper_begin;
  const std::int64_t* m_upper_end;
  const int* m_columns;
  Storage* m_values;

  KOKKOS_FUNCTION StoredBlock block(std::int64_t number) const { return {m_values + number * n * n}; }
  KOKKOS_FUNCTION void store(const Block& block, std::int64_t number) const {
    Storage* const values = m_values + number * n * n;
    for (int e = 0; e < n * n; ++e) values[e] = static_cast<Storage>(block.m_entries[e]);
  }
};

/// Blocks of A without the products of factors that are subtracted from them.
template <class Scalar, int n, class Storage, class MatrixRef>
struct CsrIluElimination {
  using Block = block::Matrix<Scalar, n>;

  MatrixRef m_a;
  CsrIluFactors<Scalar, n, Storage> m_factors;
  const std::int64_t* m_sources;
  const std::int64_t* m_product_begin;
  const std::int64_t* m_lower;
  const std::int64_t* m_upper;

  KOKKOS_FUNCTION void load(std::int64_t number, Block& result) const {
    auto const source = m_sources[number];
    if (source < 0) {
      for (int e = 0; e < n * n; ++e) result.m_entries[e] = Scalar(0);
      return;
    }
    for (int c = 0; c < n; ++c) {
      for (int r = 0; r < n; ++r) result(r, c) = static_cast<Scalar>(m_a(source, r, c));
    }
  }
  KOKKOS_FUNCTION void eliminate(std::int64_t number, Block& result) const {
    load(number, result);
    for (auto product = m_product_begin[number]; product < m_product_begin[number + 1]; ++product) {
      block::gemm_subtract<n>(m_factors.block(m_lower[product]), m_factors.block(m_upper[product]), result);
    }
  }
};

template <class Scalar, int n, class Exec, class Storage, class MatrixRef>
struct CsrIluFactor {
  using Block = block::Matrix<Scalar, n>;

  CsrIluElimination<Scalar, n, Storage, MatrixRef> m_elimination;
  typename SingularPivotRecord<Exec>::Ref m_singular;
  const int* m_positions;  ///< of rows in the order in which they are eliminated; or none, where that is by numbers
  CsrIluSequence m_order;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const& factors = m_elimination.m_factors;
    auto const row = m_order.row(index);
    auto const position = m_positions != nullptr ? m_positions[row] : row;
    auto const diagonal = factors.m_diagonal[row];
    Scalar excess(0);
    Block eliminated;
    for (auto number = factors.m_lower_begin[row]; number < diagonal; ++number) {
      m_elimination.eliminate(number, eliminated);
      keep(eliminated, number, excess);
    }
    Block inverse;
    m_elimination.eliminate(diagonal, inverse);
    block::invert<n>(inverse, [&](bool, int equation) { m_singular.record(position, equation); });
    keep(inverse, diagonal, excess);
    for (auto number = factors.m_upper_begin[row]; number < factors.m_upper_end[row]; ++number) {
      m_elimination.eliminate(number, eliminated);
      Block scaled;
      block::gemm<n>(inverse, eliminated, scaled);
      keep(scaled, number, excess);
    }
    if (excess != Scalar(0)) m_singular.record(position, unstorable_code);
  }

 private:
  KOKKOS_FUNCTION void keep(const Block& block, std::int64_t number, Scalar& excess) const {
    excess += block::storage_excess<Storage, Scalar>(block);
    m_elimination.m_factors.store(block, number);
  }
};

/// What is wrong in the first row that fails. Rows that are eliminated before it are regular, and so are its own blocks
/// before the diagonal, or they are what fails.
template <class Scalar, int n, class Storage, class MatrixRef>
struct CsrIluDiagnosis {
  CsrIluElimination<Scalar, n, Storage, MatrixRef> m_elimination;
  CsrIluSequence m_order;
  std::int64_t* m_column;  ///< of the block that is not finite

  KOKKOS_FUNCTION PivotFinding operator()(std::int64_t position, int code) const {
    auto const& factors = m_elimination.m_factors;
    auto const row = m_order.row(position);
    auto const lower_end = factors.m_diagonal[row] + 1, upper_end = factors.m_upper_end[row];
    for (auto number = factors.m_lower_begin[row]; number < lower_end; ++number) {
      if (!is_finite(number)) return {FactorFailure::not_finite, unknown_block};
    }
    for (auto number = factors.m_upper_begin[row]; number < upper_end; ++number) {
      if (!is_finite(number)) return {FactorFailure::not_finite, unknown_block};
    }
    block::Matrix<Scalar, n> pivot;
    m_elimination.eliminate(factors.m_diagonal[row], pivot);
    return block::diagnose<Storage>(pivot, code);
  }

 private:
  /// Keeps the column where it is not.
  KOKKOS_FUNCTION bool is_finite(std::int64_t number) const {
    block::Matrix<Scalar, n> given;
    m_elimination.load(number, given);
    if (block::is_finite<n>(given)) return true;
    *m_column = m_elimination.m_factors.m_columns[number];
    return false;
  }
};

/// y = d^-1 (b - L y); y may be b.
template <class Scalar, int n, class Storage>
struct CsrIluForward {
  CsrIluFactors<Scalar, n, Storage> m_factors;
  CsrIluSequence m_order;
  const Scalar* m_rhs;
  Scalar* m_y;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const row = m_order.row(index);
    block::Vector<Scalar, n> right, result;
    HYPERPLANE_HOST_UNROLL
    for (int c = 0; c < n; ++c) right[c] = m_rhs[row * n + c];
    auto const diagonal = m_factors.m_diagonal[row];
    for (auto number = m_factors.m_lower_begin[row]; number < diagonal; ++number) {
      const Scalar* const y = m_y + std::int64_t{m_factors.m_columns[number]} * n;
      block::gemv_subtract<n>(m_factors.block(number), y, right);
    }
    block::gemv<n>(m_factors.block(diagonal), right, result);
    HYPERPLANE_HOST_UNROLL
    for (int c = 0; c < n; ++c) m_y[row * n + c] = result[c];
  }
};

/// x = y - d^-1 U x; x may be y.
template <class Scalar, int n, class Storage>
struct CsrIluBackward {
  CsrIluFactors<Scalar, n, Storage> m_factors;
  CsrIluSequence m_order;
  const Scalar* m_y;
  Scalar* m_x;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const row = m_order.row(index);
    block::Vector<Scalar, n> result;
    HYPERPLANE_HOST_UNROLL
    for (int c = 0; c < n; ++c) result[c] = m_y[row * n + c];
    auto const end = m_factors.m_upper_end[row];
    for (auto number = m_factors.m_upper_begin[row]; number < end; ++number) {
      const Scalar* const x = m_x + std::int64_t{m_factors.m_columns[number]} * n;
      block::gemv_subtract<n>(m_factors.block(number), x, result);
    }
    HYPERPLANE_HOST_UNROLL
    for (int c = 0; c < n; ++c) m_x[row * n + c] = result[c];
  }
};

/// The first row whose columns are others than those of the plan; a reduction.
template <class MatrixRef>
struct CsrIluDifference {
  MatrixRef m_a;
  const std::int64_t* m_lower_begin;
  const std::int64_t* m_diagonal;
  const std::int64_t* m_upper_begin;
  const std::int64_t* m_upper_end;
  const int* m_columns;
  const std::int64_t* m_sources;

  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& first) const {
    if (row < first && differs(row)) first = row;
  }

 private:
  /// As many blocks, all of them among those of the row and in the same columns.
  KOKKOS_FUNCTION bool differs(std::int64_t row) const {
    auto missing = m_a.end(row) - m_a.begin(row);
    bool const has_other = has_other_in(row, m_lower_begin[row], m_diagonal[row] + 1, missing) ||
                           has_other_in(row, m_upper_begin[row], m_upper_end[row], missing);
    return has_other || missing != 0;
  }
  /// Lowers `missing` by the blocks that are made from one of A.
  KOKKOS_FUNCTION bool has_other_in(std::int64_t row, std::int64_t begin, std::int64_t end,
                                    std::int64_t& missing) const {
    for (auto number = begin; number < end; ++number) {
      auto const source = m_sources[number];
      if (source < 0) continue;
      if (source < m_a.begin(row) || source >= m_a.end(row) || m_a.column(source) != m_columns[number]) return true;
      --missing;
    }
    return false;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
