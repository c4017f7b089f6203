// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>
#include <hyperplane/cuda/vector.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_shape.hpp>
#include <hyperplane/line/detail/line_factors.hpp>
#include <hyperplane/line/line_layout_ref.hpp>

#include <cstddef>
#include <cstdint>

/// What the kernels of LinePath::staged share. A block of threads has a pack of lines; in a solve a thread has a row of
/// its points' blocks in the lanes of an internal vector: neighbouring threads have neighbouring lanes, then rows, so
/// that a warp's accesses to shared memory do not conflict.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

constexpr int cuda_round_up(int value, int multiple) { return (value + multiple - 1) / multiple * multiple; }

/// The thread's row and lanes, and in which steps they have points.
template <int n, int vector_length, int lanes>
struct CudaLineThread {
  static constexpr int groups = vector_length / lanes;
  static constexpr int threads = cuda_round_up(n * groups, 32);

  bool active;  ///< threads beyond the last row wait with the others, and repeat it
  int row;
  int first_lane;
  int begins[lanes];
  int ends[lanes];

  __device__ CudaLineThread(const LineLayoutRef<vector_length>& layout, std::int64_t pack)
      : active(static_cast<int>(threadIdx.x) < n * groups),
        row(active ? static_cast<int>(threadIdx.x) / groups : n - 1),
        first_lane(static_cast<int>(threadIdx.x) % groups * lanes) {
#pragma unroll
    for (int l = 0; l < lanes; ++l) {
      begins[l] = layout.begin(pack, first_lane + l);
      ends[l] = layout.end(pack, first_lane + l);
    }
  }

  __device__ bool exists(int l, int step) const { return step >= begins[l] && step < ends[l]; }
};

/// A barrier of the block's threads.
template <int threads>
__device__ void cuda_line_sync() {
  if constexpr (threads == 32) {
    __syncwarp();
  } else {
    __syncthreads();
  }
}

/// Loads and stores the thread's unknown of its lanes, in global memory; zero where there is no point.
template <class Scalar, class Places, int vector_length, int lanes>
class CudaLineAccess;

template <class Scalar, int W, int vector_length, int lanes>
class CudaLineAccess<Scalar, StridedPlaces<W>, vector_length, lanes> {
  using Values = cuda::Vector<Scalar, lanes>;

 public:
  template <class Thread>
  __device__ CudaLineAccess(const StridedPlaces<W>& places, const LineLayoutRef<vector_length>&, std::int64_t pack,
                            const Thread& thread, int entries, int entry)
      : m_offset(0), m_stride(places.m_stride * entries * W) {
    auto const unit = pack * (vector_length / W) + thread.first_lane / W;
    m_offset = (places.m_bases[unit] * entries + entry) * W + thread.first_lane % W;
    m_full_begin = places.m_full_begins[unit];
    m_full_end = places.m_full_ends[unit];
  }

  template <class Thread>
  __device__ Values load(const Scalar* data, const Thread& thread, int step) const {
    auto const* const from = data + m_offset + step * m_stride;
    if (step >= m_full_begin && step < m_full_end) return *reinterpret_cast<const Values*>(from);
    Values values;
#pragma unroll
    for (int l = 0; l < lanes; ++l) values.m_values[l] = thread.exists(l, step) ? from[l] : Scalar(0);
    return values;
  }
  template <class Thread>
  __device__ void store(Scalar* data, const Thread& thread, int step, const Values& values) const {
    auto* const to = data + m_offset + step * m_stride;
    if (step >= m_full_begin && step < m_full_end) {
      *reinterpret_cast<Values*>(to) = values;
      return;
    }
#pragma unroll
    for (int l = 0; l < lanes; ++l) {
      if (thread.exists(l, step)) to[l] = values.m_values[l];
    }
  }

 private:
  std::int64_t m_offset;
  std::int64_t m_stride;
  int m_full_begin;
  int m_full_end;
};

template <class Scalar, int vector_length, int lanes>
class CudaLineAccess<Scalar, GatheredPlaces, vector_length, lanes> {
  using Values = cuda::Vector<Scalar, lanes>;

 public:
  template <class Thread>
  __device__ CudaLineAccess(const GatheredPlaces& places, const LineLayoutRef<vector_length>& layout, std::int64_t pack,
                            const Thread& thread, int entries, int entry)
      : m_slots(places.m_slots + layout.first_item(pack) * vector_length + thread.first_lane),
        m_shift(places.m_shift),
        m_entries(entries),
        m_entry(entry) {}

  template <class Thread>
  __device__ Values load(const Scalar* data, const Thread&, int step) const {
    Values values;
#pragma unroll
    for (int l = 0; l < lanes; ++l) {
      int const slot = m_slots[std::int64_t{step} * vector_length + l];
      values.m_values[l] = slot >= 0 ? data[offset(slot)] : Scalar(0);
    }
    return values;
  }
  template <class Thread>
  __device__ void store(Scalar* data, const Thread&, int step, const Values& values) const {
#pragma unroll
    for (int l = 0; l < lanes; ++l) {
      int const slot = m_slots[std::int64_t{step} * vector_length + l];
      if (slot >= 0) data[offset(slot)] = values.m_values[l];
    }
  }

 private:
  __device__ std::int64_t offset(int slot) const {
    int const width = 1 << m_shift;
    return (std::int64_t{slot >> m_shift} * m_entries + m_entry) * width + (slot & (width - 1));
  }

  const int* m_slots;
  int m_shift;
  int m_entries;
  int m_entry;
};

/// A ring of entries in shared memory that bulk copies fill ahead. One thread fills; all wait for an entry; an entry is
/// filled again after a barrier that follows its last use.
class CudaLineRing {
 public:
  __device__ CudaLineRing(std::byte* entries, cuda::PhaseBarrier* arrived, int count, std::uint32_t entry_bytes)
      : m_entries(entries), m_arrived(arrived), m_count(count), m_entry_bytes(entry_bytes) {}

  /// By one thread, before a barrier of the block.
  __device__ void initialize() {
    for (int e = 0; e < m_count; ++e) m_arrived[e].initialize(1);
    cuda::PhaseBarrier::fence_initialized();
  }

  __device__ int count() const { return m_count; }

  /// The entry to fill next, in which `bytes` will arrive by copies that are counted by the barrier.
  struct Place {
    std::byte* m_to;
    cuda::PhaseBarrier* m_arrived;
    __device__ void copy(std::size_t offset, const void* from, std::uint32_t bytes, std::uint64_t policy) const {
      m_arrived->copy(m_to + offset, from, bytes, policy);
    }
  };
  __device__ Place fill(std::uint32_t bytes) {
    Place const place{m_entries + std::size_t(m_fill) * m_entry_bytes, m_arrived + m_fill};
    place.m_arrived->expect(bytes);
    if (++m_fill == m_count) m_fill = 0;
    return place;
  }

  /// Waits for the next entry.
  __device__ const std::byte* next() {
    m_arrived[m_use].wait(m_parity);
    auto const* const entry = m_entries + std::size_t(m_use) * m_entry_bytes;
    if (++m_use == m_count) {
      m_use = 0;
      m_parity ^= 1;
    }
    return entry;
  }

 private:
  std::byte* m_entries;
  cuda::PhaseBarrier* m_arrived;
  int m_count;
  std::uint32_t m_entry_bytes;
  int m_fill = 0;
  int m_use = 0;
  unsigned m_parity = 0;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
