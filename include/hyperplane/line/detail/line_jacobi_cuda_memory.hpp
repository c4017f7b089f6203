// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>

#include <cstddef>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// How many iterations a block of threads makes in one pass over the blocks of a pack of lines.
template <class Scalar, int n, int vector_length>
struct CudaLineJacobiShape {
  static constexpr int threads_of_iteration = 2 * vector_length;
  static constexpr int iterations(int threads) { return threads / threads_of_iteration - 1; }
  static constexpr int threads(int iterations) { return (iterations + 1) * threads_of_iteration; }

  /// Of a thread: two blocks and four vectors, and what it computes addresses with.
  static constexpr int registers = (2 * n * n + 4 * n) * static_cast<int>(sizeof(Scalar) / 4) + 28;
  static constexpr bool fits = registers <= 232;
  /// Threads that a multiprocessor has registers for: each of its quarters has 512 for each thread of a warp.
  static constexpr int register_threads = 4 * 32 * (512 / ((registers + 7) / 8 * 8));
  static constexpr int most_iterations = iterations(register_threads < 512 ? register_threads : 512);
  static constexpr int most_threads = threads(most_iterations);
};

/// Shared memory of a block of threads: a ring of entries with the blocks of a step, which bulk copies fill ahead; z of
/// the last two iterations of each slot, and zeros beside them; vectors of each slot that have been fetched ahead; and
/// sums of squares of each lane, those of D^-1 b and of the change.
template <class Scalar, int n, class Storage, int vector_length>
struct CudaLineJacobiMemory {
  static constexpr int block_values = n * n * vector_length;
  static constexpr int vector_values = n * vector_length;
  static constexpr std::size_t block_bytes = block_values * sizeof(Storage);
  static constexpr std::size_t vector_bytes = vector_values * sizeof(Scalar);
  /// D^-1 L, D^-1 U, and D^-1 or c.
  static constexpr std::size_t entry_bytes =
      2 * block_bytes + (block_bytes > vector_bytes ? block_bytes : vector_bytes);
  static constexpr std::size_t ring_bytes = entry_bytes + sizeof(cuda::PhaseBarrier);

  /// All but `ring_bytes` for each entry.
  static constexpr std::size_t fixed_bytes(int iterations) {
    auto const slots = 2 * static_cast<std::size_t>(iterations + 1);
    return (2 * (slots + 1) + slots) * vector_bytes + 2 * vector_length * sizeof(Scalar);
  }

  std::byte* m_entries;
  int m_count;
  int m_slots;
  Scalar* m_exchanged;
  Scalar* m_ahead;
  Scalar* m_squares;
  cuda::PhaseBarrier* m_arrived;

  __device__ CudaLineJacobiMemory(std::byte* shared, int entries, int slots)
      : m_entries(shared),
        m_count(entries),
        m_slots(slots),
        m_exchanged(reinterpret_cast<Scalar*>(shared + entries * entry_bytes)),
        m_ahead(m_exchanged + 2 * (slots + 1) * vector_values),
        m_squares(m_ahead + slots * vector_values),
        m_arrived(reinterpret_cast<cuda::PhaseBarrier*>(m_squares + 2 * vector_length)) {}

  /// By all threads, before a barrier.
  __device__ void initialize() const {
    auto const thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    for (int v = thread; v < vector_values; v += threads) *z(0, m_slots, v) = *z(1, m_slots, v) = Scalar(0);
    for (int v = thread; v < 2 * vector_length; v += threads) m_squares[v] = Scalar(0);
    if (thread != 0) return;
    for (int e = 0; e < m_count; ++e) m_arrived[e].initialize(1);
    cuda::PhaseBarrier::fence_initialized();
  }

  /// z of an iteration in a slot; zeros in the slot after the last one.
  __device__ Scalar* z(int iteration, int slot, int lane) const {
    return m_exchanged + (iteration % 2 * (m_slots + 1) + slot) * vector_values + lane;
  }
  __device__ Scalar* ahead(int slot, int lane) const { return m_ahead + slot * vector_values + lane; }
  __device__ Scalar* squares(int lane) const { return m_squares + lane; }
  __device__ Scalar* squares_of_change(int lane) const { return m_squares + vector_length + lane; }

  /// Waits for the entry with this number, counted from the first one on.
  __device__ const std::byte* entry(std::int64_t number) const {
    auto const index = static_cast<int>(number % m_count);
    m_arrived[index].wait(static_cast<std::uint32_t>(number / m_count % 2));
    return m_entries + index * entry_bytes;
  }
  /// Asks for one, by one thread: for three blocks, or for two of them and a vector.
  __device__ void fill(int index, const Storage* blocks, const Scalar* vector) const {
    auto* const to = m_entries + index * entry_bytes;
    auto const policy = cuda::evict_first_policy();
    auto const bytes = static_cast<std::uint32_t>((vector == nullptr ? 3 : 2) * block_bytes);
    auto const more = static_cast<std::uint32_t>(vector == nullptr ? 0 : vector_bytes);
    m_arrived[index].expect(bytes + more);
    m_arrived[index].copy(to, blocks, bytes, policy);
    if (more != 0) m_arrived[index].copy(to + bytes, vector, more, policy);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
