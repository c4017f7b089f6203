// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/diagnosis.hpp>
#include <hyperplane/block/inverse.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/csr/csr_status.hpp>
#include <hyperplane/ilu/detail/csr_row_blocks.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

/// Pivot blocks of incomplete factorizations of a BlockCsr that cannot be inverted, and what is taken instead: the
/// block itself plus a share of the norm of its row of A on the diagonal.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The share; or Error, also where it is nothing or infinite as a Scalar.
template <class Scalar>
double checked_pivot_shift(const char* plan, double shift) {
  if (!(shift >= 0.0 && std::isfinite(shift))) {
    fail(std::string(plan) + ": pivot_shift is " + shortest(shift) + ", expected a finite number, 0 or more");
  }
  auto const is_too_large = shift > static_cast<double>(std::numeric_limits<Scalar>::max());
  if (is_too_large || (shift > 0.0 && static_cast<Scalar>(shift) == Scalar(0))) {
    fail(std::string(plan) + ": pivot_shift is " + shortest(shift) + ", which is " +
         (is_too_large ? "not finite" : "0") + " in single precision");
  }
  return shift;
}

/// The inverse of a pivot block, or of what replaced it, times a factor of SSOR or block Jacobi.
template <class Scalar, int n>
struct CsrInvertedPivot {
  block::Matrix<Scalar, n> m_inverse;
  int m_failed;  ///< the column in which elimination stopped first, or n
  bool m_replaced;

  template <class Relaxation>
  KOKKOS_FORCEINLINE_FUNCTION static CsrInvertedPivot of(const block::Matrix<Scalar, n>& pivot,
                                                         const Relaxation& relaxation) {
    CsrInvertedPivot result{pivot, n, false};
    block::invert<n>(result.m_inverse, [&](bool /*singular*/, int column) {
      if (column < result.m_failed) result.m_failed = column;
    });
    for (auto& entry : result.m_inverse.m_entries) entry = relaxation.of_inverse(entry);
    return result;
  }
  template <class Storage>
  KOKKOS_FUNCTION bool is_of_use() const {
    return m_failed == n && block::storage_excess<Storage, Scalar>(m_inverse) == Scalar(0);
  }
};

/// A row of A, as its values follow one another, and the share of their norm that goes to the diagonal of its pivot
/// block where that has no inverse that can be stored; 0 where it goes nowhere.
template <class Scalar, class MatrixStorage>
struct CsrPivotShift {
  Scalar m_share;
  const MatrixStorage* m_values;
  std::int64_t m_count;

  /// `units` are those of the pivot block, see CsrRowUnits; A is in its own.
  template <class Storage, int n, class Units, class Relaxation>
  KOKKOS_FORCEINLINE_FUNCTION CsrInvertedPivot<Scalar, n> invert(const block::Matrix<Scalar, n>& pivot,
                                                                 const Units& units,
                                                                 const Relaxation& relaxation) const {
    if (m_share != Scalar(0)) return invert_or_replace<Storage>(pivot, units, relaxation);
    return CsrInvertedPivot<Scalar, n>::of(pivot, relaxation);
  }

 private:
  template <class Storage, int n, class Units, class Relaxation>
  HYPERPLANE_APART_FUNCTION CsrInvertedPivot<Scalar, n> invert_or_replace(block::Matrix<Scalar, n> pivot,
                                                                          const Units& units,
                                                                          const Relaxation& relaxation) const {
    auto const given = CsrInvertedPivot<Scalar, n>::of(pivot, relaxation);
    if (given.template is_of_use<Storage>()) return given;
    Scalar const shift = m_share * norm();
    for (int c = 0; c < n; ++c) pivot(c, c) += units(c, c, shift);
    auto result = CsrInvertedPivot<Scalar, n>::of(pivot, relaxation);
    result.m_replaced = result.template is_of_use<Storage>();
    // What a diagnosis looks at is the block as it was.
    return result.m_replaced ? result : given;
  }
  /// The root of the sum of the squares, which neither overflow nor vanish.
  KOKKOS_FUNCTION Scalar norm() const {
    Scalar largest(0), squares(0);
    for (std::int64_t e = 0; e < m_count; ++e) {
      largest = Kokkos::fmax(largest, Kokkos::abs(static_cast<Scalar>(m_values[e])));
    }
    if (largest == Scalar(0)) return largest;
    for (std::int64_t e = 0; e < m_count; ++e) {
      Scalar const relative = static_cast<Scalar>(m_values[e]) / largest;
      squares += relative * relative;
    }
    return largest * Kokkos::sqrt(squares);
  }
};

/// That of a row of A.
template <int n, class Scalar, class MatrixRef>
KOKKOS_FUNCTION auto csr_pivot_shift(const MatrixRef& a, std::int64_t row, Scalar share) {
  auto const* const values = &a(0, 0, 0);
  auto const blocks = blocks_of_row(a, row);
  using Value = std::remove_cvref_t<decltype(*values)>;
  return CsrPivotShift<Scalar, Value>{share, values + blocks.begin * n * n, blocks.count() * n * n};
}

/// How many blocks a factorization replaced, and which was taken first, for kernels.
struct CsrReplacedRef {
  using Word = unsigned long long;
  Word* m_words;  ///< the count, and rows less the position of the first
  std::int64_t m_rows;

  /// None.
  KOKKOS_FUNCTION void operator()(int) const {
    m_words[0] = 0;
    m_words[1] = 0;
  }
  KOKKOS_FUNCTION void record(std::int64_t position) const {
    Kokkos::atomic_add(m_words, Word(1));
    Kokkos::atomic_max(m_words + 1, static_cast<Word>(m_rows - position));
  }
};

/// The same on the host.
template <ExecutionSpace Exec>
class CsrReplaced {
 public:
  CsrReplaced(const Exec& exec, std::int64_t rows)
      : m_words(Kokkos::view_alloc(exec, "Hyperplane::CsrIlu::replaced"), 2), m_rows(rows) {}

  CsrReplacedRef ref() const { return {m_words.data(), m_rows}; }
  /// None, for the next factorization.
  void reset(const Exec& exec) const {
    launch("Hyperplane::CsrIlu::replaced", IndexRange<Exec>(exec, 0, 1), 2.0 * sizeof(CsrReplacedRef::Word), ref());
  }
  /// row_at(position) is the row that is taken as the one of this number. Waits for the instance.
  template <class RowAt>
  void add_to(const Exec& exec, CsrStatus& status, const RowAt& row_at) const {
    auto const words = to_vector(exec, m_words);
    status.replaced = static_cast<std::int64_t>(words[0]);
    if (status.replaced > 0) status.first_replaced = row_at(m_rows - static_cast<std::int64_t>(words[1]));
  }

 private:
  Kokkos::View<CsrReplacedRef::Word*, typename Exec::memory_space> m_words;
  std::int64_t m_rows;
};

/// Inverts the pivot block of a row that is taken as the one of number `position`, and records what is wrong with it.
/// `replaces`: what cannot be inverted, as `shift` does.
template <bool replaces, class Storage, class Scalar, int n, class Shift, class Units, class Relaxation, class Record>
KOKKOS_FORCEINLINE_FUNCTION void invert_csr_pivot(block::Matrix<Scalar, n>& pivot, const Shift& shift,
                                                  const Units& units, const Relaxation& relaxation,
                                                  std::int64_t position, const Record& singular,
                                                  const CsrReplacedRef& replaced) {
  if constexpr (replaces) {
    auto const inverted = shift.template invert<Storage>(pivot, units, relaxation);
    pivot = inverted.m_inverse;
    if (inverted.m_failed < n) singular.record(position, inverted.m_failed);
    if (inverted.m_replaced) replaced.record(position);
  } else {
    block::invert<n>(pivot, [&](bool, int equation) { singular.record(position, equation); });
    for (auto& entry : pivot.m_entries) entry = relaxation.of_inverse(entry);
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
