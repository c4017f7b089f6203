// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>

/// Plans of a BlockCsr look whether the matrices that they are given have the structure that they were made of, piece
/// by piece (StructureFingerprints). What compares is a difference, which has
///
///   pieces()             how many there are
///   piece_differs(piece)
///   row_of(piece)        the first row that differs, where that is the first piece
///   row_differs(row)
namespace hyperplane::inline HYPERPLANE_ABI::detail {

inline constexpr auto no_structure_word = std::numeric_limits<std::uint64_t>::max();

/// row_of() of pieces of StructureFingerprints. The rows of the plan have blocks of A in their order: block_of(row) of
/// the difference is the number of one of them.
template <class Difference, class Pieces>
KOKKOS_FUNCTION std::int64_t first_other_row(const Difference& difference, const Pieces& pieces, std::int64_t rows,
                                             std::int64_t piece) {
  auto const begin = pieces.begin(piece);
  std::int64_t first = 0;
  if (pieces.has_columns(piece)) {
    std::int64_t behind = rows;
    while (behind - first > 1) {
      auto const row = first + (behind - first) / 2;
      (difference.block_of(row) <= begin ? first : behind) = row;
    }
  } else if (begin > 0) {
    first = begin - 1;
  }
  for (auto row = first; row < rows; ++row) {
    if (difference.row_differs(row)) return row;
  }
  return first;
}

/// Of the two words of a record: the first is a piece that differs, and becomes none; the second the row, or none.
template <class Difference>
KOKKOS_FUNCTION void conclude_csr_difference(const Difference& difference, std::uint64_t* words) {
  auto const piece = words[0];
  words[0] = no_structure_word;
  words[1] = no_structure_word;
  if (piece == no_structure_word) return;
  // A factorization that an exception ended may have left the piece of another matrix.
  auto const row = difference.row_of(static_cast<std::int64_t>(piece));
  if (difference.row_differs(row)) words[1] = static_cast<std::uint64_t>(row);
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
  /// lowers a word to the first piece that differs; a piece has as many bytes.
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
      Kokkos::parallel_reduce("Hyperplane::CsrGivenStructure::compare",
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
