// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/ilu/detail/csr_ilu_relaxation.hpp>
#include <hyperplane/sweep/factor_scales.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Where the diagonal blocks D of a sweep are: in none of it, in D (b - F y), or in b - D F y.
enum class CsrSweepDiagonal { none, of_rest, of_product };

/// A sweep with factors, see CsrSweepBlocks: y = b - F y, or with_diagonal D (b - F y); transposed: with F^T and D^T.
template <bool transposed_, bool with_diagonal>
struct CsrFactorSweep {
  static constexpr bool transposed = transposed_;
  /// Whether blocks F are multiplied as if they were stored by rows; the diagonal ones are where `transposed`.
  static constexpr bool by_rows = transposed;
  /// Whether products are summed up before they are subtracted from b.
  static constexpr bool sums_products = transposed;
  static constexpr auto diagonal = with_diagonal ? CsrSweepDiagonal::of_rest : CsrSweepDiagonal::none;
};

/// One with the triangles F of A itself, see CsrRelaxationSweepBlocks: y = D (s b - F y), or `backward` b - D F y;
/// transposed: with F^T and D^T.
template <bool transposed_, bool backward>
struct CsrRelaxationSweep {
  static constexpr bool transposed = transposed_;
  static constexpr bool by_rows = !transposed;
  static constexpr bool sums_products = backward || !transposed;
  static constexpr auto diagonal = backward ? CsrSweepDiagonal::of_product : CsrSweepDiagonal::of_rest;
};

/// What is multiplied in the rows. Blocks are stored by columns.
template <class Storage, int n>
struct CsrSweepBlocks {
  using StorageType = Storage;
  using Scales = FactorScales<Storage, n, 1>;

  const std::int64_t* m_begin;  ///< of the entries of each row
  const std::int64_t* m_end;
  const int* m_columns;            ///< of each entry, the row whose values it is multiplied with
  const std::int64_t* m_numbers;   ///< of each entry, its block; or none, where they have the same numbers
  const std::int64_t* m_diagonal;  ///< of each row, its block in the diagonal
  const Storage* m_values;
  Scales m_scales{};

  /// Whether a sweep, or one with the transposed triangle, looks up which block an entry has.
  static constexpr bool are_listed(bool transposed) { return transposed; }
  /// Of the block of an entry.
  HYPERPLANE_FUNCTION std::int64_t number(std::int64_t entry) const {
    return m_numbers != nullptr ? m_numbers[entry] : entry;
  }
  HYPERPLANE_FUNCTION const Storage* diagonal(std::int64_t row) const { return m_values + m_diagonal[row] * (n * n); }
  template <class Scalar>
  HYPERPLANE_FUNCTION Scalar scaled(Scalar value) const {
    return value;
  }
};

/// The same of sweeps with the triangles of A itself. Its blocks are stored by rows, those of d^-1 by columns.
template <class Scalar, int n>
struct CsrRelaxationSweepBlocks {
  using StorageType = Scalar;
  using Scales = FactorScales<Scalar, n, 1>;

  const std::int64_t* m_begin;
  const std::int64_t* m_end;
  const int* m_columns;
  const std::int64_t* m_numbers;
  const std::int64_t* m_sources;  ///< of each block, its number in A
  const Scalar* m_values;
  const Scalar* m_inverses;
  Scalar m_scale;
  Scales m_scales{};

  static constexpr bool are_listed(bool /*transposed*/) { return true; }
  HYPERPLANE_FUNCTION std::int64_t number(std::int64_t entry) const {
    return m_sources[m_numbers != nullptr ? m_numbers[entry] : entry];
  }
  HYPERPLANE_FUNCTION const Scalar* diagonal(std::int64_t row) const { return m_inverses + row * (n * n); }
  HYPERPLANE_FUNCTION Scalar scaled(Scalar value) const { return m_scale * value; }
};

/// What the factorization of DILU reads and writes: d_i^-1, which is stored by columns, from the blocks of A.
template <class Scalar>
struct CsrDiluBlocks {
  using StorageType = Scalar;

  const std::int64_t* m_begin;  ///< of the blocks before the diagonal, of each row
  const std::int64_t* m_end;
  const int* m_columns;
  const std::int64_t* m_sources;    ///< of each of them, its number in A
  const std::int64_t* m_opposites;  ///< the number in A of the block on the other side, or negative
  const std::int64_t* m_diagonal;   ///< of each row, the number in A of its diagonal block
  const int* m_positions;           ///< see CsrFactorBlocks
  const Scalar* m_a;                ///< blocks by rows
  Scalar* m_inverses;
  unsigned long long* m_singular;
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
