// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/ilu/detail/csr_ilu_plan.hpp>
#include <hyperplane/ilu/detail/csr_ilu_relaxation.hpp>
#include <hyperplane/ilu/detail/csr_ilu_structure.hpp>
#include <hyperplane/ilu/detail/csr_relaxation_plan.hpp>

#include <concepts>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What DiluCsr and SsorCsr are with factors in fewer bits than the arithmetic: with L and d^-1 U of their own, which
/// are those of an elimination that subtracts products from pivot blocks alone, or from none.
template <class Scalar, int n, class Exec, class StorageScalar, class Offset>
class CsrNarrowRelaxationPlan : public CsrIluPlan<Scalar, n, Exec, StorageScalar, Offset, CsrIluRelaxation<Scalar>> {
  using Base = CsrIluPlan<Scalar, n, Exec, StorageScalar, Offset, CsrIluRelaxation<Scalar>>;

 public:
  template <class MatrixStorage>
  CsrNarrowRelaxationPlan(const CsrIluNames& names, const Exec& exec,
                          const BlockCsr<Scalar, n, Exec, MatrixStorage, Offset>& a, const CsrIluSettings& settings,
                          const CsrRelaxationRule& rule)
      : Base(names, exec, a,
             {settings.path, settings.order, settings.given_order, settings.fill, settings.transposed,
              settings.pivot_shift, rule.eliminates ? CsrIluTargets::diagonal : CsrIluTargets::none},
             CsrIluRelaxation<Scalar>::of(rule.relaxation)) {}
};

template <class Scalar, int n, class Exec, class StorageScalar, class Offset>
using AnyCsrRelaxationPlan =
    std::conditional_t<std::same_as<StorageScalar, Scalar>, CsrRelaxationPlan<Scalar, n, Exec, Offset>,
                       CsrNarrowRelaxationPlan<Scalar, n, Exec, StorageScalar, Offset>>;

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
