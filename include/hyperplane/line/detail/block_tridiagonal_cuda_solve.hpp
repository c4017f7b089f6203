// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_lanes.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_stream.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_units.hpp>

#include <cstddef>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Solves the lines of a pack, a step at a time: upwards y = d^-1 (b - L y), downwards x = y - d^-1 U x.
///
/// Coefficients depend on nothing, so bulk copies bring them to shared memory some steps ahead, both sweeps without a
/// gap between them; right-hand sides come to registers some steps ahead. What is left for a step is to exchange n
/// values of each line through shared memory, twice upwards and once downwards. The order of operations is that of the
/// portable kernel.
///
/// `transposed`: upwards y = b - U'^T y', downwards x = d^-T (y - L'^T x'), with U' = d^-1 U and L' of the step before,
/// which a step multiplies for the next one. So both sweeps read their stream of factors from its end.
///
/// x has the units of the factors from the sweep upwards to the sweep downwards.
template <class Scalar, int n, class Storage, class Places, int vector_length, int lanes_, bool transposed = false>
struct CudaLineSolve {
  static constexpr int lanes = lanes_;
  using Thread = CudaLineThread<n, vector_length, lanes>;
  using Access = CudaLineAccess<Scalar, Places, vector_length, lanes>;
  using Values = cuda::Vector<Scalar, lanes>;
  using StoredValues = cuda::Vector<Storage, lanes>;
  using Units = CudaLineUnits<Scalar, Storage, n, vector_length, lanes, transposed>;
  static constexpr int threads = Thread::threads;
  using Stream = CudaLineStream<n, Storage, vector_length, transposed>;
  static constexpr int vector_values = n * vector_length;
  static constexpr CudaLineMemory memory{Stream::entry_bytes, 2 * vector_values * sizeof(Scalar)};
  /// Steps for which right-hand sides are loaded ahead: small blocks take less time per step.
  static constexpr int ahead = n <= 4 ? 8 : 4;

  /// What is loaded ahead.
  struct Ahead {
    Values values;
    typename Units::Equations equations;
  };

  LineFactors<Storage, n, vector_length> m_factors;
  LineUnknowns<const Scalar, Places> m_rhs;
  LineUnknowns<Scalar, Places> m_x;
  int m_columns;
  int m_entries;

  __device__ void run(std::byte* shared) const {
    auto const& layout = m_factors.m_layout;
    std::int64_t const pack = blockIdx.x / m_columns;
    int const column = static_cast<int>(blockIdx.x) % m_columns;
    int const length = layout.length(pack);
    if (length == 0) return;
    Thread const thread(layout, pack);
    Access const access(m_x.m_places, layout, pack, thread, m_x.m_entries, m_x.m_first + column * n + thread.row);
    auto* const vectors = reinterpret_cast<Scalar*>(shared + m_entries * memory.entry);
    Scalar* const y = vectors + thread.first_lane;
    Scalar* const sums = y + vector_values;
    Stream stream(m_factors, pack, length, shared, reinterpret_cast<cuda::PhaseBarrier*>(vectors + 2 * vector_values),
                  m_entries);
    stream.begin();
    if (thread.active) *reinterpret_cast<Values*>(y + thread.row * vector_length) = Values{};

    Units const units(m_factors, pack, thread.row, thread.first_lane);
    Ahead next[ahead];
#pragma unroll
    for (int a = 0; a < ahead; ++a) {
      if (a < length) load_rhs(access, thread, units, a, next[a]);
    }
    __syncthreads();

    int const offset = thread.row * (transposed ? n : 1) * vector_length + thread.first_lane;
    auto const block = [&] { return stream.block() + offset; };
    auto const advance = [&](bool last) { stream.advance(last); };
    if constexpr (transposed) {
      solve_up_transposed(thread, access, units, length, y, sums, block, advance, next);
      solve_down_transposed(thread, access, units, length, y, sums, block, advance, next);
    } else {
      solve_up(thread, access, units, length, y, sums, block, advance, next);
      solve_down(thread, access, units, length, y, sums, block, advance, next);
    }
  }

 private:
  /// y of all steps. `block` waits for the thread's row of the next block; `advance(last)` follows its last use.
  template <class Block, class Advance>
  __device__ __forceinline__ void solve_up(const Thread& thread, const Access& access, const Units& units, int length,
                                           Scalar* y, Scalar* sums, const Block& block, const Advance& advance,
                                           Ahead (&next)[ahead]) const {
    for_steps(
        length,
        [&](int step, Ahead& loaded) {
          Values sum = units.in(loaded.values, loaded.equations);
          if (step + ahead < length) load_rhs(access, thread, units, step + ahead, loaded);
          multiply<true>(block(), y, sum);
          if (thread.active) *reinterpret_cast<Values*>(sums + thread.row * vector_length) = sum;
          cuda_line_sync<threads>();
          advance(false);
          sum = Values{};
          multiply<false>(block(), sums, sum);
          if (thread.active) {
            *reinterpret_cast<Values*>(y + thread.row * vector_length) = sum;
            access.store(m_x.m_data, thread, step, sum);
          }
          cuda_line_sync<threads>();
          advance(step == length - 1);
        },
        next);
  }

  /// x of all steps.
  template <class Block, class Advance>
  __device__ __forceinline__ void solve_down(const Thread& thread, const Access& access, const Units& units, int length,
                                             Scalar* y, Scalar* sums, const Block& block, const Advance& advance,
                                             Ahead (&next)[ahead]) const {
    // Downwards, x takes turns in the two vectors: one barrier per step.
    if (thread.active) *reinterpret_cast<Values*>(y + thread.row * vector_length) = Values{};
#pragma unroll
    for (int a = 0; a < ahead; ++a) {
      if (a < length) load_x(access, thread, units, length - 1 - a, next[a]);
    }
    cuda_line_sync<threads>();
    for_steps(
        length,
        [&](int done, Ahead& loaded) {
          int const step = length - 1 - done;
          bool const even = done % 2 == 0;
          auto const equations = loaded.equations;
          Values sum = loaded.values;
          if (step - ahead >= 0) load_x(access, thread, units, step - ahead, loaded);
          multiply<true>(block(), even ? y : sums, sum);
          if (thread.active) {
            *reinterpret_cast<Values*>((even ? sums : y) + thread.row * vector_length) = sum;
            access.store(m_x.m_data, thread, step, units.out(sum, equations));
          }
          cuda_line_sync<threads>();
          advance(false);
        },
        next);
  }

  /// y of all steps, which takes turns in the two vectors: one barrier per step.
  template <class Block, class Advance>
  __device__ __forceinline__ void solve_up_transposed(const Thread& thread, const Access& access, const Units& units,
                                                      int length, Scalar* y, Scalar* sums, const Block& block,
                                                      const Advance& advance, Ahead (&next)[ahead]) const {
    Values handed_on{};
    for_steps(
        length,
        [&](int step, Ahead& loaded) {
          Scalar* const here = step % 2 == 0 ? y : sums;
          Values const sum = difference(units.in(loaded.values, loaded.equations), handed_on);
          if (step + ahead < length) load_rhs(access, thread, units, step + ahead, loaded);
          if (thread.active) {
            *reinterpret_cast<Values*>(here + thread.row * vector_length) = sum;
            access.store(m_x.m_data, thread, step, sum);
          }
          cuda_line_sync<threads>();
          if (step > 0) advance(false);
          handed_on = Values{};
          multiply<false>(block(), here, handed_on);
        },
        next);
    cuda_line_sync<threads>();
    advance(true);
  }

  /// x of all steps.
  template <class Block, class Advance>
  __device__ __forceinline__ void solve_down_transposed(const Thread& thread, const Access& access, const Units& units,
                                                        int length, Scalar* y, Scalar* sums, const Block& block,
                                                        const Advance& advance, Ahead (&next)[ahead]) const {
    Values handed_on{};
#pragma unroll
    for (int a = 0; a < ahead; ++a) {
      if (a < length) load_x(access, thread, units, length - 1 - a, next[a]);
    }
    for_steps(
        length,
        [&](int done, Ahead& loaded) {
          int const step = length - 1 - done;
          auto const equations = loaded.equations;
          Values const sum = difference(loaded.values, handed_on);
          if (step - ahead >= 0) load_x(access, thread, units, step - ahead, loaded);
          if (thread.active) *reinterpret_cast<Values*>(sums + thread.row * vector_length) = sum;
          cuda_line_sync<threads>();
          if (done > 0) advance(false);
          Values x{};
          multiply<false>(block(), sums, x);
          if (thread.active) {
            *reinterpret_cast<Values*>(y + thread.row * vector_length) = x;
            access.store(m_x.m_data, thread, step, units.out(x, equations));
          }
          cuda_line_sync<threads>();
          advance(false);
          handed_on = Values{};
          multiply<false>(block(), y, handed_on);
        },
        next);
  }

  __device__ void load_rhs(const Access& access, const Thread& thread, const Units& units, int step,
                           Ahead& loaded) const {
    loaded = {access.load(m_rhs.m_data, thread, step), units.before(step)};
  }
  __device__ void load_x(const Access& access, const Thread& thread, const Units& units, int step,
                         Ahead& loaded) const {
    loaded = {access.load(m_x.m_data, thread, step), units.after(step)};
  }

  __device__ static Values difference(const Values& a, const Values& b) {
    Values result;
#pragma unroll
    for (int l = 0; l < lanes; ++l) result.m_values[l] = a.m_values[l] - b.m_values[l];
    return result;
  }

  /// Calls `step(s, next[s mod ahead])` for all steps s, with indices that the compiler knows: next is in registers.
  template <class Step>
  __device__ __forceinline__ static void for_steps(int length, const Step& step, Ahead (&next)[ahead]) {
    for (int first = 0; first < length; first += ahead) {
#pragma unroll
      for (int a = 0; a < ahead; ++a) {
        if (first + a < length) step(first + a, next[a]);
      }
    }
  }

  /// sum -= or += the thread's row of the block times the vector.
  template <bool subtract>
  __device__ static void multiply(const Storage* row, const Scalar* vector, Values& sum) {
#pragma unroll
    for (int c = 0; c < n; ++c) {
      auto const a = *reinterpret_cast<const StoredValues*>(row + c * (transposed ? 1 : n) * vector_length);
      auto const x = *reinterpret_cast<const Values*>(vector + c * vector_length);
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        auto const factor = static_cast<Scalar>(a.m_values[l]);
        sum.m_values[l] = fma(subtract ? -factor : factor, x.m_values[l], sum.m_values[l]);
      }
    }
  }
};

template <class Solve>
__global__ void __launch_bounds__(Solve::threads) cuda_line_solve_kernel(const __grid_constant__ Solve solve) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) std::byte cuda_line_memory[];
  solve.run(cuda_line_memory);
#endif
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
