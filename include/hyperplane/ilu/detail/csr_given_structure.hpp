// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/csr/given_structure.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

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
    return first_other_row(*this, m_pieces, m_a.rows(), piece);
  }
  /// That of the diagonal.
  KOKKOS_FUNCTION std::int64_t block_of(std::int64_t row) const { return m_sources[m_rows.m_diagonal[row]]; }

  /// As many blocks, all of them among those of the row and in the same columns.
  KOKKOS_FUNCTION bool row_differs(std::int64_t row) const {
    auto missing = m_a.end(row) - m_a.begin(row);
    bool const has_other = has_other_in(row, m_rows.m_lower_begin[row], m_rows.m_diagonal[row] + 1, missing) ||
                           has_other_in(row, m_rows.m_upper_begin[row], m_rows.m_upper_end[row], missing);
    return has_other || missing != 0;
  }

 private:
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

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
