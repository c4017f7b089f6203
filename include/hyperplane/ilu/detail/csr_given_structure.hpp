// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/csr/structure_fingerprints.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>

/// Plans of a BlockCsr look whether the matrices that they are given have the structure that they were made of.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Compares a matrix with the rows of a plan, whose blocks are made from `sources`: by fingerprints where it may have
/// changed, which hardly takes time, and row by row where that is known, or its arrays are not.
template <class MatrixRef, class Pieces>
struct CsrIluDifference {
  MatrixRef m_a;
  CsrIluRows m_rows;
  const std::int64_t* m_sources;
  Pieces m_pieces;

  /// What is compared at a time.
  std::int64_t pieces() const { return m_pieces.count(); }
  KOKKOS_FUNCTION bool piece_differs(std::int64_t piece) const { return m_pieces.differs(piece); }
  /// The first row that differs, where that is the first piece.
  KOKKOS_FUNCTION std::int64_t row_of(std::int64_t piece) const {
    auto const first = first_row_of(piece);
    for (auto row = first; row < m_a.rows(); ++row) {
      if (row_differs(row)) return row;
    }
    return first;
  }

  /// As many blocks, all of them among those of the row and in the same columns.
  KOKKOS_FUNCTION bool row_differs(std::int64_t row) const {
    auto missing = m_a.end(row) - m_a.begin(row);
    bool const has_other = has_other_in(row, m_rows.m_lower_begin[row], m_rows.m_diagonal[row] + 1, missing) ||
                           has_other_in(row, m_rows.m_upper_begin[row], m_rows.m_upper_end[row], missing);
    return has_other || missing != 0;
  }

 private:
  /// The first one of the plan that may have something there.
  KOKKOS_FUNCTION std::int64_t first_row_of(std::int64_t piece) const {
    auto const begin = m_pieces.begin(piece);
    if (!m_pieces.has_columns(piece)) return begin > 0 ? begin - 1 : 0;
    // Blocks of the diagonal follow one another in A.
    std::int64_t first = 0, behind = m_a.rows();
    while (behind - first > 1) {
      auto const row = first + (behind - first) / 2;
      (m_sources[m_rows.m_diagonal[row]] <= begin ? first : behind) = row;
    }
    return first;
  }
  /// Lowers `missing` by the blocks that are made from one of A.
  KOKKOS_FUNCTION bool has_other_in(std::int64_t row, std::int64_t begin, std::int64_t end,
                                    std::int64_t& missing) const {
    for (auto number = begin; number < end; ++number) {
      auto const source = m_sources[number];
      if (source < 0) continue;
      if (source < m_a.begin(row) || source >= m_a.end(row) || m_a.column(source) != m_rows.m_columns[number])
        return true;
      --missing;
    }
    return false;
  }
};

template <class Matrix, class Fingerprints>
CsrIluDifference<typename Matrix::Ref, typename Fingerprints::Pieces> csr_ilu_difference(
    const Matrix& a, const CsrIluRows& rows, const std::int64_t* sources, const Fingerprints& fingerprints) {
  return {a.ref(), rows, sources, fingerprints.pieces(a)};
}

/// The first row that differs; a reduction.
template <class Difference>
struct FindCsrDifference {
  Difference m_difference;

  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& first) const {
    if (row < first && m_difference.row_differs(row)) first = row;
  }
};

/// Lowers a word to the first piece that differs.
template <class Difference>
struct RecordCsrDifference {
  Difference m_difference;
  std::uint64_t* m_word;

  KOKKOS_FUNCTION void operator()(std::int64_t piece) const {
    if (m_difference.piece_differs(piece)) Kokkos::atomic_min(m_word, static_cast<std::uint64_t>(piece));
  }
};

/// Arrays that had the structure of the plan when they were looked at first.
template <class Matrix>
class CsrGivenStructure {
 public:
  CsrGivenStructure(const typename Matrix::Offsets& offsets, const typename Matrix::Columns& columns)
      : m_offsets(offsets), m_columns(columns) {}

  std::int64_t rows() const { return static_cast<std::int64_t>(m_offsets.extent(0)) - 1; }
  std::int64_t blocks() const { return static_cast<std::int64_t>(m_columns.extent(0)); }

  /// Throws Error where A has another number of rows or blocks than the plan, and where arrays that were not given
  /// before have another structure, which waits for the instance. Arrays that were are compared by a launch, which
  /// lowers a word of a CsrFactorRecord; a piece of them has as many bytes.
  template <class Exec, class A, class Difference>
  void check(const Exec& exec, const char* plan, const A& a, const Difference& difference, double bytes,
             std::uint64_t* word) {
    check_extents(plan, a);
    if (are_known(a)) {
      launch("Hyperplane::StructureFingerprints::compare", LongIndexRange<Exec>(exec, 0, difference.pieces()), bytes,
             RecordCsrDifference<Difference>{difference, word});
      return;
    }
    take(plan, a, [&] {
      std::int64_t first = no_row;
      Kokkos::parallel_reduce("Hyperplane::CsrIlu::compare",
                              Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, rows()),
                              FindCsrDifference<Difference>{difference}, Kokkos::Min<std::int64_t>(first));
      return first;
    });
  }

  static constexpr auto no_row = std::numeric_limits<std::int64_t>::max();
  /// The same of arrays that have changed: may_differ() says so of those that were given before, where find_first()
  /// returns the first row that differs, or no_row.
  template <class A, class MayDiffer, class FindFirst>
  void check_now(const char* plan, const A& a, const MayDiffer& may_differ, const FindFirst& find_first) {
    check_extents(plan, a);
    if (!are_known(a) || may_differ()) take(plan, a, find_first);
  }

 private:
  template <class A>
  bool are_known(const A& a) const {
    return a.offsets().data() == m_offsets.data() && a.columns().data() == m_columns.data();
  }
  template <class A>
  void check_extents(const char* plan, const A& a) const {
    if (a.rows() == rows() && a.blocks() == blocks()) return;
    fail(std::string(plan) + "::factor: A has " + std::to_string(a.rows()) + " rows and " + std::to_string(a.blocks()) +
         " blocks, expected " + std::to_string(rows()) + " and " + std::to_string(blocks()));
  }
  template <class A, class FindFirst>
  void take(const char* plan, const A& a, const FindFirst& find_first) {
    if (auto const first = find_first(); first != no_row) {
      fail(std::string(plan) + "::factor: row " + std::to_string(first) +
           " of A has other columns, or in another order, than the constructor was given");
    }
    m_offsets = a.offsets();
    m_columns = a.columns();
  }

  // Kept, so that no other arrays are where they are.
  typename Matrix::Offsets m_offsets;
  typename Matrix::Columns m_columns;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
