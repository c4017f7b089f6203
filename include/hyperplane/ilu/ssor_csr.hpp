// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/csr/csr_path.hpp>
#include <hyperplane/csr/row_order.hpp>
#include <hyperplane/ilu/detail/csr_narrow_relaxation_plan.hpp>
#include <hyperplane/ilu/detail/csr_pivots.hpp>

#include <concepts>
#include <cstdint>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

struct SsorCsrOptions {
  /// w of the formula, 0 < w < 2. 1 is symmetric Gauss-Seidel.
  double relaxation = 1.0;
  CsrPath path = CsrPath::automatic;
  RowOrder order = RowOrder::natural;
  /// For RowOrder::given: each row once, the one that is taken first in front.
  std::vector<int> given_order{};
  bool transposed = false;   ///< whether there are solves with M^T, too
  double pivot_shift = 0.0;  ///< s: what pivots that cannot be inverted are replaced with; 0: nothing
};

/// Block SSOR, symmetric successive over-relaxation, for unstructured meshes: as Ssor on grids,
///
///     M = w / (2 - w) (D / w + L) D^-1 (D / w + U),
///
/// with D the block diagonal of a BlockCsr A, L its strictly lower and U its strictly upper blocks. Lower and upper are
/// meant in the order in which rows are taken; matrix and vectors keep theirs. With w = 1 it is DiluCsr with the option
/// `lu_sgs`, bit by bit. Source: Y. Saad, "Iterative Methods for Sparse Linear Systems", 2nd ed., 2003, sections 4.1
/// and 10.2, doi:10.1137/1.9780898718003.
///
/// Kept: w D^-1 (Gauss-Jordan with partial pivoting inside the block), and the handle of A, whose blocks the sweeps
/// read: after factor(), values of A must not change until the last solve with these factors. A plan; what DiluCsr says
/// of plans, of StorageScalar and of costs holds here, factor() being one launch, in which each row is for itself, one
/// before it that compares structures, and one that finishes the status. Where StorageScalar is not Scalar, it keeps
/// L / (2 - w), w (2 - w) D^-1 and w D^-1 U, in units and at the costs of such a DiluCsr; factor() runs as that of
/// BlockIlu0Csr, though no row waits for another.
///
/// Results are bitwise the same whatever the path and the number of threads.
template <Real Scalar, int n, ExecutionSpace Exec, StorageReal StorageScalar = Scalar,
          std::integral Offset = std::int64_t>
class SsorCsr : private detail::AnyCsrRelaxationPlan<Scalar, n, Exec, StorageScalar, Offset> {
  using Plan = detail::AnyCsrRelaxationPlan<Scalar, n, Exec, StorageScalar, Offset>;

 public:
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using Options = SsorCsrOptions;
  /// The same with factors of another type.
  template <StorageReal Other>
  using WithStorage = SsorCsr<Scalar, n, Exec, Other, Offset>;
  using Matrix = typename Plan::Matrix;
  using Vector = typename Plan::Vector;
  static constexpr int block_size = n;

  /// Of the structure of `a`, whose rows may have their columns in any order; its values may be anything, but those
  /// that RowOrder::lines follows. Waits for the instance. Throws Error as DiluCsr does, and where the relaxation is
  /// out of range.
  template <class MatrixStorage>
    requires(!std::same_as<StorageScalar, Scalar> || std::same_as<MatrixStorage, Scalar>)
  SsorCsr(const Exec& exec, const BlockCsr<Scalar, n, Exec, MatrixStorage, Offset>& a,
          const SsorCsrOptions& options = {})
      : Plan({"SsorCsr", "Hyperplane::SsorCsr::factor", "Hyperplane::SsorCsr::forward", "Hyperplane::SsorCsr::backward",
              "Hyperplane::SsorCsr::forward_transposed", "Hyperplane::SsorCsr::backward_transposed"},
             exec, a, {options.path, options.order, options.given_order, 0, options.transposed, options.pivot_shift},
             {false, detail::checked_csr_relaxation("SsorCsr", options.relaxation)}),
        m_relaxation(options.relaxation) {}

  double relaxation() const { return m_relaxation; }
  /// See DiluCsr.
  using Plan::backward_levels;
  using Plan::blocks;
  using Plan::factor;
  using Plan::forward_levels;
  using Plan::path;
  using Plan::rows;
  using Plan::solve;
  using Plan::status;

  /// forward(exec, rhs, y): y = w (2 - w) (D + w L)^-1 rhs, the first half of a solve; y may be rhs. backward(exec, y,
  /// x): x = (I + w D^-1 U)^-1 y, the second half, so that both have the bits of solve(); x may be y.
  using Plan::backward;
  using Plan::forward;

  /// See DiluCsr. forward_transposed(exec, rhs, y): y = w (2 - w) (D + w U)^-T rhs; backward_transposed(exec, y, x): x
  /// = (I + w L D^-1)^-T y. Where StorageScalar is not Scalar, the halves are y = (I + w D^-1 U)^-T rhs and x = w (2 -
  /// w) (D + w L)^-T y.
  using Plan::backward_transposed;
  using Plan::forward_transposed;
  using Plan::solve_transposed;

 private:
  double m_relaxation;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
