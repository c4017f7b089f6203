// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/csr/given_structure.hpp>

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
    return first_other_row(*this, m_pieces, m_a.rows(), piece);
  }
  KOKKOS_FUNCTION std::int64_t block_of(std::int64_t row) const { return static_cast<std::int64_t>(m_offsets[row]); }
  KOKKOS_FUNCTION bool row_differs(std::int64_t row) const {
    auto const begin = block_of(row), end = block_of(row + 1);
    if (m_a.begin(row) != begin || m_a.end(row) != end) return true;
    for (auto block = begin; block < end; ++block) {
      if (m_a.column(block) != m_columns[block]) return true;
    }
    return false;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
