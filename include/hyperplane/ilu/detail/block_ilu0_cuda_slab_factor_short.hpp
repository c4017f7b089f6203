// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/bfloat16.hpp>
#include <hyperplane/core/storage_excess.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/sweep/equation_units_cuda.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// How a thread of the factorization keeps factors of 16 bits, in units of their own where they have some, see
/// FactorScales: its rows of the blocks of a step, lane by lane, and nothing of what points out of the grid. S of a
/// point is known when its d^-1 is, and with it L can be kept.
template <class Layout>
class CudaSlabFactorShort {
  using Scalar = typename Layout::Scalar;
  using Storage = typename Layout::Storage;
  using Threads = typename Layout::Threads;
  using Row = typename Layout::Row;
  using Rows = typename Layout::Inverse::Rows;
  static constexpr int W = Layout::W;
  static constexpr int n = Layout::n;
  static constexpr int lanes = Layout::lanes;
  static constexpr int rows_per_thread = Layout::rows_per_thread;

 public:
  static constexpr bool exists = ShortReal<Storage>;
  static constexpr bool has_units = Layout::Scales::exist;

  __device__ CudaSlabFactorShort(const Layout& layout, const Threads& thread) : m_layout(layout), m_thread(thread) {
#pragma unroll
    for (int r = 0; r < rows_per_thread; ++r) m_row_inverses[r] = unknown_inverse(thread.rows[r]);
  }

  /// C and its inverse, by loads that need not wait for stores before them.
  __device__ Scalar unknown(int c) const { return unit(c); }
  __device__ Scalar unknown_inverse(int c) const { return unit(n + c); }

  /// Entries in column c of blocks of L of step v in the units of unknowns, as products with blocks of d^-1 U in units
  /// want them; zero where they point out of the grid.
  __device__ void take_lower_into_units(Direction direction, const Row& row, int v, int c,
                                        Scalar (&values)[lanes]) const {
#pragma unroll
    for (int e = 0; e < lanes; ++e) {
      int const lane = m_thread.first_lane + e;
      bool const inside = direction == Direction::bottom  ? m_layout.has_below(row.k)
                          : direction == Direction::south ? row.slab * W + lane > 0
                                                          : v > lane;
      values[e] = inside ? values[e] * unknown(c) : 0;
    }
  }

  /// Entry (rows[r], c) of a block of d^-1 U in the units that it is stored in.
  __device__ void take_upper_into_units(int r, int c, Scalar (&values)[lanes]) const {
    if constexpr (has_units) {
      Scalar const factor = unknown(c) * m_row_inverses[r];
#pragma unroll
      for (int e = 0; e < lanes; ++e) values[e] *= factor;
    }
  }

  /// Adds what is not a number where one of these cannot be stored.
  __device__ static void count_excess(const Scalar (&values)[lanes], Scalar (&excess)[lanes]) {
#pragma unroll
    for (int e = 0; e < lanes; ++e) excess[e] += storage_excess<Storage, Scalar>(values[e]);
  }

  /// d^-1 and L of step v, whose pack this is. `given(direction, r, c)` tells the entries of A, `store(to, values)`
  /// those of lanes that exist.
  template <class Given, class Store>
  __device__ __forceinline__ void keep(const Row& row, int v, std::int64_t pack, const Rows& inverse,
                                       const bool (&exists_in)[lanes], const Given& given, const Store& store,
                                       Scalar (&excess)[lanes]) const {
    Scalar equations[rows_per_thread][lanes];
    keep_inverse(pack, inverse, store, equations, excess);
    if constexpr (has_units) {
#pragma unroll
      for (int r = 0; r < rows_per_thread; ++r) {
        auto* const to = m_layout.m_factors.m_scales.equation(pack, m_thread.rows[r]) + m_thread.first_lane;
#pragma unroll
        for (int e = 0; e < lanes; ++e) {
          if (exists_in[e] && m_thread.has_row[r]) to[e] = BFloat16(equations[r][e]);
        }
      }
    }
    keep_lower<Direction::bottom>(row, v, pack, equations, given, store, excess);
    keep_lower<Direction::south>(row, v, pack, equations, given, store, excess);
    keep_lower<Direction::west>(row, v, pack, equations, given, store, excess);
  }

 private:
  template <class Store>
  __device__ __forceinline__ void keep_inverse(std::int64_t pack, const Rows& inverse, const Store& store,
                                               Scalar (&equations)[rows_per_thread][lanes],
                                               Scalar (&excess)[lanes]) const {
    Storage* const to = m_layout.m_factors.lower(pack, LowerBlock::inverse) + m_thread.first_lane;
#pragma unroll
    for (int c = 0; c < n; ++c) {
      Scalar values[rows_per_thread][lanes];
#pragma unroll
      for (int e = 0; e < lanes; ++e) {
#pragma unroll
        for (int r = 0; r < rows_per_thread; ++r) values[r][e] = inverse[c][r][e];
        if constexpr (has_units) {
          Scalar const unit = equation(values, e);
          Scalar const reciprocal = cuda_unit_reciprocal(unit);
#pragma unroll
          for (int r = 0; r < rows_per_thread; ++r) {
            values[r][e] *= reciprocal;
            if (m_thread.rows[r] == c) equations[r][e] = unit;
          }
        }
      }
#pragma unroll
      for (int r = 0; r < rows_per_thread; ++r) {
        count_excess(values[r], excess);
        if (m_thread.has_row[r]) store(to + (c * n + m_thread.rows[r]) * W, values[r]);
      }
    }
  }

  /// S of the equation that a column of d^-1 belongs to, whose rows are multiplied by C^-1, in a lane.
  __device__ Scalar equation(Scalar (&column)[rows_per_thread][lanes], int e) const {
    Scalar largest = 0;
#pragma unroll
    for (int r = 0; r < rows_per_thread; ++r) {
      column[r][e] *= m_row_inverses[r];
      largest = max(largest, abs(column[r][e]));
    }
#pragma unroll
    for (int distance = Layout::Threads::lane_threads; distance < Layout::warp; distance *= 2) {
      largest = max(largest, __shfl_xor_sync(~0u, largest, distance));
    }
    return cuda_equation_unit(largest);
  }

  template <Direction direction, class Given, class Store>
  __device__ __forceinline__ void keep_lower(const Row& row, int v, std::int64_t pack,
                                             const Scalar (&equations)[rows_per_thread][lanes], const Given& given,
                                             const Store& store, Scalar (&excess)[lanes]) const {
    Storage* const to =
        m_layout.m_factors.lower(pack, static_cast<LowerBlock>(static_cast<int>(direction))) + m_thread.first_lane;
#pragma unroll(n <= 8 ? n : 1)
    for (int c = 0; c < n; ++c) {
#pragma unroll
      for (int r = 0; r < rows_per_thread; ++r) {
        auto const entry = given(direction, m_thread.rows[r], c);
        Scalar values[lanes];
#pragma unroll
        for (int e = 0; e < lanes; ++e) values[e] = static_cast<Scalar>(entry.m_values[e]);
        take_lower_into_units(direction, row, v, c, values);
        if constexpr (has_units) {
#pragma unroll
          for (int e = 0; e < lanes; ++e) values[e] *= equations[r][e];
        }
        count_excess(values, excess);
        if (m_thread.has_row[r]) store(to + (c * n + m_thread.rows[r]) * W, values);
      }
    }
  }

  __device__ Scalar unit(int number) const {
    if constexpr (has_units) {
      return static_cast<Scalar>(__ldg(m_layout.m_factors.m_scales.m_units + number));
    } else {
      return 1;
    }
  }

  const Layout& m_layout;
  const Threads& m_thread;
  Scalar m_row_inverses[rows_per_thread];
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
