// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_lanes.hpp>
#include <hyperplane/line/detail/line_factors.hpp>

#include <cstddef>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The factors of a pack of lines, block after block as a solve takes them: bulk copies bring them to shared memory
/// some steps ahead, for both sweeps without a gap between them. With M^T each sweep takes the stream of the plain
/// sweep that goes the other way, from its end.
template <int n, class Storage, int vector_length, bool transposed>
class CudaLineStream {
 public:
  static constexpr int block_values = n * n * vector_length;
  static constexpr int block_bytes = block_values * static_cast<int>(sizeof(Storage));
  /// Small blocks are copied several at a time.
  static constexpr int entry_blocks = block_bytes >= 2048 ? 1 : 2048 / block_bytes;
  static constexpr std::size_t entry_bytes = std::size_t(entry_blocks) * block_bytes;

  __device__ CudaLineStream(const LineFactors<Storage, n, vector_length>& factors, std::int64_t pack, int length,
                            std::byte* entries, cuda::PhaseBarrier* arrived, int count)
      : m_ring(entries, arrived, count, static_cast<std::uint32_t>(entry_bytes)),
        m_lower(reinterpret_cast<const std::byte*>(factors.lower(pack, 0, LineFactor::lower))),
        m_upper(reinterpret_cast<const std::byte*>(factors.upper(pack, length - 1))),
        m_up_blocks(transposed ? length : line_lower_blocks * length),
        m_down_blocks(transposed ? line_lower_blocks * length : length),
        m_fills(threadIdx.x == 0),
        m_policy(cuda::evict_first_policy()),
        m_left(m_up_blocks) {}

  /// Before a barrier of the block.
  __device__ void begin() {
    if (!m_fills) return;
    m_ring.initialize();
    for (int e = 0; e < m_ring.count(); ++e) fill();
  }

  /// Waits for the next block.
  __device__ const Storage* block() {
    if (m_in_entry == 0) m_entry = m_ring.next();
    int const position = transposed ? min(entry_blocks, m_left) - 1 - m_in_entry : m_in_entry;
    return reinterpret_cast<const Storage*>(m_entry) + position * block_values;
  }
  /// After a barrier that all threads reach when they have used the block. `last`: of the sweep upwards.
  __device__ void advance(bool last) {
    if (++m_in_entry < entry_blocks && !last) return;
    m_in_entry = 0;
    m_left = last ? m_down_blocks : m_left - entry_blocks;
    fill();
  }

 private:
  __device__ void fill() {
    int const up_entries = (m_up_blocks + entry_blocks - 1) / entry_blocks;
    bool const up = m_filled < up_entries;
    int const all = up ? m_up_blocks : m_down_blocks;
    int const before = (up ? m_filled : m_filled - up_entries) * entry_blocks;
    if (!m_fills || before >= all) return;
    int const count = min(entry_blocks, all - before);
    auto const bytes = static_cast<std::uint32_t>(count * block_bytes);
    auto const* const from = up != transposed ? m_lower : m_upper;
    m_ring.fill(bytes).copy(0, from + std::size_t(transposed ? all - before - count : before) * block_bytes, bytes,
                            m_policy);
    ++m_filled;
  }

  CudaLineRing m_ring;
  const std::byte* m_lower;
  const std::byte* m_upper;
  int m_up_blocks;
  int m_down_blocks;
  bool m_fills;
  std::uint64_t m_policy;
  int m_left;  ///< blocks of the sweep, from this entry on
  const std::byte* m_entry = nullptr;
  int m_in_entry = 0;
  int m_filled = 0;  ///< entries
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
