// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/singular_pivot.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_lanes.hpp>

#include <cstddef>
#include <cstdint>

namespace hyperplane::detail {

/// Where the factorization finds the blocks of a pack: in packs of W lanes, as StridedPlaces says.
template <class MatrixStorage_, int W_>
struct CudaLineStridedSource {
  using MatrixStorage = MatrixStorage_;
  static constexpr int W = W_;
  LineMatrix<MatrixStorage, StridedPlaces<W>> m_a;

  /// The first value of a block at a step of the unit of W lanes.
  template <class Factors>
  __device__ const MatrixStorage* block(const Factors&, LineBlock which, std::int64_t, std::int64_t unit,
                                        int step) const {
    auto const place = m_a.m_places.m_bases[unit] + step * m_a.m_places.m_stride;
    return m_a.m_data + (place * m_a.m_entries + m_a.m_first[static_cast<int>(which)]) * W;
  }
};

/// In the factors themselves, where they have been gathered.
template <class Storage, int vector_length>
struct CudaLineFactorsSource {
  using MatrixStorage = Storage;
  static constexpr int W = vector_length;

  template <class Factors>
  __device__ const Storage* block(const Factors& factors, LineBlock which, std::int64_t pack, std::int64_t,
                                  int step) const {
    if (which == LineBlock::upper) return factors.upper(pack, step);
    return factors.lower(pack, step, which == LineBlock::lower ? LineFactor::lower : LineFactor::inverse);
  }
};

/// Brings the blocks of lines that are anywhere to where their factors will be, one block of threads a pack.
template <class Storage, class MatrixStorage, int n, int vector_length>
struct CudaLineGather {
  static constexpr int threads = 256;
  LineMatrix<MatrixStorage, GatheredPlaces> m_a;
  LineFactors<Storage, n, vector_length> m_factors;

  __device__ void run() const {
    std::int64_t const pack = blockIdx.x;
    int const length = m_factors.m_layout.length(pack);
    int const lane = static_cast<int>(threadIdx.x) % vector_length;
    const int* const slots = m_a.m_places.m_slots + m_factors.m_layout.first_item(pack) * vector_length + lane;
    int const width = 1 << m_a.m_places.m_shift;
    for (int step = static_cast<int>(threadIdx.x) / vector_length; step < length; step += threads / vector_length) {
      int const slot = slots[std::int64_t{step} * vector_length];
      auto const from = std::int64_t{slot >> m_a.m_places.m_shift} * m_a.m_entries * width + (slot & (width - 1));
      auto const copy = [&](Storage* to, LineBlock which) {
        int const first = m_a.m_first[static_cast<int>(which)];
        for (int e = 0; e < n * n; ++e) {
          to[e * vector_length + lane] =
              slot >= 0 ? static_cast<Storage>(m_a.m_data[from + std::int64_t{first + e} * width]) : Storage(0);
        }
      };
      copy(m_factors.lower(pack, step, LineFactor::lower), LineBlock::lower);
      copy(m_factors.lower(pack, step, LineFactor::inverse), LineBlock::diagonal);
      copy(m_factors.upper(pack, step), LineBlock::upper);
    }
  }
};

/// Factors the lines of a pack, a step at a time: d = D - L (d^-1 U of the step before), d^-1 by Gauss-Jordan, d^-1 U.
///
/// A thread has a row of a block in registers; other rows come through shared memory. Blocks of the matrix arrive in a
/// ring there by bulk copies, in the order L, D, U, some steps ahead. Rows are not exchanged for a pivot: every lane
/// keeps which row was the pivot of which step, and d^-1 is put in order at the end.
template <class Scalar, int n, class Storage, class Source, int vector_length, int lanes_>
struct CudaLineFactor {
  static constexpr int lanes = lanes_;
  using MatrixStorage = typename Source::MatrixStorage;
  using Thread = CudaLineThread<n, vector_length, lanes>;
  using Values = cuda::Vector<Scalar, lanes>;
  using GivenValues = cuda::Vector<MatrixStorage, lanes>;
  using StoredValues = cuda::Vector<Storage, lanes>;
  static constexpr int threads = Thread::threads;
  static constexpr int W = Source::W;
  static constexpr int units = vector_length / W;
  static constexpr int unit_values = n * n * W;
  static constexpr int unit_bytes = unit_values * static_cast<int>(sizeof(MatrixStorage));
  /// So that lanes of neighbouring units are in other banks.
  static constexpr int unit_pitch = units > 1 && unit_bytes % 128 == 0 ? unit_bytes + 128 / units : unit_bytes;
  static constexpr int block_values = n * n * vector_length;
  static constexpr int vector_values = n * vector_length;
  static constexpr CudaLineMemory memory{
      std::size_t(units) * unit_pitch,
      (block_values + 2 * vector_values) * sizeof(Scalar) + vector_values * sizeof(int)};

  Source m_source;
  LineFactors<Storage, n, vector_length> m_factors;
  unsigned long long* m_singular;
  int m_entries;

  struct Shared {
    Scalar* block;   ///< d^-1 U of the step before, then d^-1
    Scalar* column;  ///< of the pivot search
    Scalar* row;     ///< of the pivot
    int* pivots;     ///< row of each step, in each lane
  };
  using Row = Scalar[n][lanes];

  __device__ void run(std::byte* memory_begin) const {
    auto const& layout = m_factors.m_layout;
    std::int64_t const pack = blockIdx.x;
    int const length = layout.length(pack);
    if (length == 0) return;
    Thread const thread(layout, pack);
    Shared shared;
    shared.block = reinterpret_cast<Scalar*>(memory_begin + m_entries * memory.entry);
    shared.column = shared.block + block_values;
    shared.row = shared.column + vector_values;
    auto* const arrived = reinterpret_cast<cuda::PhaseBarrier*>(shared.row + vector_values);
    shared.pivots = reinterpret_cast<int*>(arrived + m_entries);
    CudaLineRing ring(memory_begin, arrived, m_entries, static_cast<std::uint32_t>(memory.entry));
    bool const fills = threadIdx.x == 0;

    int unit_lengths[units];
#pragma unroll
    for (int u = 0; u < units; ++u) {
      unit_lengths[u] = 0;
      for (int lane = u * W; fills && lane < (u + 1) * W; ++lane) {
        unit_lengths[u] = max(unit_lengths[u], layout.end(pack, lane));
      }
    }
    auto const policy = cuda::evict_first_policy();
    int filled = 0;
    auto const fill = [&] {
      if (!fills || filled >= line_blocks * length) return;
      int const step = filled / line_blocks;
      auto const which = static_cast<LineBlock>(filled % line_blocks);
      std::uint32_t bytes = 0;
#pragma unroll
      for (int u = 0; u < units; ++u) bytes += step < unit_lengths[u] ? unit_bytes : 0;
      auto const place = ring.fill(bytes);
#pragma unroll
      for (int u = 0; u < units; ++u) {
        if (step >= unit_lengths[u]) continue;
        place.copy(u * unit_pitch, m_source.block(m_factors, which, pack, pack * units + u, step), unit_bytes, policy);
      }
      ++filled;
    };
    if (fills) {
      ring.initialize();
      for (int e = 0; e < m_entries; ++e) fill();
    }
    for (int e = static_cast<int>(threadIdx.x); e < block_values; e += threads) shared.block[e] = 0;
    __syncthreads();

    auto const unit_offset =
        thread.first_lane / W * (unit_pitch / static_cast<int>(sizeof(MatrixStorage))) + thread.first_lane % W;
    auto const next = [&] { return reinterpret_cast<const MatrixStorage*>(ring.next()) + unit_offset; };
    for (int step = 0; step < length; ++step) {
      Row d;
      auto const* const lower = next();
      auto const* const diagonal = next();
      eliminate(thread, shared, pack, step, lower, diagonal, d);
      Scalar inverse[n][lanes];
      // The first barrier inside: L and D have been used.
      invert(thread, shared, pack, step, d, [&] {
        fill();
        fill();
      });
      cuda_line_sync<threads>();
#pragma unroll
      for (int c = 0; c < n; ++c)
        load(shared.block + (c * n + thread.row) * vector_length + thread.first_lane, inverse[c]);
      cuda_line_sync<threads>();
      scale(thread, shared, pack, step, next(), inverse);
      cuda_line_sync<threads>();
      fill();
    }
  }

 private:
  __device__ static void load(const Scalar* from, Scalar (&values)[lanes]) {
    auto const loaded = *reinterpret_cast<const Values*>(from);
#pragma unroll
    for (int l = 0; l < lanes; ++l) values[l] = loaded.m_values[l];
  }
  __device__ static void store(Scalar* to, const Scalar (&values)[lanes]) {
    Values stored;
#pragma unroll
    for (int l = 0; l < lanes; ++l) stored.m_values[l] = values[l];
    *reinterpret_cast<Values*>(to) = stored;
  }
  __device__ static void keep(Storage* to, const Scalar (&values)[lanes]) {
    StoredValues stored;
#pragma unroll
    for (int l = 0; l < lanes; ++l) stored.m_values[l] = static_cast<Storage>(values[l]);
    *reinterpret_cast<StoredValues*>(to) = stored;
  }
  /// A value of a block that has arrived.
  __device__ static void given(const MatrixStorage* block, int r, int c, Scalar (&values)[lanes]) {
    auto const loaded = *reinterpret_cast<const GivenValues*>(block + (c * n + r) * W);
#pragma unroll
    for (int l = 0; l < lanes; ++l) values[l] = static_cast<Scalar>(loaded.m_values[l]);
  }

  /// The thread's row of d = D - L (d^-1 U of the step before); keeps L.
  __device__ void eliminate(const Thread& thread, const Shared& shared, std::int64_t pack, int step,
                            const MatrixStorage* lower, const MatrixStorage* diagonal, Row& d) const {
    Storage* const to = m_factors.lower(pack, step, LineFactor::lower) + thread.row * vector_length + thread.first_lane;
#pragma unroll
    for (int c = 0; c < n; ++c) {
      given(diagonal, thread.row, c, d[c]);
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        // A unit diagonal where there is no point keeps the lane finite and out of the status.
        if (!thread.exists(l, step)) d[c][l] = thread.row == c ? 1 : 0;
      }
    }
#pragma unroll
    for (int m = 0; m < n; ++m) {
      Scalar factor[lanes];
      given(lower, thread.row, m, factor);
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        if (step <= thread.begins[l] || step >= thread.ends[l]) factor[l] = 0;
      }
      if (thread.active) keep(to + m * vector_values, factor);
#pragma unroll
      for (int c = 0; c < n; ++c) {
        Scalar upper[lanes];
        load(shared.block + (c * n + m) * vector_length + thread.first_lane, upper);
#pragma unroll
        for (int l = 0; l < lanes; ++l) d[c][l] = fma(-factor[l], upper[l], d[c][l]);
      }
    }
  }

  /// Puts the inverse of the block of which each thread has a row into shared.block.
  template <class AfterFirstBarrier>
  __device__ void invert(const Thread& thread, const Shared& shared, std::int64_t pack, int step, Row& d,
                         const AfterFirstBarrier& after_first_barrier) const {
    unsigned used[lanes] = {};
    int own[lanes] = {};  // the step in which this row is the pivot
#pragma unroll
    for (int k = 0; k < n; ++k) {
      if (thread.active) store(shared.column + thread.row * vector_length + thread.first_lane, d[k]);
      cuda_line_sync<threads>();
      if (k == 0) after_first_barrier();
      int pivot[lanes];
      Scalar value[lanes];
      find_pivot(thread, shared, used, pivot, value);
      bool is_pivot[lanes];
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        used[l] |= 1u << pivot[l];
        is_pivot[l] = pivot[l] == thread.row;
        if (is_pivot[l]) own[l] = k;
        if (is_pivot[l] && thread.active) {
          // Zero, infinity and NaN alike fail this test.
          if (!(fabs(value[l]) > 0 && value[l] * 0 == 0) && thread.exists(l, step)) {
            auto const ordinal = m_factors.m_layout.ordinal(pack, thread.first_lane + l) + (step - thread.begins[l]);
            atomicMin(m_singular, static_cast<unsigned long long>(singular_pivot_word(ordinal, k)));
          }
          Scalar const reciprocal = 1 / value[l];
          d[k][l] = 1;
#pragma unroll
          for (int c = 0; c < n; ++c) {
            d[c][l] *= reciprocal;
            shared.row[c * vector_length + thread.first_lane + l] = d[c][l];
          }
          shared.pivots[k * vector_length + thread.first_lane + l] = thread.row;
        }
      }
      cuda_line_sync<threads>();
      Scalar factor[lanes];
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        factor[l] = d[k][l];
        if (!is_pivot[l]) d[k][l] = 0;
      }
#pragma unroll
      for (int c = 0; c < n; ++c) {
        Scalar row[lanes];
        load(shared.row + c * vector_length + thread.first_lane, row);
#pragma unroll
        for (int l = 0; l < lanes; ++l) {
          if (!is_pivot[l]) d[c][l] = fma(-factor[l], row[l], d[c][l]);
        }
      }
    }
    // The row that was the pivot of step k is row k of the inverse, and column j of it belongs to the pivot row of j.
    if (!thread.active) return;
#pragma unroll
    for (int j = 0; j < n; ++j) {
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        int const lane = thread.first_lane + l;
        int const c = shared.pivots[j * vector_length + lane];
        shared.block[(c * n + own[l]) * vector_length + lane] = d[j][l];
      }
    }
  }

  /// The first of the rows not yet used with the largest value, and that value.
  __device__ static void find_pivot(const Thread& thread, const Shared& shared, const unsigned (&used)[lanes],
                                    int (&pivot)[lanes], Scalar (&value)[lanes]) {
#pragma unroll
    for (int l = 0; l < lanes; ++l) {
      pivot[l] = -1;
      value[l] = 0;
    }
#pragma unroll
    for (int u = 0; u < n; ++u) {
      Scalar candidate[lanes];
      load(shared.column + u * vector_length + thread.first_lane, candidate);
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        bool const free = (used[l] >> u & 1) == 0;
        // A NaN that is found first stays, so that it is reported.
        if (free && (pivot[l] < 0 || fabs(candidate[l]) > fabs(value[l]))) {
          pivot[l] = u;
          value[l] = candidate[l];
        }
      }
    }
  }

  /// Keeps the thread's row of d^-1, and of d^-1 U, which is also left in shared.block for the next step.
  __device__ void scale(const Thread& thread, const Shared& shared, std::int64_t pack, int step,
                        const MatrixStorage* upper, const Scalar (&inverse)[n][lanes]) const {
    auto const place = thread.row * vector_length + thread.first_lane;
    Storage* const to_inverse = m_factors.lower(pack, step, LineFactor::inverse) + place;
    Storage* const to_upper = m_factors.upper(pack, step) + place;
    Row product = {};
#pragma unroll
    for (int m = 0; m < n; ++m) {
#pragma unroll
      for (int c = 0; c < n; ++c) {
        Scalar u[lanes];
        given(upper, m, c, u);
#pragma unroll
        for (int l = 0; l < lanes; ++l) product[c][l] = fma(inverse[m][l], u[l], product[c][l]);
      }
    }
    if (!thread.active) return;
#pragma unroll
    for (int c = 0; c < n; ++c) {
      keep(to_inverse + c * vector_values, inverse[c]);
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        if (step < thread.begins[l] || step + 1 >= thread.ends[l]) product[c][l] = 0;
      }
      keep(to_upper + c * vector_values, product[c]);
      store(shared.block + c * vector_values + place, product[c]);
    }
  }
};

template <class Factor>
__global__ void __launch_bounds__(Factor::threads) cuda_line_factor_kernel(const __grid_constant__ Factor factor) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) std::byte shared[];
  factor.run(shared);
#endif
}

template <class Gather>
__global__ void __launch_bounds__(Gather::threads) cuda_line_gather_kernel(const __grid_constant__ Gather gather) {
  gather.run();
}

}  // namespace hyperplane::detail
