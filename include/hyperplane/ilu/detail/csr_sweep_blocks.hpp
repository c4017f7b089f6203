// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <hyperplane/core/abi.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What is multiplied in the rows. Blocks are stored by columns.
template <class Storage>
struct CsrSweepBlocks {
  const std::int64_t* m_begin;  ///< of the entries of each row
  const std::int64_t* m_end;
  const int* m_columns;            ///< of each entry, the row whose values it is multiplied with
  const std::int64_t* m_numbers;   ///< of each entry, its block; or none, where they have the same numbers
  const std::int64_t* m_diagonal;  ///< of each row, its block in the diagonal
  const Storage* m_values;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
