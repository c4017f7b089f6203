// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <hyperplane/krylov/result.hpp>
#include <hyperplane/krylov/transposed.hpp>
#include <hyperplane/stencil/apply_transposed.hpp>
#include <hyperplane/stencil/block_vector.hpp>

#include "matchers.hpp"
#include "serial_reference.hpp"
#include "transfer.hpp"

namespace hyperplane::test {

/// Each of the Krylov methods solves A^T x = b with M^T of a preconditioner that has been factored.
template <class Precond, class Exec, class... Methods>
void expect_adjoint_solved(const Exec& exec, const ReferenceStencil& reference, const Precond& m,
                           const Methods&... methods) {
  constexpr int n = Precond::block_size;
  auto const a = to_device<double, n, double>(exec, reference);
  auto const solution = random_vector(reference.grid.size() * n, 7);
  auto const b = to_device<double, n>(exec, reference.grid, reference_transposed_product(reference, solution));
  auto const solve = [&](const auto& method) {
    BlockVector<double, n, Exec> const x(exec, reference.grid);
    auto const result = method.solve(exec, transposed(a), transposed(m), b, x);
    EXPECT_TRUE(result.converged()) << name(result.outcome);
    EXPECT_TRUE(near(to_host(exec, x), solution, 1e-8));
  };
  (solve(methods), ...);
}

}  // namespace hyperplane::test
