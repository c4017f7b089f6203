// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_lanes.hpp>

#include <cstddef>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Solves the lines of a pack, a step at a time: upwards y = d^-1 (b - L y), downwards x = y - d^-1 U x.
///
/// Coefficients depend on nothing, so bulk copies bring them to shared memory some steps ahead, both sweeps without a
/// gap between them; right-hand sides come to registers some steps ahead. What is left for a step is to exchange n
/// values of each line through shared memory, twice upwards and once downwards. The order of operations is that of the
/// portable kernel.
template <class Scalar, int n, class Storage, class Places, int vector_length, int lanes_>
struct CudaLineSolve {
  static constexpr int lanes = lanes_;
  using Thread = CudaLineThread<n, vector_length, lanes>;
  using Access = CudaLineAccess<Scalar, Places, vector_length, lanes>;
  using Values = cuda::Vector<Scalar, lanes>;
  using StoredValues = cuda::Vector<Storage, lanes>;
  static constexpr int threads = Thread::threads;
  static constexpr int block_values = n * n * vector_length;
  static constexpr int block_bytes = block_values * static_cast<int>(sizeof(Storage));
  /// Small blocks are copied several at a time.
  static constexpr int entry_blocks = block_bytes >= 2048 ? 1 : 2048 / block_bytes;
  static constexpr int vector_values = n * vector_length;
  static constexpr CudaLineMemory memory{std::size_t(entry_blocks) * block_bytes, 2 * vector_values * sizeof(Scalar)};
  /// Steps for which right-hand sides are loaded ahead: small blocks take less time per step.
  static constexpr int ahead = n <= 4 ? 8 : 4;

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
    CudaLineRing ring(shared, reinterpret_cast<cuda::PhaseBarrier*>(vectors + 2 * vector_values), m_entries,
                      static_cast<std::uint32_t>(memory.entry));
    bool const fills = threadIdx.x == 0;
    auto const policy = cuda::evict_first_policy();
    auto const* const lower = reinterpret_cast<const std::byte*>(m_factors.lower(pack, 0, LineFactor::lower));
    auto const* const upper = reinterpret_cast<const std::byte*>(m_factors.upper(pack, length - 1));
    int const lower_entries = (line_lower_blocks * length + entry_blocks - 1) / entry_blocks;
    int const all_entries = lower_entries + (length + entry_blocks - 1) / entry_blocks;
    int filled = 0;
    auto const fill = [&] {
      if (!fills || filled >= all_entries) return;
      bool const up = filled < lower_entries;
      int const first = (up ? filled : filled - lower_entries) * entry_blocks;
      auto const bytes = static_cast<std::uint32_t>(
          min(entry_blocks, (up ? line_lower_blocks * length : length) - first) * block_bytes);
      ring.fill(bytes).copy(0, (up ? lower : upper) + std::size_t(first) * block_bytes, bytes, policy);
      ++filled;
    };
    if (fills) {
      ring.initialize();
      for (int e = 0; e < m_entries; ++e) fill();
    }
    if (thread.active) *reinterpret_cast<Values*>(y + thread.row * vector_length) = Values{};

    Values next[ahead];
#pragma unroll
    for (int a = 0; a < ahead; ++a) {
      if (a < length) next[a] = access.load(m_rhs.m_data, thread, a);
    }
    __syncthreads();

    const std::byte* entry = nullptr;
    int in_entry = 0;
    auto const block = [&] {
      if (in_entry == 0) entry = ring.next();
      return reinterpret_cast<const Storage*>(entry) + in_entry * block_values + thread.row * vector_length +
             thread.first_lane;
    };
    /// After a barrier that all threads reach when they have used the block.
    auto const advance = [&](bool last) {
      if (++in_entry == entry_blocks || last) {
        in_entry = 0;
        fill();
      }
    };
    solve_up(thread, access, length, y, sums, block, advance, next);
    solve_down(thread, access, length, y, sums, block, advance, next);
  }

 private:
  /// y of all steps. `block` waits for the thread's row of the next block; `advance(last)` follows its last use.
  template <class Block, class Advance>
  __device__ __forceinline__ void solve_up(const Thread& thread, const Access& access, int length, Scalar* y,
                                           Scalar* sums, const Block& block, const Advance& advance,
                                           Values (&next)[ahead]) const {
    for_steps(
        length,
        [&](int step, Values& loaded) {
          Values sum = loaded;
          if (step + ahead < length) loaded = access.load(m_rhs.m_data, thread, step + ahead);
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
  __device__ __forceinline__ void solve_down(const Thread& thread, const Access& access, int length, Scalar* y,
                                             Scalar* sums, const Block& block, const Advance& advance,
                                             Values (&next)[ahead]) const {
    // Downwards, x takes turns in the two vectors: one barrier per step.
    if (thread.active) *reinterpret_cast<Values*>(y + thread.row * vector_length) = Values{};
#pragma unroll
    for (int a = 0; a < ahead; ++a) {
      if (a < length) next[a] = access.load(m_x.m_data, thread, length - 1 - a);
    }
    cuda_line_sync<threads>();
    for_steps(
        length,
        [&](int done, Values& loaded) {
          int const step = length - 1 - done;
          bool const even = done % 2 == 0;
          Values sum = loaded;
          if (step - ahead >= 0) loaded = access.load(m_x.m_data, thread, step - ahead);
          multiply<true>(block(), even ? y : sums, sum);
          if (thread.active) {
            *reinterpret_cast<Values*>((even ? sums : y) + thread.row * vector_length) = sum;
            access.store(m_x.m_data, thread, step, sum);
          }
          cuda_line_sync<threads>();
          advance(step == 0);
        },
        next);
  }

  /// Calls `step(s, next[s mod ahead])` for all steps s, with indices that the compiler knows: next is in registers.
  template <class Step>
  __device__ __forceinline__ static void for_steps(int length, const Step& step, Values (&next)[ahead]) {
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
      auto const a = *reinterpret_cast<const StoredValues*>(row + c * n * vector_length);
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
