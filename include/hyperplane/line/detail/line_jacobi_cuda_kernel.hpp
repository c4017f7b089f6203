// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/async_copy.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>
#include <hyperplane/line/detail/line_addresses.hpp>
#include <hyperplane/line/detail/line_factors.hpp>
#include <hyperplane/line/detail/line_jacobi_cuda_memory.hpp>
#include <hyperplane/line/detail/line_jacobi_limits.hpp>
#include <hyperplane/line/line_layout_ref.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>

#include <cstddef>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The iterations of LineJacobi on a pack of lines, several of them in one pass over its blocks: at time t iteration m
/// is at step t - 2 m, so that the values of the iteration before are there on both sides. A thread has a lane and a
/// slot. Step p is in slot p mod slots for as long as iterations pass over it; its D^-1 L and D^-1 U are in registers
/// meanwhile, z of the last two iterations is in shared memory. Every second time a step has an iteration, and in
/// between the half of the next one that looks back. Bulk copies bring blocks to shared memory some steps ahead; each
/// thread fetches its vectors when its slot was taken last.
///
/// What is not yet done after a pass begins another one with c, which the first has kept, and x. The order of
/// operations is that of the portable kernel.
template <class Scalar, int n, class Storage, class Places, int vector_length, int internal_length>
struct CudaLineJacobi {
  using Shape = CudaLineJacobiShape<Scalar, n, vector_length>;
  using Memory = CudaLineJacobiMemory<Scalar, n, Storage, vector_length>;
  using Lanes = LineLanes<1, vector_length>;
  using Addresses = LineAddresses<Places, 1, vector_length>;

  LineLayoutRef<vector_length> m_layout;
  InterleavedRef<Storage, vector_length, line_jacobi_blocks * n * n> m_blocks;
  InterleavedRef<Scalar, vector_length, line_jacobi_vectors * n> m_vectors;
  LineUnknowns<const Scalar, Places> m_rhs;
  LineUnknowns<Scalar, Places> m_x;
  LineJacobiLimits<Scalar> m_limits;
  int m_iterations;  ///< of a pass, beside what it begins with
  int m_entries;     ///< of the ring

  __device__ void run(std::byte* shared) const {
    std::int64_t const pack = blockIdx.x;
    int const length = m_layout.length(pack);
    if (length == 0) return;
    Thread thread(pack, length, m_iterations + 1);
    Lanes const lanes(m_layout, pack, thread.lane);
    Addresses const addresses(m_x.m_places, m_layout, lanes);
    Memory const memory(shared, m_entries, thread.slots);
    memory.initialize();
    int done = 1, target = m_limits.next(1);
    for (Pass of{0, 0, false, true};; ++of.number) {
      of.iterations = min(m_iterations, target - done);
      done += of.iterations;
      of.looks = done == target && done < m_limits.m_max_iterations;
      cuda::fence_before_copies_of_results();
      __syncthreads();
      pass(thread, addresses, memory, of);
      if (done == m_limits.m_max_iterations) return;
      if (done < target) continue;
      target = m_limits.next(done);
      of.going_on = of.going_on && is_large(memory, thread.lane);
      if (__syncthreads_or(of.going_on) == 0) return;
      if (threadIdx.x < vector_length) *memory.squares_of_change(static_cast<int>(threadIdx.x)) = Scalar(0);
    }
  }

 private:
  struct Pass {
    int number;
    int iterations;
    bool looks;     ///< at the change in its last iteration
    bool going_on;  ///< the lane
    __device__ bool is_first() const { return number == 0; }
  };

  /// A thread and what it has of the step in its slot.
  struct Thread {
    std::int64_t pack;
    int length;
    int slots;
    int lane;
    int slot;
    Scalar lower[n * n];
    Scalar upper[n * n];
    Scalar start[n];
    Scalar sum[n];
    const std::byte* entry;

    /// Slots that are at work at the same time follow one another.
    __device__ Thread(std::int64_t of, int steps, int pairs)
        : pack(of), length(steps), slots(2 * pairs), lane(static_cast<int>(threadIdx.x) % vector_length) {
      int const place = static_cast<int>(threadIdx.x) / vector_length;
      slot = place < pairs ? 2 * place : 2 * (place - pairs) + 1;
    }
    __device__ int slot_before(int step) const { return step == 0 ? slots : slot == 0 ? slots - 1 : slot - 1; }
    __device__ int slot_after(int step) const { return step + 1 == length ? slots : slot == slots - 1 ? 0 : slot + 1; }
  };

  /// Whether the change of a line is too large that shares an internal vector with the lane.
  __device__ bool is_large(const Memory& memory, int lane) const {
    bool large = false;
    int const first = lane / internal_length * internal_length;
    for (int l = first; l < first + internal_length; ++l) {
      Scalar const limit = m_limits.m_tolerance * m_limits.m_tolerance * *memory.squares(l);
      large = large || *memory.squares_of_change(l) > limit;
    }
    return large;
  }

  __device__ __forceinline__ void pass(Thread& thread, const Addresses& addresses, const Memory& memory,
                                       const Pass& of) const {
    auto const first_number = std::int64_t{of.number} * thread.length;
    int entry = static_cast<int>(first_number % m_entries);
    auto const fill = [&](int step) {
      if (threadIdx.x != 0 || step >= thread.length) return;
      auto const item = m_layout.first_item(thread.pack) + step;
      memory.fill(entry, m_blocks.pack_data(item, 0), of.is_first() ? nullptr : m_vectors.pack_data(item, 0));
      if (++entry == m_entries) entry = 0;
    };
    for (int e = 0; e < m_entries; ++e) fill(e);
    fetch(thread, addresses, memory, of, thread.slot);
    int step = thread.slot;
    for (int time = -1; time < thread.length + 2 * of.iterations; ++time) {
      int const age = time - step;
      if (step < thread.length && age >= -1 && age <= 2 * of.iterations) {
        if (age == -1) {
          thread.entry = memory.entry(first_number + step);
          take_blocks(thread);
        } else if (age == 0) {
          begin(thread, addresses, memory, of, step);
        } else if (age % 2 != 0) {
#pragma unroll
          for (int c = 0; c < n; ++c) thread.sum[c] = thread.start[c];
          subtract(thread.lower, memory.z(age / 2, thread.slot_before(step), thread.lane), thread.sum);
        } else {
          subtract(thread.upper, memory.z(age / 2 - 1, thread.slot_after(step), thread.lane), thread.sum);
          end(thread, addresses, memory, of, step, age / 2);
        }
      }
      if (age == thread.slots - 2) step += thread.slots;
      __syncthreads();
      if (time >= 0) fill(time + m_entries);
    }
  }

  __device__ static void take_blocks(Thread& thread) {
    auto const* const stored = reinterpret_cast<const Storage*>(thread.entry) + thread.lane;
#pragma unroll
    for (int e = 0; e < n * n; ++e) {
      thread.lower[e] = static_cast<Scalar>(stored[e * vector_length]);
      thread.upper[e] = static_cast<Scalar>(stored[Memory::block_values + e * vector_length]);
    }
  }

  /// c and z of what a pass begins with.
  __device__ __forceinline__ void begin(Thread& thread, const Addresses& addresses, const Memory& memory,
                                        const Pass& of, int step) const {
    cuda::wait_for_async_copies();
    const Scalar* const ahead = memory.ahead(thread.slot, thread.lane);
    Scalar z[n];
    if (of.is_first()) {
      auto const* const inverse =
          reinterpret_cast<const Storage*>(thread.entry) + 2 * Memory::block_values + thread.lane;
#pragma unroll
      for (int r = 0; r < n; ++r) z[r] = Scalar(0);
#pragma unroll
      for (int c = 0; c < n; ++c) {
        Scalar const b = ahead[c * vector_length];
#pragma unroll
        for (int r = 0; r < n; ++r) z[r] = fma(static_cast<Scalar>(inverse[(c * n + r) * vector_length]), b, z[r]);
      }
      add_squares(z, *memory.squares(thread.lane));
      put(z, thread.start, 1);
      // Another pass may come.
      if (m_limits.m_max_iterations > m_iterations + 1) {
        put(z, m_vectors.pack_data(m_layout.first_item(thread.pack) + step, 0) + thread.lane, vector_length);
      }
    } else {
      auto const* const kept = reinterpret_cast<const Scalar*>(thread.entry + 2 * Memory::block_bytes) + thread.lane;
#pragma unroll
      for (int c = 0; c < n; ++c) {
        thread.start[c] = kept[c * vector_length];
        z[c] = ahead[c * vector_length];
      }
    }
    if (of.iterations == 0) {
      store(addresses, step, z);
    } else {
      put(z, memory.z(0, thread.slot, thread.lane), vector_length);
    }
    fetch(thread, addresses, memory, of, step + thread.slots);
  }

  /// z of an iteration is there.
  __device__ __forceinline__ void end(Thread& thread, const Addresses& addresses, const Memory& memory, const Pass& of,
                                      int step, int iteration) const {
    if (iteration < of.iterations) return put(thread.sum, memory.z(iteration, thread.slot, thread.lane), vector_length);
    if (of.looks) {
      const Scalar* const before = memory.z(iteration - 1, thread.slot, thread.lane);
      Scalar change[n];
#pragma unroll
      for (int c = 0; c < n; ++c) change[c] = thread.sum[c] - before[c * vector_length];
      add_squares(change, *memory.squares_of_change(thread.lane));
    }
    if (of.going_on) store(addresses, step, thread.sum);
  }

  /// Asks for the vector of a step, of b or in later passes of x: zeros where there is no point.
  __device__ __forceinline__ void fetch(const Thread& thread, const Addresses& addresses, const Memory& memory,
                                        const Pass& of, int step) const {
    if (step >= thread.length) return;
    auto const values = values_at(addresses, of.is_first() ? m_rhs.m_data : m_x.m_data, step);
    Scalar* const to = memory.ahead(thread.slot, thread.lane);
#pragma unroll
    for (int c = 0; c < n; ++c) {
      if (values.m_first[0] != nullptr) {
        cuda::copy_async(to + c * vector_length, values.m_first[0] + c * values.m_stride);
      } else {
        to[c * vector_length] = Scalar(0);
      }
    }
  }

  __device__ __forceinline__ void store(const Addresses& addresses, int step, const Scalar (&z)[n]) const {
    auto const values = values_at(addresses, m_x.m_data, step);
    if (values.m_first[0] != nullptr) put(z, values.m_first[0], values.m_stride);
  }

  /// The vector of the lane at a step, null where there is none.
  template <class Value>
  __device__ LaneValues<Value, 1> values_at(const Addresses& addresses, Value* data, int step) const {
    if (addresses.is_full(step)) return {{addresses.address(data, m_x.m_entries, m_x.m_first, step)}, Places::W};
    return addresses.lane_values(data, m_x.m_entries, m_x.m_first, step);
  }

  __device__ static void put(const Scalar (&z)[n], Scalar* to, int stride) {
#pragma unroll
    for (int c = 0; c < n; ++c) to[c * stride] = z[c];
  }
  __device__ static void add_squares(const Scalar (&values)[n], Scalar& sum) {
    Scalar total = sum;
#pragma unroll
    for (int c = 0; c < n; ++c) total = fma(values[c], values[c], total);
    sum = total;
  }
  /// sum -= A x.
  __device__ static void subtract(const Scalar (&a)[n * n], const Scalar* x, Scalar (&sum)[n]) {
#pragma unroll
    for (int c = 0; c < n; ++c) {
      Scalar const x_c = x[c * vector_length];
#pragma unroll
      for (int r = 0; r < n; ++r) sum[r] = fma(-a[c * n + r], x_c, sum[r]);
    }
  }
};

template <class Kernel>
__global__ void __launch_bounds__(Kernel::Shape::most_threads)
    cuda_line_jacobi_kernel(const __grid_constant__ Kernel kernel) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) std::byte cuda_line_memory[];
  kernel.run(cuda_line_memory);
#endif
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
