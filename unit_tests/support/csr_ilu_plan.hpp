// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <vector>

#include "csr_reference.hpp"
#include "views.hpp"

namespace hyperplane::test {

/// The paths of BlockIlu0Csr that the execution space can run, the portable one first.
template <class Exec>
std::vector<CsrPath> csr_paths_of() {
  if constexpr (HostExecutionSpace<Exec>) return {CsrPath::portable, CsrPath::team};
  if constexpr (CudaExecutionSpace<Exec>) return {CsrPath::portable, CsrPath::tickets};
  return {CsrPath::portable};
}

/// x = M^-1 b, in place.
template <class Scalar, class Plan, class Matrix>
std::vector<double> solve_csr_with(const typename Plan::execution_space& exec, Plan& plan, const Matrix& a,
                                   const std::vector<double>& b) {
  plan.factor(exec, a);
  auto const x = to_view<Scalar>(exec, b);
  plan.solve(exec, x, x);
  EXPECT_TRUE(plan.status(exec).ok()) << plan.status(exec).message();
  return to_host(x);
}

/// The same by BILU(0).
template <class Scalar, int n, class Storage, class Exec>
std::vector<double> solve_csr(const Exec& exec, const ReferenceCsr& reference, const std::vector<double>& b,
                              CsrPath path = CsrPath::automatic) {
  auto const a = to_device<Scalar, n, Storage>(exec, reference);
  BlockIlu0Csr<Scalar, n, Exec, Storage> ilu(exec, a, {.path = path});
  return solve_csr_with<Scalar>(exec, ilu, a, b);
}

}  // namespace hyperplane::test
