// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>

/// What the kernels of LineJacobi share, those with Kokkos and those of CUDA alone.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What is kept of a point: D^-1 L and D^-1 U, which iterations read, and D^-1.
inline constexpr int line_jacobi_blocks = 3;
/// Vectors of a point beside x: what iterations begin with, and where they are.
inline constexpr int line_jacobi_vectors = 2;

/// When iterations end, see LineJacobiOptions.
template <class Scalar>
struct LineJacobiLimits {
  Scalar m_tolerance;
  int m_max_iterations;
  int m_check_interval;

  /// Iterations after which the change is looked at next, or all, where `done` have been made.
  HYPERPLANE_FUNCTION int next(int done) const {
    int const last = m_max_iterations;
    if (!(m_tolerance > 0) || last - done <= m_check_interval) return last;
    return done + m_check_interval;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
