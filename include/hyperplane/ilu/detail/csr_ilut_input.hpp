// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/factor_failure.hpp>
#include <hyperplane/core/singular_pivot.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/ilu/detail/csr_fill.hpp>
#include <hyperplane/ilu/detail/csr_ilu_structure.hpp>
#include <hyperplane/sweep/factor_scales.hpp>

#include <limits>

/// What ILUT(tau, p) of a BlockCsr is given, and why it fails.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What is factored, and how.
template <class Scalar, int n, class Storage, class MatrixStorage>
struct CsrIlutInput {
  const CsrColumns& structure;
  const CsrIluOrder& order;
  const MatrixStorage* values;  ///< blocks by rows
  Scalar tolerance;
  int most;                        ///< blocks of a row on either side of the diagonal
  Scalar pivot_shift = Scalar(0);  ///< see CsrPivotShift
  FactorScales<Storage, n, 1> scales{};
};

/// Why a row failed.
struct CsrIlutFailure {
  int position = std::numeric_limits<int>::max();
  PivotFinding finding{FactorFailure::none, 0};
  int column = 0;  ///< of the block that is not finite
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
