// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/gemv.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/grid.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What the portable sweeps have of a point while they compute its unknowns, in `count` vectors; with M^T blocks are
/// taken transposed.
template <bool transposed, class Scalar, int n, int count>
struct SweepSums {
  block::Vector<Scalar, n> m_sum[std::size_t{count}];

  template <class Vectors>
  KOKKOS_FUNCTION void load(const Vectors& rhs, const Point& p) {
    HYPERPLANE_UNROLL
    for (int v = 0; v < count; ++v) {
      for (int c = 0; c < n; ++c) m_sum[v][c] = rhs[v](p, c);
    }
  }
  /// Less a block times the unknowns of another point.
  template <class Block, class Vectors>
  KOKKOS_FUNCTION void subtract(const Block& factor, const Vectors& x, const Point& other) {
    HYPERPLANE_UNROLL
    for (int v = 0; v < count; ++v) {
      block::Vector<Scalar, n> y;
      for (int c = 0; c < n; ++c) y[c] = x[v](other, c);
      if constexpr (transposed) {
        block::gemv_subtract<n>(block::TransposedBlock<Block>{factor}, y, m_sum[v]);
      } else {
        block::gemv_subtract<n>(factor, y, m_sum[v]);
      }
    }
  }
  /// The block is d^-1.
  template <class Block>
  KOKKOS_FUNCTION void multiply(const Block& inverse) {
    HYPERPLANE_UNROLL
    for (int v = 0; v < count; ++v) {
      block::Vector<Scalar, n> y;
      if constexpr (transposed) {
        block::gemv<n>(block::TransposedBlock<Block>{inverse}, m_sum[v], y);
      } else {
        block::gemv<n>(inverse, m_sum[v], y);
      }
      m_sum[v] = y;
    }
  }
  template <class Vectors>
  KOKKOS_FUNCTION void store(const Vectors& x, const Point& p) const {
    HYPERPLANE_UNROLL
    for (int v = 0; v < count; ++v) {
      for (int c = 0; c < n; ++c) x[v](p, c) = m_sum[v][c];
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
