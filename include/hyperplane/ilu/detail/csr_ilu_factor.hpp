// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/columns.hpp>
#include <hyperplane/block/diagnosis.hpp>
#include <hyperplane/block/inverse.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/factor_failure.hpp>
#include <hyperplane/core/singular_pivot.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>
#include <hyperplane/ilu/detail/csr_ilu_relaxation.hpp>
#include <hyperplane/ilu/detail/csr_pivot_shift.hpp>
#include <hyperplane/ilu/detail/csr_row_blocks.hpp>
#include <hyperplane/ilu/detail/csr_units.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Incomplete factorizations of a BlockCsr: each block row by one thread.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What is factored, and the factors.
template <class Scalar, int n, class Storage, class MatrixRef, class Relaxation = NoCsrIluRelaxation>
struct CsrIluInput {
  using Columns = block::Columns<Scalar, n>;
  using Units = CsrRowUnits<Scalar, n, typename CsrIluFactors<Storage, n>::Scales>;

  MatrixRef m_a;
  CsrIluFactors<Storage, n> m_factors;
  const std::int64_t* m_sources;
  Relaxation m_relaxation{};

  /// Those that a row is taken into, which it keeps.
  KOKKOS_FUNCTION void keep_units(std::int64_t row) const {
    auto const blocks = blocks_of_row(m_a, row);
    choose_equation_units<n>(m_factors.m_scales, row, &m_a(blocks.begin, 0, 0), blocks.count());
  }
  KOKKOS_FUNCTION Units units(std::int64_t row) const { return Units(m_factors.m_scales, row); }

  /// A block of a row.
  KOKKOS_FUNCTION Columns given(const Units& units, std::int64_t number) const {
    auto const source = m_sources[number];
    if (source < 0) return Columns::of([](int, int) { return Scalar(0); });
    return Columns::of([&](int r, int c) { return m_relaxation.of_a(units(r, c, m_a(source, r, c))); });
  }
};

/// Blocks of A without the products of factors that are subtracted from them: block after block, by lists of its
/// products.
template <class Scalar, int n, class Storage, class MatrixRef, class Relaxation = NoCsrIluRelaxation>
struct CsrIluElimination : CsrIluInput<Scalar, n, Storage, MatrixRef, Relaxation> {
  using Columns = block::Columns<Scalar, n>;

  const std::int64_t* m_product_begin;
  const std::int64_t* m_lower;
  const std::int64_t* m_upper;

  using Units = typename CsrIluInput<Scalar, n, Storage, MatrixRef, Relaxation>::Units;

  KOKKOS_FUNCTION Columns eliminate(const Units& units, std::int64_t number) const {
    auto result = this->given(units, number);
    auto const end = m_product_begin[number + 1];
    for (auto product = m_product_begin[number]; product < end; ++product) {
      result.template add_product<true>(this->m_factors.block(m_lower[product]),
                                        this->m_factors.block(m_upper[product]));
    }
    return result;
  }

  /// The blocks of a row, which are asked for one after the other; those before the diagonal are written before the
  /// next one is asked for.
  struct Row {
    const CsrIluElimination& m_of;
    const Units& m_units;

    KOKKOS_FUNCTION Columns before(std::int64_t number) const { return m_of.eliminate(m_units, number); }
    KOKKOS_FUNCTION Columns behind(std::int64_t number) const { return m_of.eliminate(m_units, number); }
    KOKKOS_FUNCTION void is_written(std::int64_t /*number*/) const {}
  };
  KOKKOS_FUNCTION Row row(std::int64_t /*row*/, const Units& units) const { return {*this, units}; }

  /// Asks for what is written of a row, and for what its products read from rows long before: processors do not see
  /// streams that are written beside so much that is read, and blocks behind the diagonal follow one another from the
  /// last row to the first.
  void prefetch([[maybe_unused]] std::int64_t row) const {
#if defined(__GNUC__)
    auto const& factors = this->m_factors;
    constexpr std::int64_t line = 64 / sizeof(Storage);
    auto const for_blocks = [&](std::int64_t begin, std::int64_t end, const auto& visit) {
      for (auto const* value = factors.block(begin); value < factors.block(end); value += line) visit(value);
    };
    auto const lower_begin = factors.m_lower_begin[row], diagonal = factors.m_diagonal[row];
    for_blocks(lower_begin, diagonal + 1, [](const Storage* value) { __builtin_prefetch(value, 1); });
    for_blocks(factors.m_upper_begin[row], factors.m_upper_end[row],
               [](const Storage* value) { __builtin_prefetch(value, 1); });
    // Rows of DILU may have no products, those of SSOR have none; of others nearly all have some.
    if constexpr (Relaxation::exists) {
      if (m_product_begin[lower_begin] == m_product_begin[diagonal + 1]) return;
    }
    for (auto lower = lower_begin; lower < diagonal; ++lower) {
      auto const before = factors.m_columns[lower];
      for_blocks(factors.m_upper_begin[before], factors.m_upper_end[before],
                 [](const Storage* value) { __builtin_prefetch(value); });
    }
#endif
  }

  KOKKOS_FUNCTION Columns pivot(std::int64_t row, const Units& units) const {
    return eliminate(units, this->m_factors.m_diagonal[row]);
  }
};

/// `replaces`: pivots that cannot be inverted, which is a kernel of its own, so that others need not ask.
template <bool replaces, class Scalar, int n, class Exec, class Storage, class Elimination>
struct CsrIluFactor {
  using Columns = block::Columns<Scalar, n>;

  Elimination m_elimination;
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
    m_elimination.keep_units(row);
    auto const units = m_elimination.units(row);
    auto const blocks = m_elimination.row(row, units);
    Scalar excess(0);
    for (auto number = factors.m_lower_begin[row]; number < diagonal; ++number) {
      keep(blocks.before(number), number, excess);
      blocks.is_written(number);
    }
    auto pivot = blocks.before(diagonal).matrix();
    auto const& relaxation = m_elimination.m_relaxation;
    invert_csr_pivot<replaces, Storage>(pivot,
                                        csr_pivot_shift<n>(m_elimination.m_a, row, relaxation.of_a(m_pivot_shift)),
                                        units, relaxation, position, m_singular, m_replaced);
    // As they are computed, not as they are stored.
    Scalar inverse[std::size_t{n * n + Columns::overrun}] = {}, eliminated[std::size_t{n * n}];
    for (int e = 0; e < n * n; ++e) inverse[e] = pivot.m_entries[e];
    keep(Columns::of([&](int r, int c) { return pivot(r, c); }), diagonal, excess);
    for (auto number = factors.m_upper_begin[row]; number < factors.m_upper_end[row]; ++number) {
      blocks.behind(number).store(eliminated);
      auto scaled = Columns::of([](int, int) { return Scalar(0); });
      scaled.template add_product<false>(inverse, eliminated);
      keep(scaled, number, excess);
    }
    if (excess != Scalar(0)) m_singular.record(position, unstorable_code);
  }

  static constexpr int prefetched = 1;
  void prefetch(std::int64_t index) const {
    prefetch_blocks(m_elimination.m_a, m_order, index);
    m_elimination.prefetch(m_order.row(index));
  }
  static constexpr int bounds_prefetched = 4;
  /// Rows that are taken in an order have anywhere what says where their blocks are, and nothing can be asked for
  /// before that is there. Beside all else that is read, processors are late with it also where rows are taken by their
  /// numbers.
  void prefetch_bounds([[maybe_unused]] std::int64_t index) const {
#if defined(__GNUC__)
    auto const row = m_order.row(index);
    auto const& factors = m_elimination.m_factors;
    __builtin_prefetch(m_elimination.m_a.offsets() + row);
    // One by one: nvcc's pass for the host has a syntax error where they are a list to go through.
    __builtin_prefetch(factors.m_lower_begin + row);
    __builtin_prefetch(factors.m_diagonal + row);
    __builtin_prefetch(factors.m_upper_begin + row);
    __builtin_prefetch(factors.m_upper_end + row);
    if (m_positions != nullptr) __builtin_prefetch(m_positions + row);
#endif
  }

 private:
  KOKKOS_FUNCTION void keep(const Columns& block, std::int64_t number, Scalar& excess) const {
    excess += block.template excess<Storage>();
    block.store(m_elimination.m_factors.block(number));
  }
};

/// What is wrong in the first row that fails. Rows that are eliminated before it are regular, and so are its own blocks
/// before the diagonal, or they are what fails.
template <int n, class Storage, class Elimination>
struct CsrIluDiagnosis {
  Elimination m_elimination;
  CsrIluSequence m_order;
  std::int64_t* m_column;  ///< of the block that is not finite

  KOKKOS_FUNCTION PivotFinding operator()(std::int64_t position, int code) const {
    auto const& factors = m_elimination.m_factors;
    auto const row = m_order.row(position);
    auto const units = m_elimination.units(row);
    auto const lower_end = factors.m_diagonal[row] + 1, upper_end = factors.m_upper_end[row];
    for (auto number = factors.m_lower_begin[row]; number < lower_end; ++number) {
      if (!is_finite(units, number)) return {FactorFailure::not_finite, unknown_block};
    }
    for (auto number = factors.m_upper_begin[row]; number < upper_end; ++number) {
      if (!is_finite(units, number)) return {FactorFailure::not_finite, unknown_block};
    }
    auto pivot = m_elimination.pivot(row, units).matrix();
    return block::diagnose<Storage>(pivot, code);
  }

 private:
  /// Keeps the column where it is not.
  KOKKOS_FUNCTION bool is_finite(const typename Elimination::Units& units, std::int64_t number) const {
    if (block::is_finite<n>(m_elimination.given(units, number).matrix())) return true;
    *m_column = m_elimination.m_factors.m_columns[number];
    return false;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
