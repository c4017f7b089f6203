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
/// keeps which row was the pivot of which step, and d^-1 is put in order at the end. Pivots are found by the leading 16
/// bits or more of the entries' magnitudes: among entries that agree in them, the first row is taken.
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
  /// Products of large blocks run in loops: unrolled, more values would be loaded ahead than there are registers.
  static constexpr int unrolled = n <= 5 ? n : lanes == 1 ? 5 : 2;
  static constexpr CudaLineMemory memory{std::size_t(units) * unit_pitch,
                                         block_values * sizeof(Scalar) + 2 * vector_values * sizeof(int)};

  Source m_source;
  LineFactors<Storage, n, vector_length> m_factors;
  unsigned long long* m_singular;
  int m_entries;

  struct Shared {
    Scalar* block;   ///< d^-1 U of the step before, then pivot rows of the inversion, then d^-1
    unsigned* keys;  ///< of the pivot search
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
    shared.keys = reinterpret_cast<unsigned*>(shared.block + block_values);
    shared.pivots = reinterpret_cast<int*>(shared.keys + vector_values);
    auto* const arrived = reinterpret_cast<cuda::PhaseBarrier*>(shared.pivots + vector_values);
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
      // After the first barrier inside, L and D have been used.
      invert(thread, shared, pack, step, d, [&] {
        fill();
        fill();
      });
      cuda_line_sync<threads>();
      scale(thread, shared, pack, step, next(), d);
      cuda_line_sync<threads>();
      fill();
#pragma unroll
      for (int c = 0; thread.active && c < n; ++c) {
        store(shared.block + (c * n + thread.row) * vector_length + thread.first_lane, d[c]);
      }
      cuda_line_sync<threads>();
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
#pragma unroll unrolled
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

  /// Orders rows by the magnitude of their entry, then by their number; what is not a number or infinite comes first,
  /// so that it is reported. At least 1.
  __device__ static unsigned pivot_key(Scalar value, int row) {
    unsigned bits;
    if constexpr (sizeof(Scalar) == 8) {
      bits = static_cast<unsigned>(__double2hiint(value));
    } else {
      bits = __float_as_uint(value);
    }
    return (bits & 0x7fffffe0u) | static_cast<unsigned>(max_block_size - row);
  }
  __device__ static int row_of(unsigned key) { return max_block_size - static_cast<int>(key & 0x1fu); }

  /// 1 / value to the last bit or two; not finite where value is zero, not finite, or so small that it is denormal.
  __device__ static double reciprocal(double value) {
    double result;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(result) : "d"(value));
    result = fma(result, fma(-value, result, 1.0), result);
    return fma(result, fma(-value, result, 1.0), result);
  }
  __device__ static float reciprocal(float value) { return 1 / value; }

  /// Puts the inverse of the block of which each thread has a row into shared.block.
  template <class AfterFirstBarrier>
  __device__ void invert(const Thread& thread, const Shared& shared, std::int64_t pack, int step, Row& d,
                         const AfterFirstBarrier& after_first_barrier) const {
    static_assert(max_block_size < 32);
    using Keys = cuda::Vector<unsigned, lanes>;
    bool used[lanes] = {};
    int own[lanes] = {};  // the step in which this row is the pivot
    // Columns rotate, so that the one of the step comes first: registers take no index that varies, and the loop stays
    // small. After n steps they are where they were.
#pragma unroll 1
    for (int k = 0; k < n; ++k) {
      unsigned* const all_keys = shared.keys + thread.first_lane;
      Keys keys;
      Scalar inverse[lanes];
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        keys.m_values[l] = used[l] ? 0 : pivot_key(d[0][l], thread.row);
        inverse[l] = reciprocal(d[0][l]);
      }
      if (thread.active) *reinterpret_cast<Keys*>(all_keys + thread.row * vector_length) = keys;
      cuda_line_sync<threads>();
      // After the first barrier d^-1 U, which was in shared.block, has been used.
      if (k == 0) after_first_barrier();
      unsigned best[lanes] = {};
#pragma unroll
      for (int u = 0; u < n; ++u) {
        auto const other = *reinterpret_cast<const Keys*>(all_keys + u * vector_length);
#pragma unroll
        for (int l = 0; l < lanes; ++l) best[l] = max(best[l], other.m_values[l]);
      }
      Scalar* pivot_row[lanes];
      bool is_pivot[lanes];
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        int const row = row_of(best[l]);
        int const lane = thread.first_lane + l;
        pivot_row[l] = shared.block + row * vector_length + lane;
        is_pivot[l] = thread.active && row == thread.row;
        if (!is_pivot[l]) continue;
        used[l] = true;
        own[l] = k;
        shared.pivots[k * vector_length + lane] = row;
        // Zero, infinity and NaN alike fail this test, and what has no finite inverse or one that is flushed to zero.
        if (!(inverse[l] != 0 && inverse[l] * d[0][l] * 0 == 0) && thread.exists(l, step)) {
          auto const ordinal = m_factors.m_layout.ordinal(pack, lane) + (step - thread.begins[l]);
          atomicMin(m_singular, static_cast<unsigned long long>(singular_pivot_word(ordinal, k)));
        }
        *pivot_row[l] = inverse[l];
#pragma unroll
        for (int c = 1; c < n; ++c) {
          pivot_row[l][c * vector_values] = d[c][l];
          d[c][l] = 0;
        }
      }
      cuda_line_sync<threads>();
      // Of the pivot itself 0 + inverse * row is left, of other rows what they were less their part of it.
      Scalar factor[lanes];
#pragma unroll
      for (int l = 0; l < lanes; ++l) factor[l] = is_pivot[l] ? -inverse[l] : d[0][l] * *pivot_row[l];
#pragma unroll
      for (int c = 1; c < n; ++c) {
#pragma unroll
        for (int l = 0; l < lanes; ++l) d[c - 1][l] = fma(-factor[l], pivot_row[l][c * vector_values], d[c][l]);
      }
#pragma unroll
      for (int l = 0; l < lanes; ++l) d[n - 1][l] = -factor[l];
    }
    cuda_line_sync<threads>();
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

  /// The thread's row of d^-1 U; keeps that and the row of d^-1.
  __device__ void scale(const Thread& thread, const Shared& shared, std::int64_t pack, int step,
                        const MatrixStorage* upper, Row& product) const {
    auto const place = thread.row * vector_length + thread.first_lane;
    Storage* const to_inverse = m_factors.lower(pack, step, LineFactor::inverse) + place;
    Storage* const to_upper = m_factors.upper(pack, step) + place;
#pragma unroll
    for (int c = 0; c < n; ++c) {
#pragma unroll
      for (int l = 0; l < lanes; ++l) product[c][l] = 0;
    }
#pragma unroll unrolled
    for (int m = 0; m < n; ++m) {
      Scalar inverse[lanes];
      load(shared.block + m * vector_values + place, inverse);
      if (thread.active) keep(to_inverse + m * vector_values, inverse);
#pragma unroll
      for (int c = 0; c < n; ++c) {
        Scalar u[lanes];
        given(upper, m, c, u);
#pragma unroll
        for (int l = 0; l < lanes; ++l) product[c][l] = fma(inverse[l], u[l], product[c][l]);
      }
    }
#pragma unroll
    for (int c = 0; c < n; ++c) {
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        if (step < thread.begins[l] || step + 1 >= thread.ends[l]) product[c][l] = 0;
      }
      if (thread.active) keep(to_upper + c * vector_values, product[c]);
    }
  }
};

template <class Factor>
__global__ void __launch_bounds__(Factor::threads) cuda_line_factor_kernel(const __grid_constant__ Factor factor) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) std::byte cuda_line_memory[];
  factor.run(cuda_line_memory);
#endif
}

template <class Gather>
__global__ void __launch_bounds__(Gather::threads) cuda_line_gather_kernel(const __grid_constant__ Gather gather) {
  gather.run();
}

}  // namespace hyperplane::detail
