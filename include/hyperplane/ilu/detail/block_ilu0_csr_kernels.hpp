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

/// BILU(0) of a BlockCsr: one thread for each block row of a level.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The order in which a sweep takes block rows: that of a list, or by their numbers.
struct Ilu0CsrOrder {
  const int* m_rows;  ///< or none
  std::int64_t m_first;
  int m_step;

  KOKKOS_FUNCTION std::int64_t row(std::int64_t index) const {
    return m_rows != nullptr ? m_rows[index] : m_first + m_step * index;
  }
};

/// The factors, for kernels; blocks are numbered as in Ilu0CsrBlocks.
template <class Scalar, int n, class Storage>
struct Ilu0CsrFactors {
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
struct Ilu0CsrElimination {
  using Block = block::Matrix<Scalar, n>;

  MatrixRef m_a;
  Ilu0CsrFactors<Scalar, n, Storage> m_factors;
  const std::int64_t* m_sources;
  const std::int64_t* m_product_begin;
  const std::int64_t* m_lower;
  const std::int64_t* m_upper;

  KOKKOS_FUNCTION void load(std::int64_t number, Block& result) const {
    auto const source = m_sources[number];
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
struct Ilu0CsrFactor {
  using Block = block::Matrix<Scalar, n>;

  Ilu0CsrElimination<Scalar, n, Storage, MatrixRef> m_elimination;
  typename SingularPivotRecord<Exec>::Ref m_singular;
  Ilu0CsrOrder m_order;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const& factors = m_elimination.m_factors;
    auto const row = m_order.row(index);
    auto const diagonal = factors.m_diagonal[row];
    Scalar excess(0);
    Block eliminated;
    for (auto number = factors.m_lower_begin[row]; number < diagonal; ++number) {
      m_elimination.eliminate(number, eliminated);
      keep(eliminated, number, excess);
    }
    Block inverse;
    m_elimination.eliminate(diagonal, inverse);
    block::invert<n>(inverse, [&](bool, int equation) { m_singular.record(row, equation); });
    keep(inverse, diagonal, excess);
    for (auto number = factors.m_upper_begin[row]; number < factors.m_upper_end[row]; ++number) {
      m_elimination.eliminate(number, eliminated);
      Block scaled;
      block::gemm<n>(inverse, eliminated, scaled);
      keep(scaled, number, excess);
    }
    if (excess != Scalar(0)) m_singular.record(row, unstorable_code);
  }

 private:
  KOKKOS_FUNCTION void keep(const Block& block, std::int64_t number, Scalar& excess) const {
    excess += block::storage_excess<Storage, Scalar>(block);
    m_elimination.m_factors.store(block, number);
  }
};

/// What is wrong in the first row that fails. Rows before it are regular, and so are its own blocks before the
/// diagonal, or they are what fails.
template <class Scalar, int n, class Storage, class MatrixRef>
struct Ilu0CsrDiagnosis {
  Ilu0CsrElimination<Scalar, n, Storage, MatrixRef> m_elimination;
  std::int64_t* m_column;  ///< of the block that is not finite

  KOKKOS_FUNCTION PivotFinding operator()(std::int64_t row, int code) const {
    auto const& factors = m_elimination.m_factors;
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
struct Ilu0CsrForward {
  Ilu0CsrFactors<Scalar, n, Storage> m_factors;
  Ilu0CsrOrder m_order;
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
struct Ilu0CsrBackward {
  Ilu0CsrFactors<Scalar, n, Storage> m_factors;
  Ilu0CsrOrder m_order;
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
struct Ilu0CsrDifference {
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
    auto const lower = m_lower_begin[row], lower_end = m_diagonal[row] + 1;
    auto const upper = m_upper_begin[row], upper_end = m_upper_end[row];
    auto const begin = m_a.begin(row), end = m_a.end(row);
    if (end - begin != lower_end - lower + upper_end - upper) return true;
    for (auto number = lower; number < lower_end; ++number) {
      if (is_other(number, begin, end)) return true;
    }
    for (auto number = upper; number < upper_end; ++number) {
      if (is_other(number, begin, end)) return true;
    }
    return false;
  }
  KOKKOS_FUNCTION bool is_other(std::int64_t number, std::int64_t begin, std::int64_t end) const {
    auto const source = m_sources[number];
    return source < begin || source >= end || m_a.column(source) != m_columns[number];
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
