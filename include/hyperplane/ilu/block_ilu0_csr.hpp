// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/csr/csr_path.hpp>
#include <hyperplane/csr/row_order.hpp>
#include <hyperplane/ilu/detail/csr_ilu_plan.hpp>

#include <concepts>
#include <cstdint>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

struct BlockIlu0CsrOptions {
  CsrPath path = CsrPath::automatic;
  RowOrder order = RowOrder::natural;
  /// For RowOrder::given: each row once, the one that is taken first in front.
  std::vector<int> given_order{};
  bool transposed = false;   ///< whether there are solves with M^T, too
  double pivot_shift = 0.0;  ///< s: what pivots that cannot be inverted are replaced with; 0: nothing
};

/// BILU(0) for unstructured meshes: block incomplete LU factorization of a BlockCsr without fill.
///
/// M = (d + L)(I + d^-1 U), with d block diagonal, L strictly lower and U strictly upper on the block pattern of A, so
/// that M equals A on that pattern: as BlockIlu0 on grids. Lower and upper are meant in the order in which rows are
/// taken; matrix and vectors keep theirs. With u = d^-1 U, for each block (i, j) of the pattern,
///
///     A_ij - sum of L_ik u_kj, k < min(i, j), (i, k) and (k, j) in the pattern
///
/// is L_ij for j < i, d_i for j = i and d_i u_ij for j > i. Source: Y. Saad, "Iterative Methods for Sparse Linear
/// Systems", 2nd ed., 2003, section 10.3, doi:10.1137/1.9780898718003. Kept: L, d^-1 (Gauss-Jordan with partial
/// pivoting inside the block) and u. StorageScalar = float, Half or BFloat16 with Scalar = double stores fewer bytes
/// and computes in double. With Half, stored are the factors of S A C, see FactorScales, with S of each row from the
/// row itself: in units of C the largest entry of each equation is at least 1 and less than 2. They take 2 n bytes per
/// point more. What is too large for the type is an overflow, which the status names. With Quarter, factors of Half are
/// computed, and solves read L and d^-1 U in 8 bits, see detail::CsrIluFactors<Quarter>: n^2 bytes per block and 8 n
/// per point. A plan keeps both, and 8 bytes per point, and factor() has one more launch. There is no CsrPath::tickets
/// for them.
///
/// With the option `pivot_shift`, s > 0, a pivot block d_i that is singular, or whose inverse cannot be stored, is
/// replaced by d_i + s |A_i| I, with |A_i| the Frobenius norm of block row i of A, before anything is computed with it.
/// The status says how many were, and where first; where that does not help, the factorization fails as without the
/// option. Blocks that are nearly singular stay as they are. Sources: D. S. Kershaw, "The incomplete Cholesky-conjugate
/// gradient method for the iterative solution of systems of linear equations", J. Comput. Phys. 26, 1978,
/// doi:10.1016/0021-9991(78)90098-0, where pivots are replaced as they arise; X. S. Li, J. W. Demmel, "SuperLU_DIST: A
/// scalable distributed-memory sparse direct solver for unsymmetric linear systems", ACM Trans. Math. Softw. 29, 2003,
/// doi:10.1145/779359.779361, where what they are replaced with is a share of the norm of A.
///
/// A plan: the constructor reads the structure of the matrix, on the host, and allocates; the other functions do not,
/// do not fence, and are asynchronous on the instance that is given. Which rows can be taken at a time is a matter of
/// the order in which they are taken: see forward_levels(). The first solve of two to eight PointVectors at a time on
/// CsrPath::tickets allocates, 2 n values of Scalar for each row and vector that are taken together. Copies, made after
/// factor(), share factors and working memory: at most one factor(), solve(), forward() or backward(), with M or M^T,
/// of a plan and all its copies may run at a time, on Serial too.
///
/// Cost: a solve takes 2 n^2 flops per block, reads n^2 values and an index per block, and moves 4 n values per point,
/// 5 n on CsrPath::team where rows are not taken by their numbers. factor() takes 2 n^3 flops per point, per block
/// behind the diagonal, and per triple of rows k < i, k < j for which the pattern has (i, k), (k, j) and (i, j); reads
/// n^2 values per block and writes as many. Launches: for each level one on CsrPath::portable, and on CsrPath::tickets
/// in solves where levels have 50000 rows and more on average, otherwise one for each sweep on CsrPath::team and
/// CsrPath::tickets, there two with five to eight vectors, and on CsrPath::team one more where solve_transposed()
/// copies rhs first, into x or the order of the rows, which moves 2 n values per point more. factor() has one more that
/// finishes the status; one before them compares structures; three before them choose units of Half, and one more on
/// CsrPath::tickets those of rows. With `pivot_shift` it has one more, and one for each level on CsrPath::tickets, too.
/// Memory: n^2 values of StorageScalar and 20 bytes per block, 16 bytes per triple, 40 per point, up to one per block
/// and point by which structures are compared, and 8 where rows are not taken by their numbers; there, on
/// CsrPath::team, also 4 bytes per block, and 16 bytes and n values of Scalar per point, so that a solve has what it
/// reads and writes in the order of the rows; on CsrPath::tickets 2 n values of Scalar per point, and up to 8 bytes. On
/// hosts with n = 1 there is no list of triples: 12 bytes per block and nothing per triple, but 4 bytes per point for
/// each thread.
///
/// Results are bitwise the same whatever the path and the number of threads.
template <Real Scalar, int n, ExecutionSpace Exec, FactorReal StorageScalar = Scalar,
          std::integral Offset = std::int64_t>
class BlockIlu0Csr : private detail::CsrIluPlan<Scalar, n, Exec, StorageScalar, Offset> {
  using Plan = detail::CsrIluPlan<Scalar, n, Exec, StorageScalar, Offset>;

 public:
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using Options = BlockIlu0CsrOptions;
  /// The same with factors of another type.
  template <FactorReal Other>
  using WithStorage = BlockIlu0Csr<Scalar, n, Exec, Other, Offset>;
  /// Matrices may have values of another type: see factor().
  using Matrix = typename Plan::Matrix;
  using Vector = typename Plan::Vector;
  static constexpr int block_size = n;

  /// Of the structure of `a`, whose rows may have their columns in any order; its values may be anything, but those
  /// that RowOrder::lines follows. Waits for the instance. Throws Error where a row has no diagonal block, or a column
  /// twice or out of range, where the execution space cannot run the path, where a given order has not each row once,
  /// and where `pivot_shift` is negative or, as a Scalar, not finite or rounded to 0.
  template <class MatrixStorage>
  BlockIlu0Csr(const Exec& exec, const BlockCsr<Scalar, n, Exec, MatrixStorage, Offset>& a,
               const BlockIlu0CsrOptions& options = {})
      : Plan({"BlockIlu0Csr", "Hyperplane::BlockIlu0Csr::factor", "Hyperplane::BlockIlu0Csr::forward",
              "Hyperplane::BlockIlu0Csr::backward", "Hyperplane::BlockIlu0Csr::forward_transposed",
              "Hyperplane::BlockIlu0Csr::backward_transposed"},
             exec, a, {options.path, options.order, options.given_order, 0, options.transposed, options.pivot_shift}) {}

  using Plan::blocks;
  using Plan::rows;
  /// The triples that factor() takes; on hosts with n = 1 they are counted each time.
  using Plan::products;
  /// The path that runs; never automatic.
  using Plan::path;
  /// Rows that have no others to wait for are one level, rows that wait for these alone the next one. The fewer levels
  /// there are, the more rows can be taken at a time.
  using Plan::backward_levels;
  using Plan::forward_levels;

  /// factor(exec, a): computes the factors of A, which may be overwritten when the instance has finished. A has the
  /// structure that was given to the constructor. Arrays of offsets and columns that are others than before are
  /// compared once, which waits for the instance, and a difference is an Error. Those that are known are compared by
  /// fingerprints in each factor(), since they may have been written to, and a difference is recorded, as is a singular
  /// pivot, or what else makes the factors useless: see status().
  using Plan::factor;

  /// solve(exec, rhs, x): x = M^-1 rhs; x may be rhs. Throws Error before the first factor() and where extents are
  /// others. rhs and x may also be PointVectors: then factors are read once for several right-hand sides, but on
  /// CsrPath::tickets twice for five to eight where levels have less than 10000 rows on average. On hosts the sums of
  /// each are those of a solve with it alone, term by term, but with factors of Quarter.
  using Plan::solve;

  /// forward(exec, rhs, y): y = (d + L)^-1 rhs, the first half of a solve; y may be rhs. Throws Error as solve() does.
  using Plan::forward;

  /// backward(exec, y, x): x = (I + d^-1 U)^-1 y, the second half, so that both have the bits of solve(); x may be y.
  /// Throws Error as solve() does.
  using Plan::backward;

  /// solve_transposed(exec, rhs, x): x = M^-T rhs, from the same factors, as adjoint systems want it; x may be rhs. For
  /// plans with the option `transposed`, which costs 12 bytes per block and 16 per point. forward_transposed(exec, rhs,
  /// y) is its first half, y = (I + d^-1 U)^-T rhs, backward_transposed(exec, y, x) the second, x = (d + L)^-T y. Each
  /// column waits for those rows that have a block in it. Takes PointVectors as solve() does. Throws Error as solve()
  /// does, and without the option.
  using Plan::backward_transposed;
  using Plan::forward_transposed;
  using Plan::solve_transposed;

  /// status(exec): whether the last factor() failed, in which row, and why; of several rows the one that was taken
  /// first; or which pivots it replaced. Waits for the instance.
  using Plan::status;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
