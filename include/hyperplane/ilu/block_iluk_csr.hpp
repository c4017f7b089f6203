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

struct BlockIlukCsrOptions {
  int fill = 1;  ///< k: the levels of blocks that are added
  CsrPath path = CsrPath::automatic;
  RowOrder order = RowOrder::natural;
  /// For RowOrder::given: each row once, the one that is taken first in front.
  std::vector<int> given_order{};
  bool transposed = false;   ///< whether there are solves with M^T, too
  double pivot_shift = 0.0;  ///< s: what pivots that cannot be inverted are replaced with; 0: nothing
};

/// BILU(k) for unstructured meshes: block incomplete LU factorization of a BlockCsr with k levels of fill.
///
/// As BlockIlu0Csr, on more blocks: those of A have level 0, a product of blocks of levels p and q makes one of level
/// p + q + 1, and blocks of levels up to k are kept. That is a matter of the structure alone. M equals A on all of
/// them; with k large enough M = A. Source: Y. Saad, "Iterative Methods for Sparse Linear Systems", 2nd ed., 2003,
/// section 10.3.3, doi:10.1137/1.9780898718003.
///
/// A plan; what BlockIlu0Csr says of plans holds here. The constructor finds the blocks on the host by all of its
/// threads, each row by itself (D. Hysom and A. Pothen, "A scalable parallel algorithm for incomplete factor
/// preconditioning", SIAM J. Sci. Comput. 22, 2001, doi:10.1137/S1064827500376193). Of each row it goes
/// through the blocks of all rows that it reaches, and each thread has an int for each row. Where the pattern of A is
/// symmetric, blocks before the diagonal are those behind it, transposed. Cost: as there, with the blocks of the
/// factors, blocks(), for those of A.
///
/// Results are bitwise the same whatever the path and the number of threads.
template <Real Scalar, int n, ExecutionSpace Exec, FactorReal StorageScalar = Scalar,
          std::integral Offset = std::int64_t>
class BlockIlukCsr : private detail::CsrIluPlan<Scalar, n, Exec, StorageScalar, Offset> {
  using Plan = detail::CsrIluPlan<Scalar, n, Exec, StorageScalar, Offset>;

 public:
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using Options = BlockIlukCsrOptions;
  /// The same with factors of another type.
  template <FactorReal Other>
  using WithStorage = BlockIlukCsr<Scalar, n, Exec, Other, Offset>;
  /// Matrices may have values of another type: see factor().
  using Matrix = typename Plan::Matrix;
  using Vector = typename Plan::Vector;
  static constexpr int block_size = n;

  /// Of the structure of `a`, whose rows may have their columns in any order; its values may be anything, but those
  /// that RowOrder::lines follows. Waits for the instance. Throws Error as BlockIlu0Csr does, and where `fill` is
  /// negative; std::bad_alloc where the blocks do not fit the memory.
  template <class MatrixStorage>
  BlockIlukCsr(const Exec& exec, const BlockCsr<Scalar, n, Exec, MatrixStorage, Offset>& a,
               const BlockIlukCsrOptions& options = {})
      : Plan({"BlockIlukCsr", "Hyperplane::BlockIlukCsr::factor", "Hyperplane::BlockIlukCsr::forward",
              "Hyperplane::BlockIlukCsr::backward", "Hyperplane::BlockIlukCsr::forward_transposed",
              "Hyperplane::BlockIlukCsr::backward_transposed"},
             exec, a,
             {options.path, options.order, options.given_order, options.fill, options.transposed, options.pivot_shift}),
        m_fill(options.fill) {}

  int fill() const { return m_fill; }
  /// Blocks of the factors: those of A, and those that were added.
  using Plan::blocks;
  using Plan::rows;
  /// See BlockIlu0Csr.
  using Plan::backward;
  using Plan::backward_levels;
  using Plan::backward_transposed;
  using Plan::factor;
  using Plan::forward;
  using Plan::forward_levels;
  using Plan::forward_transposed;
  using Plan::path;
  using Plan::products;
  using Plan::solve;
  using Plan::solve_transposed;
  using Plan::status;

 private:
  int m_fill;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
