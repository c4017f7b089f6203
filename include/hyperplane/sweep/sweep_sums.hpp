// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/gemv.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/grid.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What takes right-hand sides into the units of the factors, the unknowns of neighbours, and results out of them, of a
/// sweep that takes L and d^-1 or d^-1 U. One where factors are in the units of the matrix.
template <bool takes_lower, bool transposed, class Scalar, class Factors>
struct SweepUnits {
  static constexpr bool exist = Factors::Scales::exist;

  const Factors& m_factors;

  KOKKOS_FUNCTION Scalar of_rhs([[maybe_unused]] const Point& p, [[maybe_unused]] int c) const {
    if constexpr (!exist) {
      return 1;
    } else if constexpr (transposed) {
      return static_cast<Scalar>(m_factors.m_scales.unknown(c));
    } else if constexpr (takes_lower) {
      return of_equation(p, c);
    } else {
      return static_cast<Scalar>(m_factors.m_scales.unknown_inverse(c));
    }
  }
  KOKKOS_FUNCTION Scalar of_neighbour([[maybe_unused]] const Point& other, [[maybe_unused]] int c) const {
    if constexpr (!exist) {
      return 1;
    } else if constexpr (!transposed) {
      return static_cast<Scalar>(m_factors.m_scales.unknown_inverse(c));
    } else if constexpr (takes_lower) {
      return 1 / of_equation(other, c);
    } else {
      return static_cast<Scalar>(m_factors.m_scales.unknown(c));
    }
  }
  KOKKOS_FUNCTION Scalar of_result([[maybe_unused]] const Point& p, [[maybe_unused]] int c) const {
    if constexpr (!exist) {
      return 1;
    } else if constexpr (!transposed) {
      return static_cast<Scalar>(m_factors.m_scales.unknown(c));
    } else if constexpr (takes_lower) {
      return of_equation(p, c);
    } else {
      return static_cast<Scalar>(m_factors.m_scales.unknown_inverse(c));
    }
  }

 private:
  KOKKOS_FUNCTION Scalar of_equation(const Point& p, int c) const {
    auto const& map = m_factors.m_map;
    return static_cast<Scalar>(m_factors.m_scales.equation(map.pack(p.i, p.j, p.k), c)[map.lane(p.j)]);
  }
};

/// What the portable sweeps have of a point while they compute its unknowns, in `count` vectors; with M^T blocks are
/// taken transposed.
template <bool transposed, class Scalar, int n, int count>
struct SweepSums {
  block::Vector<Scalar, n> m_sum[std::size_t{count}];

  template <class Vectors, class Units>
  KOKKOS_FUNCTION void load(const Vectors& rhs, const Point& p, const Units& units) {
    HYPERPLANE_UNROLL
    for (int v = 0; v < count; ++v) {
      for (int c = 0; c < n; ++c) m_sum[v][c] = rhs[v](p, c) * units.of_rhs(p, c);
    }
  }
  /// Less a block times the unknowns of another point. Where it has scales, they are those of vectors here.
  template <class Block, class Vectors, class Units>
  KOKKOS_FUNCTION void subtract(const Block& factor, const Vectors& x, const Point& other, const Units& units) {
    using Taken = std::conditional_t<transposed, block::TransposedBlock<Block>, Block>;
    HYPERPLANE_UNROLL
    for (int v = 0; v < count; ++v) {
      block::Vector<Scalar, n> y;
      for (int c = 0; c < n; ++c) y[c] = x[v](other, c) * units.of_neighbour(other, c);
      if constexpr (requires { factor.row_scale(0); }) {
        block::Vector<Scalar, n> product;
        for (int c = 0; c < n; ++c) y[c] *= transposed ? factor.row_scale(c) : factor.column_scale(c);
        block::gemv<n>(Taken{factor}, y, product);
        for (int r = 0; r < n; ++r) {
          m_sum[v][r] -= product[r] * (transposed ? factor.column_scale(r) : factor.row_scale(r));
        }
      } else {
        block::gemv_subtract<n>(Taken{factor}, y, m_sum[v]);
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
  template <class Vectors, class Units>
  KOKKOS_FUNCTION void store(const Vectors& x, const Point& p, const Units& units) const {
    HYPERPLANE_UNROLL
    for (int v = 0; v < count; ++v) {
      for (int c = 0; c < n; ++c) x[v](p, c) = m_sum[v][c] * units.of_result(p, c);
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
