// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/storage_excess.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_columns.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_inverse.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_keep.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_lanes.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_source.hpp>

#include <cstddef>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Factors the lines of a pack, a step at a time: d = D - L (d^-1 U of the step before), d^-1 by Gauss-Jordan, d^-1 U.
///
/// A thread has columns of the blocks of its lanes in registers, those of a line are in one warp: columns of d^-1 U
/// stay where they are for the next step; L and d^-1 are read by all threads of a line, from shared memory. For a pivot
/// the thread that has its column chooses the row and hands out the factors of all rows. Blocks of the matrix arrive in
/// a ring in shared memory by bulk copies, in the order L, D, U, some steps ahead. Where factors have units of their
/// own, L is read once more when d^-1 is known, from which they follow.
template <class Scalar, int n, class Storage, class Source, int vector_length, int lanes_>
struct CudaLineFactor {
  static constexpr int lanes = lanes_;
  static constexpr int line_threads = choose_line_threads(n, vector_length / lanes, lanes * sizeof(Scalar));
  using MatrixStorage = typename Source::MatrixStorage;
  using Thread = CudaLineColumns<n, vector_length, lanes, line_threads>;
  static constexpr int threads = Thread::threads;
  static constexpr int columns = Thread::columns;
  static constexpr int W = Source::W;
  using Value = CudaLineValues<Scalar, Storage, MatrixStorage, n, W, lanes>;
  using Inverse = CudaLineInverse<Scalar, n, vector_length, lanes, line_threads, Value>;
  using Keep = CudaLineKeep<Scalar, n, Storage, MatrixStorage, vector_length, lanes, line_threads, Value>;
  static constexpr int units = vector_length / W;
  static constexpr int unit_values = n * n * W;
  static constexpr int unit_bytes = unit_values * static_cast<int>(sizeof(MatrixStorage));
  /// So that lanes of neighbouring units are in other banks.
  static constexpr int unit_pitch = units > 1 && unit_bytes % 128 == 0 ? unit_bytes + 128 / units : unit_bytes;
  static constexpr int vector_values = n * vector_length;
  /// Of large blocks the ring has few entries: one that is taken before the inversion is filled again during it.
  static constexpr bool takes_early = n > 12;
  /// Whether L and D stay in the ring until L is stored in units. For U there has to be a third entry, which smaller
  /// blocks have.
  static constexpr bool holds_lower = Keep::has_units && !takes_early;
  static constexpr CudaLineMemory memory{std::size_t(units) * unit_pitch, Keep::shared_values * sizeof(Scalar)};

  Source m_source;
  LineFactors<Storage, n, vector_length> m_factors;
  unsigned long long* m_singular;
  int m_entries;

  using Columns = Scalar[columns][n][lanes];

  __device__ void run(std::byte* memory_begin) const {
    auto const& layout = m_factors.m_layout;
    std::int64_t const pack = blockIdx.x;
    int const length = layout.length(pack);
    if (length == 0) return;
    Thread const thread(layout, pack);
    // Of the line alone: what a pivot does to the rows, then d^-1.
    auto* const shared = reinterpret_cast<Scalar*>(memory_begin + m_entries * memory.entry) + thread.first_lane;
    auto* const arrived = reinterpret_cast<cuda::PhaseBarrier*>(memory_begin + m_entries * memory.entry + memory.fixed);
    CudaLineRing ring(memory_begin, arrived, m_entries, static_cast<std::uint32_t>(memory.entry));
    bool const fills = threadIdx.x == 0;
    int unit_lengths[units];
    find_unit_lengths(pack, fills, unit_lengths);
    auto const policy = cuda::evict_first_policy();
    int filled = 0;
    auto const fill = [&] {
      if (!fills || filled >= line_blocks * length) return;
      bring(ring, pack, filled, unit_lengths, policy);
      ++filled;
    };
    if (fills) {
      ring.initialize();
      for (int e = 0; e < m_entries; ++e) fill();
    }
    __syncthreads();
    auto const unit_offset =
        thread.first_lane / W * (unit_pitch / static_cast<int>(sizeof(MatrixStorage))) + thread.first_lane % W;
    auto const next = [&] { return reinterpret_cast<const MatrixStorage*>(ring.next()) + unit_offset; };
    Columns scaled = {};  // d^-1 U of the step before
    for (int step = 0; step < length; ++step) {
      Columns d;
      auto const* const lower = next();
      auto const* const diagonal = next();
      eliminate(thread, pack, step, lower, diagonal, scaled, d);
      auto const release = [&](int entries) {
        cuda_line_sync<threads>();
        for (int e = 0; e < entries; ++e) fill();
      };
      if constexpr (!holds_lower) release(2);
      Columns taken;
      if constexpr (takes_early) {
        take(thread, next(), taken);
        release(1);
      }
      std::uint64_t order[lanes];
      Inverse::run(thread, shared, d, order, [&](int l, int k) { keep().record(thread, pack, step, l, k); });
      keep().inverse(thread, shared, pack, step, d, order);
      if constexpr (Keep::has_units) keep_lower(thread, lower, shared, pack, step);
      if constexpr (holds_lower) release(2);
      if constexpr (takes_early) {
        scale(thread, shared, pack, step, scaled,
              [&](int j, int r, Scalar(&values)[lanes]) { Value::copy(taken[j][r], values); });
      } else {
        auto const* const upper = next();
        scale(thread, shared, pack, step, scaled,
              [&](int j, int r, Scalar(&values)[lanes]) { Value::given(upper, r, thread.column(j), values); });
        release(1);
      }
    }
  }

 private:
  __device__ Keep keep() const { return {m_factors, m_singular}; }

  /// Steps of the units of a pack.
  __device__ __forceinline__ void find_unit_lengths(std::int64_t pack, bool fills, int (&unit_lengths)[units]) const {
#pragma unroll
    for (int u = 0; u < units; ++u) {
      unit_lengths[u] = 0;
      for (int lane = u * W; fills && lane < (u + 1) * W; ++lane) {
        unit_lengths[u] = max(unit_lengths[u], m_factors.m_layout.end(pack, lane));
      }
    }
  }

  /// Fills an entry of the ring with the block of that number of all units.
  __device__ __forceinline__ void bring(CudaLineRing& ring, std::int64_t pack, int number,
                                        const int (&unit_lengths)[units], std::uint64_t policy) const {
    int const step = number / line_blocks;
    auto const which = static_cast<LineBlock>(number % line_blocks);
    std::uint32_t bytes = 0;
#pragma unroll
    for (int u = 0; u < units; ++u) bytes += step < unit_lengths[u] ? unit_bytes : 0;
    auto const place = ring.fill(bytes);
#pragma unroll
    for (int u = 0; u < units; ++u) {
      if (step >= unit_lengths[u]) continue;
      place.copy(u * unit_pitch, m_source.block(m_factors, which, pack, pack * units + u, step), unit_bytes, policy);
    }
  }

  /// The thread's columns of d = D - L (d^-1 U of the step before); keeps those of L.
  __device__ void eliminate(const Thread& thread, std::int64_t pack, int step, const MatrixStorage* lower,
                            const MatrixStorage* diagonal, const Columns& scaled, Columns& d) const {
    Storage* const to = m_factors.lower(pack, step, LineFactor::lower) + thread.first_lane;
    [[maybe_unused]] Scalar excess[lanes] = {};
#pragma unroll
    for (int j = 0; j < columns; ++j) {
      int const c = thread.column(j);
#pragma unroll
      for (int r = 0; r < n; ++r) {
        Value::given(diagonal, r, c, d[j][r]);
        if (Keep::has_units || !thread.owns(j)) continue;
        Scalar factor[lanes];
        Value::given(lower, r, c, factor);
#pragma unroll
        for (int l = 0; l < lanes; ++l) {
          if (!thread.has_lower(l, step)) factor[l] = 0;
        }
        Value::keep(to + (c * n + r) * vector_length, factor);
        if constexpr (sizeof(Storage) < sizeof(MatrixStorage)) {
#pragma unroll
          for (int l = 0; l < lanes; ++l) excess[l] += storage_excess<Storage, Scalar>(factor[l]);
        }
      }
    }
    if constexpr (sizeof(Storage) < sizeof(MatrixStorage)) keep().check(thread, pack, step, excess);
#pragma unroll
    for (int m = 0; m < n; ++m) {
#pragma unroll
      for (int r = 0; r < n; ++r) {
        Scalar factor[lanes];
        Value::given(lower, r, m, factor);
#pragma unroll
        for (int j = 0; j < columns; ++j) {
#pragma unroll
          for (int l = 0; l < lanes; ++l) d[j][r][l] = fma(-factor[l], scaled[j][m][l], d[j][r][l]);
        }
      }
    }
    // At the ends of lines: what L is there counts for nothing, and a unit diagonal where there is no point keeps the
    // lane finite and out of the status.
#pragma unroll
    for (int l = 0; l < lanes; ++l) {
      if (thread.has_lower(l, step)) continue;
      bool const exists = thread.exists(l, step);
#pragma unroll
      for (int j = 0; j < columns; ++j) {
        int const c = thread.column(j);
#pragma unroll
        for (int r = 0; r < n; ++r) {
          d[j][r][l] = exists ? static_cast<Scalar>(diagonal[(c * n + r) * W + l]) : Scalar(r == c ? 1 : 0);
        }
      }
    }
  }

  /// L in units, when d^-1 is known: from the ring, or once more from the matrix.
  __device__ void keep_lower(const Thread& thread, const MatrixStorage* lower, const Scalar* shared, std::int64_t pack,
                             int step) const {
    auto const* given = lower;
    if constexpr (!holds_lower) {
      auto const unit = pack * units + thread.first_lane / W;
      given = m_source.block(m_factors, LineBlock::lower, pack, unit, step) + thread.first_lane % W;
    }
    keep().lower_in_units(thread, given, shared + Keep::inverse_values, pack, step);
  }

  /// The thread's columns of U.
  __device__ static void take(const Thread& thread, const MatrixStorage* upper, Columns& values) {
#pragma unroll
    for (int j = 0; j < columns; ++j) {
#pragma unroll
      for (int r = 0; r < n; ++r) Value::given(upper, r, thread.column(j), values[j][r]);
    }
  }

  /// The thread's columns of d^-1 U; keeps them. `upper(j, r, values)` gives U's entry in the j-th of its columns.
  template <class Upper>
  __device__ void scale(const Thread& thread, const Scalar* inverse, std::int64_t pack, int step, Columns& product,
                        const Upper& upper) const {
#pragma unroll
    for (int j = 0; j < columns; ++j) {
#pragma unroll
      for (int r = 0; r < n; ++r) {
#pragma unroll
        for (int l = 0; l < lanes; ++l) product[j][r][l] = 0;
      }
    }
#pragma unroll
    for (int m = 0; m < n; ++m) {
      Scalar u[columns][lanes];
#pragma unroll
      for (int j = 0; j < columns; ++j) upper(j, m, u[j]);
#pragma unroll
      for (int r = 0; r < n; ++r) {
        Scalar factor[lanes];
        Value::load(inverse + (m * n + r) * vector_length, factor);
#pragma unroll
        for (int j = 0; j < columns; ++j) {
#pragma unroll
          for (int l = 0; l < lanes; ++l) product[j][r][l] = fma(factor[l], u[j][l], product[j][r][l]);
        }
      }
    }
    keep().upper(thread, pack, step, product);
  }
};

template <class Factor>
__global__ void __launch_bounds__(Factor::threads) cuda_line_factor_kernel(const __grid_constant__ Factor factor) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) std::byte cuda_line_memory[];
  factor.run(cuda_line_memory);
#endif
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
