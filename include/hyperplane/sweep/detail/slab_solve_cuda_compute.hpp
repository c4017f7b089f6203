// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/packet.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>

#include <cstddef>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The warp of a row that does the recursion along it.
template <class Layout>
class CudaSlabComputer {
  using Counts = typename Layout::Counts;
  using Lanes = typename Layout::Lanes;
  using Packet = typename Layout::Packet;
  using Pair = typename Layout::Pair;
  using Shared = typename Layout::Shared;
  using Stamp = typename Layout::Stamp;
  using Step = typename Layout::Step;
  using StoredLanes = typename Layout::StoredLanes;
  using Tile = typename Layout::Tile;
  using Scalar = typename Layout::Scalar;
  using Storage = typename Layout::Storage;
  template <bool forward>
  using Row = typename Layout::template Row<forward>;
  static constexpr int W = Layout::W;
  static constexpr int n = Layout::n;
  static constexpr int chunk = Layout::chunk;
  static constexpr int lanes = Layout::lanes;
  static constexpr int pitch = Layout::pitch;
  static constexpr bool preload = Layout::preload;
  static constexpr int ring_slot = Layout::ring_slot;
  static constexpr int rows_per_thread = Layout::rows_per_thread;
  static constexpr std::size_t stage_bytes = Layout::stage_bytes;
  static constexpr int vector_pack = Layout::vector_pack;
  static constexpr int window = Layout::window;

 public:
  __device__ explicit CudaSlabComputer(const Layout& layout) : m_layout(layout) {}

  template <bool forward>
  __device__ void run(const Shared& s, const Tile& t, int tile_row, Stamp stamp, const Counts& counts) const {
    Row<forward> const row(m_layout, t, tile_row);
    int const all_steps = row.all_steps;
    int const stages = m_layout.m_shape.stages;
    bool const last_row = tile_row + 1 == t.rows;
    bool const to_slab = t.slab + 1 < m_layout.map().slabs() && row.first_lane == W - lanes && row.has_row[0];
    bool const to_packets = last_row && t.to_packets && row.has_row[0];
    bool const to_block = last_row && t.to_block && row.has_row[0];
    auto const next_rank = cuda::cluster_rank() + 1;
    const std::byte* const my_stages = s.stages + std::size_t(tile_row) * stages * stage_bytes;
    cuda::PhaseBarrier* const arrived = s.arrived + tile_row * stages;
    cuda::PhaseBarrier* const own_done = s.done + (tile_row + 1) * window;
    const cuda::PhaseBarrier* const own_ready = s.ready + tile_row * window;
    // Slots from the thread's lanes on.
    Scalar* const ring = s.rings + (tile_row + 1) * (window * ring_slot) + row.first_lane * pitch;
    Scalar* const remote_ring = s.rings + (1 + row.first_lane) * pitch;
    Scalar* const sums = s.sums + tile_row * (W * pitch) + row.first_lane * pitch;
    const Scalar* const prepared = s.prepared + tile_row * (window * vector_pack) + row.first_lane;
    Packet* to_north = m_layout.south_packets(t.slab + 1, row.layer);
    Packet* to_top = (t.to_device ? m_layout.packets_of_slab(m_layout.packets_after(forward), t.slab)
                                  : m_layout.bottom_packets(t.slab, t.index_k + 1)) +
                     row.first_lane;

    int stage = counts.chunks % stages;
    unsigned parity = counts.chunks / stages & 1;
    int in_chunk = 0;
    const Scalar* before = ring + (counts.own + window - 1) % window * ring_slot;
    for (int v = 0; v < all_steps; ++v) {
      if (in_chunk == 0) arrived[stage].wait(parity);
      const Storage* const factors = Layout::factors_of(my_stages + stage * stage_bytes, in_chunk, chunk, row);
      StoredLanes a[preload ? 2 * n : 1][rows_per_thread];
      if constexpr (preload) {
#pragma unroll
        for (int e = 0; e < 2 * n; ++e) Layout::load_column(factors, 1 + e / n, e % n, row, a[e]);
      }
      Step const step(counts.own + v);
      own_ready[step.slot].wait(step.parity);
      Scalar sum[rows_per_thread][lanes];
#pragma unroll
      for (int r = 0; r < rows_per_thread; ++r) {
        auto const values = *reinterpret_cast<const Lanes*>(prepared + step.slot * vector_pack + row.rows[r] * W);
#pragma unroll
        for (int m = 0; m < lanes; ++m) sum[r][m] = values.m_values[m];
      }
#pragma unroll
      for (int block = 1; block <= 2; ++block) {
        // South: the lane before; west: the same lane. A slot begins with the lane before lane 0.
#pragma unroll
        for (int c = 0; c < n; c += 2) {
          Pair pairs[lanes];
#pragma unroll
          for (int m = 0; m < lanes; ++m) {
            pairs[m] = *reinterpret_cast<const Pair*>(before + (block - 1 + m) * pitch + c);
          }
#pragma unroll
          for (int d = 0; d < 2 && c + d < n; ++d) {
            if constexpr (!preload) Layout::load_column(factors, block, c + d, row, a[0]);
            Scalar value[lanes];
#pragma unroll
            for (int m = 0; m < lanes; ++m) value[m] = pairs[m].m_values[d];
            Layout::subtract(sum, a[preload ? (block - 1) * n + c + d : 0], value, forward);
          }
        }
      }
      if constexpr (forward) {
#pragma unroll
        for (int r = 0; r < rows_per_thread; ++r) {
#pragma unroll
          for (int m = 0; m < lanes; ++m) {
            sums[m * pitch + row.rows[r]] = sum[r][m];
            sum[r][m] = 0;
          }
        }
        // Read while the sums are under way.
        if constexpr (preload) {
#pragma unroll
          for (int c = 0; c < n; ++c) Layout::load_column(factors, 3, c, row, a[c]);
        }
        __syncwarp();
#pragma unroll
        for (int c = 0; c < n; c += 2) {
          Pair pairs[lanes];
#pragma unroll
          for (int m = 0; m < lanes; ++m) pairs[m] = *reinterpret_cast<const Pair*>(sums + m * pitch + c);
#pragma unroll
          for (int d = 0; d < 2 && c + d < n; ++d) {
            if constexpr (!preload) Layout::load_column(factors, 3, c + d, row, a[0]);
#pragma unroll
            for (int r = 0; r < rows_per_thread; ++r) {
#pragma unroll
              for (int m = 0; m < lanes; ++m) {
                sum[r][m] +=
                    static_cast<Scalar>(a[preload ? c + d : 0][r].m_values[row.stored(m)]) * pairs[m].m_values[d];
              }
            }
          }
        }
      }
      Scalar* const here = ring + step.slot * ring_slot;
#pragma unroll
      for (int m = 0; m < lanes; ++m) {
        bool const exists = row.exists(v, m);
#pragma unroll
        for (int r = 0; r < rows_per_thread; ++r) {
          if (!exists) sum[r][m] = 0;
          here[(1 + m) * pitch + row.rows[r]] = sum[r][m];
        }
      }
      before = here;
      __syncwarp();
      own_done[step.slot].arrive();
      if (to_block) {
        // Into ring 0 of the block after, whose barrier counts the bytes.
        unsigned const slot = (counts.remote + v) % window;
#pragma unroll
        for (int r = 0; r < rows_per_thread; ++r) {
#pragma unroll
          for (int m = 0; m < lanes; ++m) {
            if (row.has_row[r]) {
              s.done[slot].store_at(next_rank, remote_ring + slot * ring_slot + m * pitch + row.rows[r], sum[r][m]);
            }
          }
        }
      }
      if (to_slab && v >= W - 1) {
#pragma unroll
        for (int r = 0; r < rows_per_thread; ++r) {
          if (row.has_row[r]) Packet::store(to_north + row.rows[r], sum[r][lanes - 1], stamp);
        }
        to_north += n;
      }
      if (to_packets) {
#pragma unroll
        for (int r = 0; r < rows_per_thread; ++r) {
#pragma unroll
          for (int m = 0; m < lanes; ++m) {
            if (!row.has_row[r]) continue;
            if (t.to_device) {
              Packet::store_between_devices(to_top + row.rows[r] * W + m, sum[r][m], stamp);
            } else {
              Packet::store(to_top + row.rows[r] * W + m, sum[r][m], stamp);
            }
          }
        }
        to_top += n * W;
      }
      if (chunk == 1 || ++in_chunk == chunk) {
        in_chunk = 0;
        if (++stage == stages) {
          stage = 0;
          parity ^= 1;
        }
      }
    }
  }

 private:
  const Layout& m_layout;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
