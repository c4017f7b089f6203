// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/columns.hpp>
#include <hyperplane/block/diagnosis.hpp>
#include <hyperplane/block/inverse.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/block/row_sums.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/factor_failure.hpp>
#include <hyperplane/core/singular_pivot.hpp>
#include <hyperplane/csr/block_csr_ref.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/ilu/detail/csr_pivot_shift.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

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

/// Which blocks are in which row, for kernels; they are numbered as in CsrIluBlocks.
struct CsrIluRows {
  const std::int64_t* m_lower_begin;
  const std::int64_t* m_diagonal;
  const std::int64_t* m_upper_begin;
  const std::int64_t* m_upper_end;
  const int* m_columns;
};

/// The factors, for kernels. Blocks are stored by columns.
template <class Storage, int n>
struct CsrIluFactors : CsrIluRows {
  Storage* m_values;

  KOKKOS_FUNCTION Storage* block(std::int64_t number) const { return m_values + number * n * n; }
};

/// Blocks of A without the products of factors that are subtracted from them.
template <class Scalar, int n, class Storage, class MatrixRef>
struct CsrIluElimination {
  using Columns = block::Columns<Scalar, n>;

  MatrixRef m_a;
  CsrIluFactors<Storage, n> m_factors;
  const std::int64_t* m_sources;
  const std::int64_t* m_product_begin;
  const std::int64_t* m_lower;
  const std::int64_t* m_upper;

  KOKKOS_FUNCTION auto row_of_a(std::int64_t row, Scalar pivot_shift) const {
    auto const* const values = &m_a(0, 0, 0);
    auto const begin = static_cast<std::int64_t>(m_a.begin(row)), end = static_cast<std::int64_t>(m_a.end(row));
    using Value = std::remove_cvref_t<decltype(*values)>;
    return CsrPivotShift<Scalar, Value>{pivot_shift, values + begin * n * n, (end - begin) * n * n};
  }
  KOKKOS_FUNCTION Columns given(std::int64_t number) const {
    auto const source = m_sources[number];
    if (source < 0) return Columns::of([](int, int) { return Scalar(0); });
    return Columns::of([&](int r, int c) { return m_a(source, r, c); });
  }
  KOKKOS_FUNCTION Columns eliminate(std::int64_t number) const {
    auto result = given(number);
    auto const end = m_product_begin[number + 1];
    for (auto product = m_product_begin[number]; product < end; ++product) {
      result.template add_product<true>(m_factors.block(m_lower[product]), m_factors.block(m_upper[product]));
    }
    return result;
  }
};

/// Prefetches the blocks of a row, which is far from the one before where rows have an order, on hosts whose compilers
/// have a way to ask for it. Where they have none, the processor does it by itself.
template <class Storage, int n, class Offset>
void prefetch_blocks([[maybe_unused]] const BlockCsrRef<Storage, n, Offset>& a,
                     [[maybe_unused]] const CsrIluSequence& order, [[maybe_unused]] std::int64_t index) {
#if defined(__GNUC__)
  if (order.m_rows == nullptr) return;
  auto const row = order.row(index);
  constexpr std::int64_t line = 64 / sizeof(Storage);
  auto const* const values = &a(0, 0, 0);
  auto const end = a.end(row) * n * n;
  for (auto value = a.begin(row) * n * n; value < end; value += line) __builtin_prefetch(values + value);
#endif
}

/// `replaces`: pivots that cannot be inverted, which is a kernel of its own, so that others need not ask.
template <bool replaces, class Scalar, int n, class Exec, class Storage, class MatrixRef>
struct CsrIluFactor {
  using Columns = block::Columns<Scalar, n>;

  CsrIluElimination<Scalar, n, Storage, MatrixRef> m_elimination;
  typename SingularPivotRecord<Exec>::Ref m_singular;
  const int* m_positions;  ///< of rows in the order in which they are eliminated; or none, where that is by numbers
  CsrIluSequence m_order;
  Scalar m_pivot_shift;
  CsrReplacedRef m_replaced;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const& factors = m_elimination.m_factors;
    auto const row = m_order.row(index);
    auto const position = m_positions != nullptr ? m_positions[row] : row;
    auto const diagonal = factors.m_diagonal[row];
    Scalar excess(0);
    for (auto number = factors.m_lower_begin[row]; number < diagonal; ++number) {
      keep(m_elimination.eliminate(number), number, excess);
    }
    auto pivot = m_elimination.eliminate(diagonal).matrix();
    if constexpr (replaces) {
      auto const inverted = m_elimination.row_of_a(row, m_pivot_shift).template invert<Storage>(pivot);
      pivot = inverted.m_inverse;
      if (inverted.m_failed < n) m_singular.record(position, inverted.m_failed);
      if (inverted.m_replaced) m_replaced.record(position);
    } else {
      block::invert<n>(pivot, [&](bool, int equation) { m_singular.record(position, equation); });
    }
    // As they are computed, not as they are stored.
    Scalar inverse[std::size_t{n * n + Columns::overrun}] = {}, eliminated[std::size_t{n * n}];
    for (int e = 0; e < n * n; ++e) inverse[e] = pivot.m_entries[e];
    keep(Columns::of([&](int r, int c) { return pivot(r, c); }), diagonal, excess);
    for (auto number = factors.m_upper_begin[row]; number < factors.m_upper_end[row]; ++number) {
      m_elimination.eliminate(number).store(eliminated);
      auto scaled = Columns::of([](int, int) { return Scalar(0); });
      scaled.template add_product<false>(inverse, eliminated);
      keep(scaled, number, excess);
    }
    if (excess != Scalar(0)) m_singular.record(position, unstorable_code);
  }

  static constexpr int prefetched = 1;
  void prefetch(std::int64_t index) const { prefetch_blocks(m_elimination.m_a, m_order, index); }

 private:
  KOKKOS_FUNCTION void keep(const Columns& block, std::int64_t number, Scalar& excess) const {
    excess += block.template excess<Storage>();
    block.store(m_elimination.m_factors.block(number));
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
    auto pivot = m_elimination.eliminate(factors.m_diagonal[row]).matrix();
    return block::diagnose<Storage>(pivot, code);
  }

 private:
  /// Keeps the column where it is not.
  KOKKOS_FUNCTION bool is_finite(std::int64_t number) const {
    if (block::is_finite<n>(m_elimination.given(number).matrix())) return true;
    *m_column = m_elimination.m_factors.m_columns[number];
    return false;
  }
};

/// Prefetches what a sweep reads and writes at a point. Of single values that follow one another the processor does it
/// by itself, where more is read between those of two points it is late.
template <int n, class Scalar>
void prefetch_point([[maybe_unused]] const CsrIluSequence& order, [[maybe_unused]] std::int64_t index,
                    [[maybe_unused]] const Scalar* from, [[maybe_unused]] const Scalar* to) {
#if defined(__GNUC__)
  if (n == 1 && order.m_rows == nullptr) return;
  auto const row = order.row(index);
  __builtin_prefetch(from + row * n);
  __builtin_prefetch(from + row * n + n - 1);
  __builtin_prefetch(to + row * n, 1);
  __builtin_prefetch(to + row * n + n - 1, 1);
#endif
}

/// y = d^-1 (b - L y); y may be b.
template <class Scalar, int n, class Storage>
struct CsrIluForward {
  CsrIluFactors<Storage, n> m_factors;
  CsrIluSequence m_order;
  const Scalar* m_rhs;
  Scalar* m_y;

  static constexpr int prefetched = 8;
  void prefetch(std::int64_t index) const { prefetch_point<n>(m_order, index, m_rhs, m_y); }
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const row = m_order.row(index);
    auto const diagonal = m_factors.m_diagonal[row];
    block::ColumnSum<Scalar, n> sum(m_rhs + row * n);
    for (auto number = m_factors.m_lower_begin[row]; number < diagonal; ++number) {
      sum.template add<true>(m_factors.block(number), m_y + std::int64_t{m_factors.m_columns[number]} * n);
    }
    Scalar right[std::size_t{n}];
    sum.store(right);
    block::ColumnSum<Scalar, n> solved;
    solved.template add<false>(m_factors.block(diagonal), right);
    solved.store(m_y + row * n);
  }
};

/// x = y - d^-1 U x; x may be y.
template <class Scalar, int n, class Storage>
struct CsrIluBackward {
  CsrIluFactors<Storage, n> m_factors;
  CsrIluSequence m_order;
  const Scalar* m_y;
  Scalar* m_x;

  static constexpr int prefetched = 8;
  void prefetch(std::int64_t index) const { prefetch_point<n>(m_order, index, m_y, m_x); }
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const row = m_order.row(index);
    block::ColumnSum<Scalar, n> sum(m_y + row * n);
    auto const end = m_factors.m_upper_end[row];
    for (auto number = m_factors.m_upper_begin[row]; number < end; ++number) {
      sum.template add<true>(m_factors.block(number), m_x + std::int64_t{m_factors.m_columns[number]} * n);
    }
    sum.store(m_x + row * n);
  }
};

/// Blocks of the factors by columns.
struct CsrIluColumnLists {
  const std::int64_t* m_begin;
  const std::int64_t* m_numbers;
  const int* m_rows;
};

/// y_j = b_j - the sum of F_ij^T y_i over the blocks (i, j) of column j that are listed; multiplied by d_j^-T where
/// that is wanted. y may be b.
template <bool with_diagonal, class Scalar, int n, class Storage>
struct CsrIluTransposedSweep {
  CsrIluFactors<Storage, n> m_factors;
  CsrIluColumnLists m_lists;
  CsrIluSequence m_order;
  const Scalar* m_rhs;
  Scalar* m_y;

  static constexpr int prefetched = 8;
  void prefetch(std::int64_t index) const { prefetch_point<n>(m_order, index, m_rhs, m_y); }
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const row = m_order.row(index);
    auto const end = m_lists.m_begin[row + 1];
    Scalar right[std::size_t{n}];
    block::sum_rows<Scalar, n>(
        [&](auto& sums) {
          for (auto entry = m_lists.m_begin[row]; entry < end; ++entry) {
            // Another thread may be writing to what follows the n values.
            sums.template add<true, false>(m_factors.block(m_lists.m_numbers[entry]),
                                           m_y + std::int64_t{m_lists.m_rows[entry]} * n);
          }
        },
        [&](int r, Scalar total) { right[r] = m_rhs[row * n + r] - total; });
    if constexpr (with_diagonal) {
      block::sum_rows<Scalar, n>(
          [&](auto& sums) { sums.template add<true, false>(m_factors.block(m_factors.m_diagonal[row]), right); },
          [&](int r, Scalar total) { m_y[row * n + r] = total; });
    } else {
      for (int r = 0; r < n; ++r) m_y[row * n + r] = right[r];
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
