// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <hyperplane/stencil/block_vector.hpp>
#include <numbers>
#include <vector>

#include "serial_reference.hpp"
#include "transfer.hpp"

// Systems for iterations of SIP.
namespace hyperplane::test {

inline std::vector<double> mirrored(const std::vector<double>& values) { return {values.rbegin(), values.rend()}; }

/// The same equations on the grid mirrored in all three directions.
inline ReferenceStencil mirrored(const ReferenceStencil& a) {
  ReferenceStencil result(a.grid, 1);
  for (std::int64_t p = 0; p < a.grid.size(); ++p) {
    for (auto const d : stencil7_directions) {
      result.block(p, d)(0, 0) = a.block(a.grid.size() - 1 - p, opposite(d))(0, 0);
    }
  }
  return result;
}

/// The seven-point Laplacian with Dirichlet boundaries.
inline ReferenceStencil poisson(const Grid& grid) {
  ReferenceStencil a(grid, 1);
  for (auto& blocks : a.blocks) {
    for (auto const d : stencil7_directions) blocks[static_cast<int>(d)](0, 0) = d == Direction::center ? 6.0 : -1.0;
  }
  return a;
}

/// 1 and the smoothest wave.
inline std::vector<double> smooth_rhs(const Grid& grid) {
  std::vector<double> rhs(grid.size());
  for (std::int64_t p = 0; p < grid.size(); ++p) {
    auto const [i, j, k] = grid.point(p);
    auto const wave = [](int l, int points) { return std::sin(std::numbers::pi * (l + 1) / (points + 1.0)); };
    rhs[p] = 1 + wave(i, grid.ni()) * wave(j, grid.nj()) * wave(k, grid.nk());
  }
  return rhs;
}

/// Of a SipIteration, to 1e-6: the problem of docs/algorithms.md.
template <class Iteration>
int poisson_iterations(const typename Iteration::execution_space& exec, double alpha, bool alternate) {
  Grid const grid(24, 24, 24);
  auto const a = to_device<double, 1, double>(exec, poisson(grid));
  auto const b = to_device<double, 1>(exec, grid, smooth_rhs(grid));
  Iteration iteration(exec, grid, {.alpha = alpha, .alternate = alternate});
  iteration.factor(exec, a);
  typename Iteration::Vector const x(exec, grid);
  auto const result = iteration.solve(exec, a, b, x, {.tolerance = 1e-6, .max_iterations = 500, .check_interval = 2});
  EXPECT_TRUE(result.converged()) << result.residual_norm;
  return result.iterations;
}

}  // namespace hyperplane::test
