// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A difference, as CsrGivenStructure compares by, from the structure that a plan keeps; each row of it has a block.
template <class MatrixRef, class Pieces, class Offset>
struct LineCsrDifference {
  MatrixRef m_a;
  const Offset* m_offsets;
  const int* m_columns;
  Pieces m_pieces;

  std::int64_t pieces() const { return m_pieces.count(); }
  KOKKOS_FUNCTION bool piece_differs(std::int64_t piece) const { return m_pieces.differs(piece); }
  KOKKOS_FUNCTION std::int64_t row_of(std::int64_t piece) const {
    auto const first = first_row_of(piece);
    for (auto row = first; row < m_a.rows(); ++row) {
      if (row_differs(row)) return row;
    }
    return first;
  }
  KOKKOS_FUNCTION bool row_differs(std::int64_t row) const {
    auto const begin = static_cast<std::int64_t>(m_offsets[row]), end = static_cast<std::int64_t>(m_offsets[row + 1]);
    if (m_a.begin(row) != begin || m_a.end(row) != end) return true;
    for (auto block = begin; block < end; ++block) {
      if (m_a.column(block) != m_columns[block]) return true;
    }
    return false;
  }

 private:
  KOKKOS_FUNCTION std::int64_t first_row_of(std::int64_t piece) const {
    auto const begin = m_pieces.begin(piece);
    if (!m_pieces.has_columns(piece)) return begin > 0 ? begin - 1 : 0;
    std::int64_t first = 0, behind = m_a.rows();
    while (behind - first > 1) {
      auto const row = first + (behind - first) / 2;
      (static_cast<std::int64_t>(m_offsets[row]) <= begin ? first : behind) = row;
    }
    return first;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
