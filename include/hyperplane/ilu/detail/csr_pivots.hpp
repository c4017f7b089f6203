// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/columns.hpp>
#include <hyperplane/block/diagnosis.hpp>
#include <hyperplane/block/inverse.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/factor_failure.hpp>
#include <hyperplane/core/singular_pivot.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/csr/csr_status.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/ilu/detail/csr_factor_record.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>
#include <hyperplane/ilu/detail/csr_ilu_relaxation.hpp>
#include <hyperplane/ilu/detail/csr_pivot_pairs.hpp>
#include <hyperplane/ilu/detail/csr_pivot_shift.hpp>
#include <hyperplane/ilu/detail/csr_units.hpp>
#include <hyperplane/sweep/factor_scales.hpp>
#include <hyperplane/sweep/factor_units.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

/// Preconditioners of a BlockCsr that keep the inverse of one block for each row, and no other factors.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The factor that relaxes; or Error.
inline double checked_csr_relaxation(const char* plan, double relaxation) {
  if (!(relaxation > 0 && relaxation < 2)) {
    fail(std::string(plan) + ": relaxation is " + shortest(relaxation) + ", expected more than 0 and less than 2");
  }
  return relaxation;
}

/// d_i = A_ii - sum of A_ij d_j^-1 A_ji over the pairs; there are none where inverses are in units of their own.
template <class Scalar, int n, class Storage, class MatrixRef, class Pairs>
struct CsrPivotBlocks {
  using Columns = block::Columns<Scalar, n>;

  MatrixRef m_a;
  const std::int64_t* m_diagonal;  ///< numbers in A
  Storage* m_inverses;             ///< blocks stored by columns
  Pairs m_pairs;
  FactorScales<Storage, n, 1> m_scales;

  /// Those that a row is taken into, which it keeps: by its diagonal block alone.
  KOKKOS_FUNCTION void keep_units(std::int64_t row) const {
    choose_equation_units<n>(m_scales, row, &m_a(m_diagonal[row], 0, 0), 1);
  }

  KOKKOS_FUNCTION CsrRowUnits<Scalar, n, FactorScales<Storage, n, 1>> units(std::int64_t row) const {
    return {m_scales, row};
  }

  KOKKOS_FUNCTION Columns given(std::int64_t number) const {
    return Columns::of([&](int r, int c) { return m_a(number, r, c); });
  }
  KOKKOS_FUNCTION Storage* inverse(std::int64_t row) const { return m_inverses + row * n * n; }

  KOKKOS_FUNCTION Columns pivot(std::int64_t row) const {
    auto const of_row = units(row);
    auto result = Columns::of([&](int r, int c) { return of_row(r, c, m_a(m_diagonal[row], r, c)); });
    // Behind a block that is multiplied from the left, values are read.
    Scalar before[std::size_t{n * n + Columns::overrun}] = {};
    Scalar behind[std::size_t{n * n}], scaled[std::size_t{n * n}];
    m_pairs.for_pairs(row, [&](std::int64_t column, std::int64_t lower, std::int64_t upper) {
      given(upper).store(behind);
      auto product = Columns::of([](int, int) { return Scalar(0); });
      product.template add_product<false>(inverse(column), behind);
      product.store(scaled);
      given(lower).store(before);
      result.template add_product<true>(before, scaled);
      return true;
    });
    return result;
  }
};

/// w d^-1 of a row. `replaces`: pivots that cannot be inverted.
template <bool replaces, class Scalar, int n, class Exec, class Storage, class Blocks>
struct CsrPivotInversion {
  using Columns = block::Columns<Scalar, n>;

  Blocks m_blocks;
  CsrIluRelaxation<Scalar> m_relaxation;
  typename SingularPivotRecord<Exec>::Ref m_singular;
  const int* m_positions;  ///< of rows in the order in which they are taken; or none, where that is by numbers
  CsrIluSequence m_order;
  Scalar m_pivot_shift;
  CsrReplacedRef m_replaced;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const row = m_order.row(index);
    auto const position = m_positions != nullptr ? m_positions[row] : row;
    m_blocks.keep_units(row);
    auto pivot = m_blocks.pivot(row).matrix();
    invert_csr_pivot<replaces, Storage>(pivot, csr_pivot_shift<n>(m_blocks.m_a, row, m_pivot_shift),
                                        m_blocks.units(row), m_relaxation, position, m_singular, m_replaced);
    auto const inverse = Columns::of([&](int r, int c) { return pivot(r, c); });
    if (inverse.template excess<Storage>() != Scalar(0)) m_singular.record(position, unstorable_code);
    inverse.store(m_blocks.inverse(row));
  }

  static constexpr int prefetched = 1;
  /// Of rows by their numbers, the processor sees the blocks that are read, which are not all.
  void prefetch(std::int64_t index) const {
    if (m_order.m_rows != nullptr) prefetch_blocks(m_blocks.m_a, m_order, index);
  }
};

/// What is wrong in the first row that fails: rows that are taken before it are regular.
template <class Scalar, int n, class Storage, class Blocks>
struct CsrPivotDiagnosis {
  Blocks m_blocks;
  CsrIluSequence m_order;
  std::int64_t* m_place;  ///< row and column of the block that is not finite

  KOKKOS_FUNCTION PivotFinding operator()(std::int64_t position, int code) const {
    auto const row = m_order.row(position);
    bool is_regular = is_finite(m_blocks.m_diagonal[row], row, row);
    if (is_regular) {
      m_blocks.m_pairs.for_pairs(row, [&](std::int64_t column, std::int64_t lower, std::int64_t upper) {
        is_regular = is_finite(lower, row, column) && is_finite(upper, column, row);
        return is_regular;
      });
    }
    if (!is_regular) return {FactorFailure::not_finite, unknown_block};
    auto pivot = m_blocks.pivot(row).matrix();
    return block::diagnose<Storage>(pivot, code);
  }

 private:
  /// Keeps the place where it is not.
  KOKKOS_FUNCTION bool is_finite(std::int64_t number, std::int64_t row, std::int64_t column) const {
    if (block::is_finite<n>(m_blocks.given(number).matrix())) return true;
    m_place[0] = row;
    m_place[1] = column;
    return false;
  }
};

/// The inverses, and what is wrong with them.
template <class Scalar, int n, class Exec, class Storage>
class CsrPivots {
 public:
  /// Of the numbers in A of the diagonal blocks. Waits for the instance. Throws Error where the shift makes no sense.
  CsrPivots(const char* plan, const Exec& exec, const std::vector<std::int64_t>& diagonal, double pivot_shift)
      : m_diagonal(to_space(exec, "Hyperplane::CsrPivots::structure", diagonal)),
        m_inverses(Kokkos::view_alloc(exec, "Hyperplane::CsrPivots::inverses"),
                   diagonal.size() * n * n + as_size(block::Columns<Scalar, n>::overrun)),
        m_units(exec, "CsrPivots", static_cast<std::int64_t>(diagonal.size())),
        m_place(Kokkos::view_alloc(exec, "Hyperplane::CsrPivots::place"), 2),
        m_pivot_shift(checked_pivot_shift<Scalar>(plan, pivot_shift)),
        m_replaced(exec, static_cast<std::int64_t>(diagonal.size())),
        m_record(exec, "Hyperplane::CsrPivots::status") {}

  std::int64_t rows() const { return static_cast<std::int64_t>(m_diagonal.extent(0)); }
  /// Stored by columns; values that may be read are behind them.
  const Storage* inverses() const { return m_inverses.data(); }
  /// That they are in.
  FactorScales<Storage, n, 1> scales() const { return m_units.ref(); }
  const std::int64_t* diagonal() const { return m_diagonal.data(); }
  const CsrFactorRecord<Exec>& record() const { return m_record; }
  bool may_replace() const { return m_pivot_shift > 0.0; }

  /// w d^-1. `difference` is what the structure of A was looked at by. run(kernel_of) runs kernel_of(sequence) over the
  /// rows; `order` and `positions` are those of the rows, or
  /// null.
  template <class Ref, class Difference, class Pairs, class Run>
  void invert(const Exec& exec, const Ref& a, const Difference& difference, const Pairs& pairs, double relaxation,
              const int* order, const int* positions, const Run& run) const {
    m_units.template choose<Scalar>(exec, CsrSample<Ref, n>{a, rows(), m_diagonal.data()});
    auto const blocks = blocks_of(a, pairs);
    auto const kernel = [&]<bool replaces>(std::bool_constant<replaces>, const CsrIluSequence& sequence) {
      return CsrPivotInversion<replaces, Scalar, n, Exec, Storage, std::remove_const_t<decltype(blocks)>>{
          blocks,          {.m_of_inverses = static_cast<Scalar>(relaxation)},
          m_record.ref(),  positions,
          sequence,        static_cast<Scalar>(m_pivot_shift),
          m_replaced.ref()};
    };
    if (may_replace()) {
      m_replaced.reset(exec);
      run([&](const CsrIluSequence& sequence) { return kernel(std::true_type(), sequence); });
    } else {
      run([&](const CsrIluSequence& sequence) { return kernel(std::false_type(), sequence); });
    }
    conclude(exec, difference, blocks, order);
  }

  /// d^-1, of types that need no units, by another kernel: run(inverses, word) has the word of CsrFactorRecord.
  template <class Ref, class Difference, class Pairs, class Run>
  void invert_by(const Exec& exec, const Ref& a, const Difference& difference, const Pairs& pairs, const int* order,
                 const Run& run) const {
    run(m_inverses.data(), m_record.word());
    conclude(exec, difference, blocks_of(a, pairs), order);
  }

  /// row_at(position): the row that is taken as the one of this number. Waits for the instance.
  template <class RowAt>
  CsrStatus status(const Exec& exec, const RowAt& row_at) const {
    auto const [other_row, found] = m_record.find(exec);
    if (other_row) return {{.failure = FactorFailure::other_structure}, *other_row};
    if (!found) {
      CsrStatus regular;
      if (may_replace()) m_replaced.add_to(exec, regular, row_at);
      return regular;
    }
    CsrStatus result{{.failure = found->finding.failure}, row_at(found->number)};
    if (result.singular()) result.equation = found->finding.index;
    if (result.failure == FactorFailure::not_finite) {
      auto const place = to_vector(exec, m_place);
      result.row = place[0];
      result.column = place[1];
    }
    return result;
  }

 private:
  template <class Ref, class Pairs>
  CsrPivotBlocks<Scalar, n, Storage, Ref, Pairs> blocks_of(const Ref& a, const Pairs& pairs) const {
    return {a, m_diagonal.data(), m_inverses.data(), pairs, scales()};
  }
  template <class Difference, class Blocks>
  void conclude(const Exec& exec, const Difference& difference, const Blocks& blocks, const int* order) const {
    m_record.conclude(exec, difference,
                      CsrPivotDiagnosis<Scalar, n, Storage, Blocks>{blocks, {order, 0, 1}, m_place.data()});
  }

  Kokkos::View<std::int64_t*, typename Exec::memory_space> m_diagonal;
  Kokkos::View<Storage*, typename Exec::memory_space> m_inverses;
  FactorUnits<Storage, n, 1, Exec> m_units;
  Kokkos::View<std::int64_t*, typename Exec::memory_space> m_place;
  double m_pivot_shift;
  CsrReplaced<Exec> m_replaced;
  CsrFactorRecord<Exec> m_record;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
