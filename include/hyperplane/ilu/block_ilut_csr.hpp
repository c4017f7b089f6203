// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/csr/csr_path.hpp>
#include <hyperplane/csr/row_order.hpp>
#include <hyperplane/ilu/detail/csr_ilut_plan.hpp>

#include <concepts>
#include <cstdint>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

struct BlockIlutCsrOptions {
  double drop_tolerance = 1e-2;  ///< tau: blocks that are smaller, relative to their row of A, are dropped
  int row_entries = 20;          ///< p: blocks of a row that are kept before the diagonal, and behind it
  CsrPath path = CsrPath::automatic;
  RowOrder order = RowOrder::natural;
  /// For RowOrder::given: each row once, the one that is taken first in front.
  std::vector<int> given_order{};
  bool transposed = false;   ///< whether there are solves with M^T, too
  double pivot_shift = 0.0;  ///< s: what pivots that cannot be inverted are replaced with; 0: nothing
};

/// ILUT(tau, p) for unstructured meshes: block incomplete LU factorization of a BlockCsr whose values decide which
/// blocks are kept.
///
/// M = (d + L)(I + d^-1 U) as BlockIlu0Csr, without pivoting between blocks. Row i of A is eliminated by those rows
/// before it for which it has a block, or gets one, in the order in which rows are taken:
///
///     W_ij = A_ij - sum of L_ik u_kj, k < min(i, j), with u = d^-1 U
///
/// is L_ij for j < i, d_i for j = i and d_i u_ij for j > i, where it is kept. It is dropped
///
/// - where its Frobenius norm is less than tau times that of row i of A, which is the root of the sum of the squares of
///   all entries of its blocks. A block of L is dropped before it is multiplied with anything;
/// - where the row has more than p blocks that are left before the diagonal, or behind it: the p largest ones, by
///   Frobenius norm, are kept on either side, of equal ones those that are taken first.
///
/// Diagonal blocks are always kept. With tau = 0 and p not less than the rows, M = A. Where p drops nothing, A - M is
/// what tau dropped: its blocks are zero or smaller than tau times the norm of their row. Source: Y. Saad, "ILUT: a
/// dual threshold incomplete LU factorization", Numer. Linear Algebra Appl. 1, 1994, pp. 387-402,
/// doi:10.1002/nla.1680010405. There blocks of L are divided by pivots before they are compared with tau; here
/// they are compared as they are, like those of U, so that multiples of rows do not change what is dropped.
///
/// With the option `pivot_shift`, pivots that cannot be inverted are replaced as BlockIlu0Csr says.
///
/// The constructor reads the structure of the matrix, and waits for the instance. factor() finds blocks and values on
/// the host, by all threads of a host execution space, or for a device by those of Kokkos' default host execution
/// space: it waits for the instance, allocates, and has finished when it returns. For a device it copies the values of
/// A to the host and the factors back. Threads take the rows in their order, and wait for rows that they need: so
/// few work at a time where rows need those right before them. Solves are those of BlockIlu0Csr. Copies of a plan share
/// the factors that there are when they are made, and their working memory: what may run at a time is what BlockIlu0Csr
/// says.
///
/// Cost: solves as BlockIlu0Csr, with the blocks of the factors, blocks(), for those of A. factor() takes 2 n^3 flops
/// per point, per block behind the diagonal, and per product, products(); a few more operations for the norm of each
/// block of A and each that it makes; and finds levels and numbers of blocks anew, serially. Memory: n^2 values of
/// StorageScalar and 4 bytes per block of the factors, 4 bytes per block of A, and 60 per point; with the option
/// `transposed` 12 more per block and 16 per point, and on CsrPath::team, where rows are not taken by their numbers,
/// what BlockIlu0Csr has more there. While it runs, factor() has the factors twice, and each thread an int for each
/// row.
///
/// Results are bitwise the same whatever the path and the number of threads.
template <Real Scalar, int n, ExecutionSpace Exec, FactorReal StorageScalar = Scalar,
          std::integral Offset = std::int64_t>
class BlockIlutCsr : private detail::CsrIlutPlan<Scalar, n, Exec, StorageScalar, Offset> {
  using Plan = detail::CsrIlutPlan<Scalar, n, Exec, StorageScalar, Offset>;

 public:
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using Options = BlockIlutCsrOptions;
  /// The same with factors of another type.
  template <FactorReal Other>
  using WithStorage = BlockIlutCsr<Scalar, n, Exec, Other, Offset>;
  /// Matrices may have values of another type: see factor().
  using Matrix = typename Plan::Matrix;
  using Vector = typename Plan::Vector;
  static constexpr int block_size = n;

  /// Of the structure of `a`, whose rows may have their columns in any order; its values may be anything, but those
  /// that RowOrder::lines follows. Waits for the instance. Throws Error as BlockIlu0Csr does, and where
  /// `drop_tolerance` is negative or not finite, or `row_entries` is negative.
  template <class MatrixStorage>
  BlockIlutCsr(const Exec& exec, const BlockCsr<Scalar, n, Exec, MatrixStorage, Offset>& a,
               const BlockIlutCsrOptions& options = {})
      : Plan({"BlockIlutCsr", "Hyperplane::BlockIlutCsr::factor", "Hyperplane::BlockIlutCsr::forward",
              "Hyperplane::BlockIlutCsr::backward", "Hyperplane::BlockIlutCsr::forward_transposed",
              "Hyperplane::BlockIlutCsr::backward_transposed"},
             exec, a, {options.path, options.order, options.given_order, 0, options.transposed},
             {options.drop_tolerance, options.row_entries, options.pivot_shift}) {}

  using Plan::drop_tolerance;
  using Plan::path;
  using Plan::row_entries;
  using Plan::rows;

  /// factor(exec, a): finds the factors of A, which may be overwritten when it returns. A has the structure that was
  /// given to the constructor, or Error is thrown; see BlockIlu0Csr. Where blocks do not fit the memory it throws
  /// what says so, std::bad_alloc of the host and what a Kokkos::View throws of a device, and there are no factors. A
  /// singular pivot, or what else makes the factors useless, is recorded: see status().
  using Plan::factor;

  /// Of the last factor(), or 0 before the first: blocks of the factors, products that made them, and levels of rows in
  /// either sweep. The values of A decide them all.
  using Plan::backward_levels;
  using Plan::blocks;
  using Plan::forward_levels;
  using Plan::products;

  /// See BlockIlu0Csr.
  using Plan::backward;
  using Plan::backward_transposed;
  using Plan::forward;
  using Plan::forward_transposed;
  using Plan::solve;
  using Plan::solve_transposed;
  using Plan::status;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
