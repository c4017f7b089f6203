// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/csr/block_csr.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <string>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI {

/// A KokkosSparse CrsMatrix or BsrMatrix, of whatever version and namespace of Kokkos Kernels: the caller includes it.
template <class Matrix>
concept SparseRowMatrix = requires(const Matrix& a) {
  typename Matrix::execution_space;
  a.graph.row_map.data();
  a.graph.entries.data();
  a.values.data();
  a.numCols();
};
/// A KokkosSparse BsrMatrix.
template <class Matrix>
concept BlockSparseRowMatrix = SparseRowMatrix<Matrix> && requires(const Matrix& a) {
  { a.blockDim() } -> std::convertible_to<int>;
};

namespace detail {

/// Shares structure and values, of whole blocks.
template <int n, SparseRowMatrix Matrix>
auto wrap_rows(const std::string& function, const Matrix& a) {
  using Scalar = typename decltype(a.values)::non_const_value_type;
  using Offset = typename std::remove_cvref_t<decltype(a.graph.row_map)>::non_const_value_type;
  using Column = typename std::remove_cvref_t<decltype(a.graph.entries)>::non_const_value_type;
  using Result = BlockCsr<Scalar, n, typename Matrix::execution_space, Scalar, Offset>;
  static_assert(std::is_same_v<Column, int>, "column numbers are int");
  if (a.numCols() != a.numRows()) {
    fail(function + ": the matrix has " + std::to_string(a.numRows()) + " rows and " + std::to_string(a.numCols()) +
         " columns" + (n > 1 ? " of blocks" : "") + ", expected as many of both");
  }
  // An empty matrix may have no row map.
  require(a.graph.row_map.extent(0) > 0, function + ": the matrix is empty");
  return Result(typename Result::Offsets(a.graph.row_map), typename Result::Columns(a.graph.entries),
                typename Result::Values(a.values));
}

}  // namespace detail

/// The same matrix as a BlockCsr of n x n blocks, without a copy: both share structure and values. Throws Error where
/// the blocks are of another size and where the matrix is not square.
template <int n, BlockSparseRowMatrix Matrix>
auto wrap_bsr_matrix(const Matrix& a) {
  if (static_cast<int>(a.blockDim()) != n) {
    fail("wrap_bsr_matrix: blocks are of size " + std::to_string(a.blockDim()) + ", expected " + std::to_string(n));
  }
  return detail::wrap_rows<n>("wrap_bsr_matrix", a);
}

/// The same of a matrix of scalars, with n = 1. ScalarsInBlocks makes larger blocks of one, and copies its values.
/// Throws Error where the matrix is not square.
template <SparseRowMatrix Matrix>
  requires(!BlockSparseRowMatrix<Matrix>)
auto wrap_crs_matrix(const Matrix& a) {
  return detail::wrap_rows<1>("wrap_crs_matrix", a);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
