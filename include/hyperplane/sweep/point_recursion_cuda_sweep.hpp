// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cuda_runtime.h>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What the sweeps with one unknown per point do with `count` vectors, in the order of the grid (forward) or from its
/// other end: y = d^-1 (r - L y) with the lower factors, x = y - d^-1 U x with the upper ones, which are stored in the
/// order of the steps. Where all of that is, a sweep says itself.
template <Sweep sweep, bool forward_, class Scalar, class Storage, int W, int count>
struct CudaScalarSteps {
  using Coefficient = Storage;
  static constexpr bool forward = forward_;
  static constexpr bool is_lower = sweep == Sweep::forward;
  static constexpr int coefficients = is_lower ? lower_blocks : upper_blocks;
  static constexpr int vectors = count;
  static constexpr bool coefficients_turned = false;

  Scalar* m_to[count] = {};

  struct Point {
    Scalar coefficients[CudaScalarSteps::coefficients];
    Scalar vectors[count];
    Scalar bottom[count];
    Scalar south[count];
    Scalar west[count];
  };
  struct Results {
    Scalar m_values[count];
    __device__ void clear() {
#pragma unroll
      for (int v = 0; v < count; ++v) m_values[v] = 0;
    }
    __device__ Scalar passed(int v, Direction) const { return m_values[v]; }
  };

  __device__ void advance(int steps) {
#pragma unroll
    for (int v = 0; v < count; ++v) m_to[v] += forward ? steps * W : -steps * W;
  }
  __device__ void store(int step, const Results& results) const {
#pragma unroll
    for (int v = 0; v < count; ++v) m_to[v][(forward ? step : -step) * W] = results.m_values[v];
  }
  __device__ static void step(const Point& p, Results& results, int, bool) {
#pragma unroll
    for (int v = 0; v < count; ++v) {
      Scalar sum = p.vectors[v];
      sum -= p.coefficients[0] * p.bottom[v];
      sum -= p.coefficients[1] * p.south[v];
      sum -= p.coefficients[2] * p.west[v];
      // Zero is added, so that a zero has the sign that it has on the other paths.
      if constexpr (is_lower) sum = fma(p.coefficients[3], sum, Scalar(0));
      results.m_values[v] = sum;
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
