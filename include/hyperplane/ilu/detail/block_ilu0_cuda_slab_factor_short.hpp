// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/bfloat16.hpp>
#include <hyperplane/core/singular_pivot.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/cuda/vector.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/sweep/equation_units_cuda.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Whether a value is finite as one of 16 bits: as storage_excess() tells, by one comparison of what is rounded anyway.
template <class Storage>
__device__ __forceinline__ bool fits_in_short(float value) {
  return fabsf(value) <= static_cast<float>(largest_finite<Storage>);
}

/// How a thread that computes keeps factors of 16 bits, in units of their own where they have some, see FactorScales:
/// its rows of d^-1 and d^-1 U. S of a point is known when its d^-1 is, and with it CudaSlabFactorShortLower keeps L.
template <class Layout>
class CudaSlabFactorShort {
  using Scalar = typename Layout::Scalar;
  using Storage = typename Layout::Storage;
  using Shared = typename Layout::Shared;
  using Threads = typename Layout::Threads;
  using StoredLanes = typename Layout::StoredLanes;
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
    for (int r = 0; r < rows_per_thread; ++r) m_row_inverses[r] = layout.unknown_inverse(thread.rows[r]);
  }

  /// Whether the thread has to multiply with blocks of L in this direction: in 16 bits not with what points out of the
  /// grid.
  __device__ bool multiplies(Direction direction, const Row& row, int v) const {
    return !exists || lanes > 1 || m_layout.has_before(direction, row, v, m_thread.first_lane);
  }

  /// Entries in column c of blocks of L of step v in the units of unknowns, as products with blocks of d^-1 U in units
  /// want them; zero where they point out of the grid.
  __device__ void take_lower_into_units(Direction direction, const Row& row, int v, int c,
                                        Scalar (&values)[lanes]) const {
#pragma unroll
    for (int e = 0; e < lanes; ++e) {
      bool const inside = lanes == 1 || m_layout.has_before(direction, row, v, m_thread.first_lane + e);
      values[e] = inside ? values[e] * m_layout.unknown(c) : 0;
    }
  }

  /// Entry (rows[r], c) of a block of d^-1 U as it is stored, and zero where that points out of the grid. Lanes in
  /// which it is too large no longer fit.
  __device__ StoredLanes kept_upper(int r, int c, const Scalar (&values)[lanes], const bool (&inside)[lanes],
                                    bool (&fit)[lanes]) const {
    Scalar const factor = has_units ? m_layout.unknown(c) * m_row_inverses[r] : Scalar(1);
    StoredLanes stored;
#pragma unroll
    for (int e = 0; e < lanes; ++e) {
      auto const value = static_cast<float>(has_units ? values[e] * factor : values[e]);
      stored.m_values[e] = kept(inside[e] ? value : 0.0F, fit[e]);
    }
    return stored;
  }

  /// d^-1 of a step, whose pack this is, by `store(to, values)` of lanes that exist, and S, also in shared memory.
  template <class Store>
  __device__ __forceinline__ void keep_inverse(const Shared& s, unsigned count, std::int64_t pack, const Rows& inverse,
                                               const bool (&exist)[lanes], const Store& store,
                                               bool (&fit)[lanes]) const {
    Storage* const to = m_layout.m_factors.lower(pack, LowerBlock::inverse) + m_thread.first_lane;
    [[maybe_unused]] Scalar units[rows_per_thread][lanes] = {};
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
            if (m_thread.rows[r] == c) units[r][e] = unit;
          }
        }
      }
#pragma unroll
      for (int r = 0; r < rows_per_thread; ++r) {
        StoredLanes stored;
#pragma unroll
        for (int e = 0; e < lanes; ++e) stored.m_values[e] = kept(static_cast<float>(values[r][e]), fit[e]);
        if (m_thread.has_row[r]) store(to + (c * n + m_thread.rows[r]) * W, stored);
      }
    }
    if constexpr (has_units) keep_units(s, count, pack, units, exist);
  }

 private:
  /// As it is stored; whether it fits is kept, too.
  __device__ static Storage kept(float value, bool& fit) {
    fit = fits_in_short<Storage>(value) && fit;
    return Storage(value);
  }

  /// S of the thread's rows.
  __device__ void keep_units(const Shared& s, unsigned count, std::int64_t pack,
                             const Scalar (&units)[rows_per_thread][lanes], const bool (&exist)[lanes]) const {
#pragma unroll
    for (int r = 0; r < rows_per_thread; ++r) {
      if (!m_thread.has_row[r]) continue;
      int const row = m_thread.rows[r];
#pragma unroll
      for (int e = 0; e < lanes; ++e) {
        m_layout.equations(s, count)[row * W + m_thread.first_lane + e] = units[r][e];
        if (exist[e]) m_layout.m_factors.m_scales.equation(pack, row)[m_thread.first_lane + e] = BFloat16(units[r][e]);
      }
    }
  }

  /// S of the equation that a column of d^-1 belongs to, whose rows it multiplies by C^-1, in a lane.
  __device__ Scalar equation(Scalar (&column)[rows_per_thread][lanes], int e) const {
    int largest = 0;
#pragma unroll
    for (int r = 0; r < rows_per_thread; ++r) {
      column[r][e] *= m_row_inverses[r];
      largest = max(largest, cuda_magnitude_bits(column[r][e]));
    }
#pragma unroll
    for (int distance = Threads::lane_threads; distance < Layout::warp; distance *= 2) {
      largest = max(largest, __shfl_xor_sync(~0u, largest, distance));
    }
    return cuda_equation_unit(cuda_of_magnitude_bits<Scalar>(largest));
  }

  const Layout& m_layout;
  const Threads& m_thread;
  Scalar m_row_inverses[rows_per_thread];
};

/// How the warp that copies keeps L in 16 bits when a step is done: four lanes of an entry at a time, and nothing of
/// what points out of the grid.
template <class Layout>
class CudaSlabFactorShortLower {
  using Scalar = typename Layout::Scalar;
  using Storage = typename Layout::Storage;
  using MatrixStorage = typename Layout::MatrixStorage;
  using Shared = typename Layout::Shared;
  using Row = typename Layout::Row;
  static constexpr int W = Layout::W;
  static constexpr int n = Layout::n;
  static constexpr int lanes = 4;
  static constexpr bool has_units = Layout::Scales::exist;

 public:
  __device__ explicit CudaSlabFactorShortLower(const Layout& layout) : m_layout(layout) {}

  /// By all threads of the warp.
  __device__ void keep(const Shared& s, const Row& row, int v) const {
    unsigned const count = row.count + v;
    Storage* const to = m_layout.m_factors.lower(row.first_pack + v, LowerBlock::bottom);
    const MatrixStorage* const from = Layout::given_blocks(s, count);
    for (int item = threadIdx.x % Layout::warp; item < 3 * Layout::block / lanes; item += Layout::warp) {
      int const entry = item / (W / lanes);
      int const first_lane = item % (W / lanes) * lanes;
      int const r = entry % n;
      int const c = entry / n % n;
      auto const direction = static_cast<Direction>(entry / (n * n));
      auto const given = *reinterpret_cast<const cuda::Vector<MatrixStorage, lanes>*>(from + item * lanes);
      cuda::Vector<Storage, lanes> stored;
      bool all = true;
#pragma unroll
      for (int e = 0; e < lanes; ++e) {
        int const lane = first_lane + e;
        auto value = static_cast<Scalar>(given.m_values[e]);
        if constexpr (has_units) value = value * m_layout.unknown(c) * m_layout.equations(s, count)[r * W + lane];
        auto const rounded = m_layout.has_before(direction, row, v, lane) ? static_cast<float>(value) : 0.0F;
        bool const exists = m_layout.exists(row, v, lane);
        all = all && exists;
        if (exists && !fits_in_short<Storage>(rounded)) {
          m_layout.record({v - lane, row.slab * W + lane, row.k}, unstorable_code);
        }
        stored.m_values[e] = Storage(rounded);
      }
      if (all) {
        *reinterpret_cast<cuda::Vector<Storage, lanes>*>(to + item * lanes) = stored;
      } else {
        // Other lanes belong to other rows, or are padding.
#pragma unroll
        for (int e = 0; e < lanes; ++e) {
          if (m_layout.exists(row, v, first_lane + e)) to[item * lanes + e] = stored.m_values[e];
        }
      }
    }
  }

 private:
  const Layout& m_layout;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
