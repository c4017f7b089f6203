// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/krylov/options.hpp>
#include <hyperplane/krylov/result.hpp>
#include <vector>

#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

namespace hyperplane::test {

/// Unknowns of a point.
inline constexpr int n = 3;

/// Convection and diffusion of n coupled unknowns: hard enough for preconditioners to differ.
inline ReferenceStencil convection_diffusion(const Grid& grid) {
  ReferenceStencil a = random_stencil(grid, n, 7);
  for (auto& blocks : a.blocks) {
    for (auto const d : stencil7_directions) {
      auto& block = blocks[static_cast<int>(d)];
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
          block(r, c) *= 0.02;
          if (r != c) continue;
          bool const upwind = d == Direction::west || d == Direction::south;
          block(r, c) += d == Direction::center ? 7.6 - 0.24 * n : upwind ? -1.8 : -0.9;
        }
      }
    }
  }
  return a;
}

template <class Exec>
class Krylov : public ::testing::Test {
 protected:
  using Vector = BlockVector<double, n, Exec>;

  explicit Krylov(const Grid& grid = Grid(13, 10, 5))
      : reference(convection_diffusion(grid)),
        solution(random_vector(grid.size() * n)),
        a(to_device<double, n, double>(exec, reference)),
        b(to_device<double, n>(exec, grid, reference.apply(solution))),
        x(exec, grid),
        ilu(exec, grid),
        jacobi(exec, grid) {
    ilu.factor(exec, a);
    jacobi.factor(exec, a);
  }

  const Grid& grid() const { return reference.grid; }

  template <template <class> class Method, class Precond>
  KrylovResult run(const Precond& m, const KrylovOptions& options = {}) {
    Kokkos::deep_copy(exec, x.flat(), 0.0);
    return Method<Vector>(exec, grid(), options).solve(exec, a, m, b, x);
  }

  void expect_solved(const KrylovResult& result) {
    EXPECT_TRUE(result.converged()) << name(result.outcome);
    EXPECT_LE(result.residual_norm, 1.01e-8 * result.rhs_norm);
    EXPECT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations) + 1);
    EXPECT_DOUBLE_EQ(result.history.front(), result.rhs_norm);
    EXPECT_TRUE(near(to_host(exec, x), solution, 1e-6));
  }

  Exec exec{};
  ReferenceStencil reference;
  std::vector<double> solution;
  BlockStencil7<double, n, Exec> a;
  Vector b, x;
  BlockIlu0<double, n, Exec> ilu;
  BlockJacobi<double, n, Exec> jacobi;
};

}  // namespace hyperplane::test
