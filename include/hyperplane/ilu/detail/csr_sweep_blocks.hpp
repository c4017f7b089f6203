// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/ilu/detail/csr_ilu_relaxation.hpp>
#include <hyperplane/sweep/factor_scales.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What is multiplied in the rows. Blocks are stored by columns.
template <class Storage, int n>
struct CsrSweepBlocks {
  const std::int64_t* m_begin;  ///< of the entries of each row
  const std::int64_t* m_end;
  const int* m_columns;            ///< of each entry, the row whose values it is multiplied with
  const std::int64_t* m_numbers;   ///< of each entry, its block; or none, where they have the same numbers
  const std::int64_t* m_diagonal;  ///< of each row, its block in the diagonal
  const Storage* m_values;
  FactorScales<Storage, n, 1> m_scales{};
};

/// Which blocks factors have, and what they are made of; see CsrIluFactors and CsrIluElimination.
template <class Storage, class MatrixStorage, class Scales, class Relaxation = NoCsrIluRelaxation>
struct CsrFactorBlocks {
  using StorageType = Storage;
  using MatrixType = MatrixStorage;

  const std::int64_t* m_lower_begin;
  const std::int64_t* m_diagonal;
  const std::int64_t* m_upper_begin;
  const std::int64_t* m_upper_end;
  const std::int64_t* m_sources;  ///< the block of A, or a negative number
  const std::int64_t* m_product_begin;
  const std::int64_t* m_lower;
  const std::int64_t* m_upper;
  const int* m_positions;    ///< of rows in the order of the factorization; or none, where that is by their numbers
  const MatrixStorage* m_a;  ///< blocks by rows
  Storage* m_values;         ///< blocks by columns
  unsigned long long* m_singular;
  Scales m_scales;
  Relaxation m_relaxation{};
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
