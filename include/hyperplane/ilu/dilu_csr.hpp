// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/csr/csr_path.hpp>
#include <hyperplane/csr/row_order.hpp>
#include <hyperplane/ilu/detail/csr_narrow_relaxation_plan.hpp>

#include <concepts>
#include <cstdint>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

struct DiluCsrOptions {
  /// d is the block diagonal of A, as in LU-SGS; nothing is subtracted from it.
  bool lu_sgs = false;
  CsrPath path = CsrPath::automatic;
  RowOrder order = RowOrder::natural;
  /// For RowOrder::given: each row once, the one that is taken first in front.
  std::vector<int> given_order{};
  bool transposed = false;   ///< whether there are solves with M^T, too
  double pivot_shift = 0.0;  ///< s: what pivots that cannot be inverted are replaced with; 0: nothing
};

/// DILU for unstructured meshes: incomplete LU factorization of a BlockCsr of which the diagonal alone is computed.
///
///     M = (d + L) d^-1 (d + U),    d_i = A_ii - sum of A_ij d_j^-1 A_ji, j before i, (i, j) and (j, i) in the pattern,
///
/// with L the strictly lower and U the strictly upper blocks of A itself. Lower, upper and before are meant in the
/// order in which rows are taken; matrix and vectors keep theirs. The diagonal blocks of M are those of A. Where no
/// three rows are all neighbours of one another, as on the seven-point stencil, M is that of BILU(0). Source: C.
/// Pommerell, "Solution of large unsymmetric systems of linear equations", 1992; Y. Saad, "Iterative Methods for Sparse
/// Linear Systems", 2nd ed., 2003, section 10.2, doi:10.1137/1.9780898718003.
///
/// With the option `lu_sgs`, d is the block diagonal of A: LU-SGS of flow codes, which is symmetric Gauss-Seidel.
/// Source: S. Yoon and A. Jameson, "Lower-upper symmetric-Gauss-Seidel method for the Euler and Navier-Stokes
/// equations", AIAA J. 26, 1988, doi:10.2514/3.10007.
///
/// Kept: d^-1 (Gauss-Jordan with partial pivoting inside the block), and the handle of A, whose blocks the sweeps read:
/// after factor(), values of A must not change until the last solve with these factors.
///
/// StorageScalar = float with Scalar = double, Half or BFloat16 is that of factors beside a matrix of Scalar or float,
/// whose values may change after factor(): kept are L, d^-1 and d^-1 U, as those of BlockIlu0Csr, with its units,
/// overflows and launches, and CsrPath::tickets on CUDA; computed with is Scalar. So a solve reads n^2 values of
/// StorageScalar and an int per block where it reads n^2 values of A and 12 bytes otherwise, and factor() takes 2 n^3
/// flops per point, per block behind the diagonal and, without lu_sgs, per pair. Memory: n^2 values of StorageScalar
/// and 20 bytes per block, 16 per pair, what BlockIlu0Csr has per point, and on CsrPath::team 4 bytes more per block
/// where rows are not taken by their numbers.
///
/// With the option `pivot_shift`, s > 0, a block d_i that is singular, or whose inverse cannot be stored, is replaced
/// by d_i + s |A_i| I before anything is computed with it, as in BlockIlu0Csr, and at the price that it has there.
///
/// A plan: the constructor reads the structure of the matrix, on the host, and allocates; the other functions do not,
/// do not fence, and are asynchronous on the instance that is given. Rows are run as those of BlockIlu0Csr,
/// whose solves of several vectors may allocate once.
/// Copies, made after factor(), share factors and working memory: at most one factor(), solve(), forward() or
/// backward(), with M or M^T, of a plan and all its copies may run at a time, on Serial too.
///
/// Cost: a solve takes 2 n^2 flops per block and 2 n^2 per point, reads n^2 values and 12 bytes per block, n^2 and 4 n
/// values per point. factor() takes 2 n^3 flops per point and 4 n^3 per pair of blocks (i, j) and (j, i), of which it
/// reads both, with lu_sgs 2 n^3 per point and none. Launches: those of BlockIlu0Csr for solves; for each level one on
/// CsrPath::portable, one on CsrPath::team and CsrPath::tickets, where factor() has two; for factor() with lu_sgs one;
/// one that finishes the status, and one before them that compares structures. Memory: n^2 values of Scalar and 48
/// bytes per point, 12 bytes per block, 8 more per block before the diagonal without lu_sgs, and 8 per point where rows
/// are not taken by their numbers; on CsrPath::tickets 2 n values and up to 8 bytes more per point; with `transposed` n
/// values more per point on hosts, and 12 bytes per block and 16 per point for lists.
///
/// Results are bitwise the same whatever the path and the number of threads.
template <Real Scalar, int n, ExecutionSpace Exec, StorageReal StorageScalar = Scalar,
          std::integral Offset = std::int64_t>
class DiluCsr : private detail::AnyCsrRelaxationPlan<Scalar, n, Exec, StorageScalar, Offset> {
  using Plan = detail::AnyCsrRelaxationPlan<Scalar, n, Exec, StorageScalar, Offset>;

 public:
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using Options = DiluCsrOptions;
  /// The same with factors of another type.
  template <StorageReal Other>
  using WithStorage = DiluCsr<Scalar, n, Exec, Other, Offset>;
  using Matrix = typename Plan::Matrix;
  using Vector = typename Plan::Vector;
  static constexpr int block_size = n;

  /// Of the structure of `a`, whose rows may have their columns in any order; its values may be anything, but those
  /// that RowOrder::lines follows. Waits for the instance. Throws Error as BlockIlu0Csr does.
  template <class MatrixStorage>
    requires(!std::same_as<StorageScalar, Scalar> || std::same_as<MatrixStorage, Scalar>)
  DiluCsr(const Exec& exec, const BlockCsr<Scalar, n, Exec, MatrixStorage, Offset>& a,
          const DiluCsrOptions& options = {})
      : Plan({"DiluCsr", "Hyperplane::DiluCsr::factor", "Hyperplane::DiluCsr::forward", "Hyperplane::DiluCsr::backward",
              "Hyperplane::DiluCsr::forward_transposed", "Hyperplane::DiluCsr::backward_transposed"},
             exec, a, {options.path, options.order, options.given_order, 0, options.transposed, options.pivot_shift},
             {!options.lu_sgs, 1.0}) {}

  /// Blocks of A.
  using Plan::blocks;
  using Plan::rows;
  /// The path that runs; never automatic.
  using Plan::path;
  /// See BlockIlu0Csr.
  using Plan::backward_levels;
  using Plan::forward_levels;

  /// factor(exec, a): computes d^-1 and keeps the handle of A, or all factors where StorageScalar is not Scalar. A has
  /// the structure that was given to the constructor, or Error is thrown: see BlockIlu0Csr. A singular pivot, or what
  /// else makes the factors useless, is recorded: see status().
  using Plan::factor;

  /// solve(exec, rhs, x): x = M^-1 rhs; x may be rhs. Throws Error before the first factor() and where extents are
  /// others. rhs and x may also be PointVectors, as in BlockIlu0Csr; solve_transposed() takes them, too.
  using Plan::solve;

  /// forward(exec, rhs, y): y = (d + L)^-1 rhs, the first half of a solve; y may be rhs. Throws Error as solve() does.
  using Plan::forward;

  /// backward(exec, y, x): x = (I + d^-1 U)^-1 y, the second half, so that both have the bits of solve(); x may be y.
  /// Throws Error as solve() does.
  using Plan::backward;

  /// solve_transposed(exec, rhs, x): x = M^-T rhs, as adjoint systems want it; x may be rhs. For plans with the option
  /// `transposed`, which costs 12 bytes per block and 16 per point, and on hosts n values per point.
  /// forward_transposed(exec, rhs, y) is its first half, y = (d + U)^-T rhs, backward_transposed(exec, y, x) the
  /// second, x = (I + L d^-1)^-T y; where StorageScalar is not Scalar, they are those of BlockIlu0Csr. Throws Error as
  /// solve() does, and without the option.
  using Plan::backward_transposed;
  using Plan::forward_transposed;
  using Plan::solve_transposed;

  /// status(exec): whether the last factor() failed, in which row, and why; of several rows the one that was taken
  /// first; or which pivots it replaced. A block that is not finite is found where factor() reads it. Waits for the
  /// instance.
  using Plan::status;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
