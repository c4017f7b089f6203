// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/packet.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>
#include <hyperplane/sweep/detail/slab_solve_cuda_transposed_row.hpp>

/// The warps of a row in sweeps with M^T, of which the blocks lie where values come from: a point whose unknowns are
/// known multiplies its own blocks, transposed, with them, and hands a vector on to each of three neighbours. So rings
/// and packets have these vectors, and each block is still read once, by the row that it belongs to.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The warp of a row that does the recursion along it.
template <class Layout>
class CudaSlabTransposedComputer {
  using Counts = typename Layout::Counts;
  using Lanes = typename Layout::Lanes;
  using Packet = typename Layout::Packet;
  using Shared = typename Layout::Shared;
  using Stamp = typename Layout::Stamp;
  using Step = typename Layout::Step;
  using Tile = typename Layout::Tile;
  using Scalar = typename Layout::Scalar;
  static constexpr int W = Layout::W;
  static constexpr int n = Layout::n;
  static constexpr int lanes = Layout::lanes;
  static constexpr int pitch = Layout::pitch;
  static constexpr int ring_slot = Layout::ring_slot;
  static constexpr int rows_per_thread = Layout::rows_per_thread;
  static constexpr int window = Layout::window;

 public:
  __device__ explicit CudaSlabTransposedComputer(const Layout& layout) : m_layout(layout) {}

  template <bool forward>
  __device__ void run(const Shared& s, const Tile& t, int tile_row, Stamp stamp, const Counts& counts) const {
    using Part = CudaSlabTransposedRow<Layout, forward>;
    using Values = typename Part::Values;
    Part part(m_layout, s, t, tile_row, counts.chunks);
    auto const& row = part.row();
    bool const has_bottom = row.layer > 0 || m_layout.has_layers_before(forward);
    bool const to_slab = t.slab + 1 < m_layout.map().slabs() && row.first_lane == W - lanes && row.has_row[0];
    const Scalar* const ring = s.rings + (tile_row + 1) * (window * ring_slot);
    const Scalar* const bottom_ring = s.rings + tile_row * (window * ring_slot) + (1 + row.first_lane) * pitch;
    const cuda::PhaseBarrier* const bottom_done = s.done + tile_row * window;
    cuda::PhaseBarrier* const own_done = s.done + (tile_row + 1) * window;
    const cuda::PhaseBarrier* const own_ready = s.ready + tile_row * window;
    cuda::PhaseBarrier* const known = s.known + tile_row * window;
    Packet* to_north = m_layout.south_packets(t.slab + 1, row.layer);

    Values along, across;  // from the step before: for the same lanes, and for the next ones
    Part::clear(along);
    Part::clear(across);
    for (int v = 0; v < row.all_steps; ++v) {
      part.await();
      typename Part::template Columns<2> columns;
      part.template load<2>(1, columns);
      Values sum;
      load_lanes(row, part.rhs(), sum);
      part.take_rhs_into_units(sum);
      if (has_bottom) {
        Step const step(counts.bottom + v);
        bottom_done[step.slot].wait(step.parity);
        subtract_slot(row, bottom_ring + step.slot * ring_slot, sum);
      }
      Step const step(counts.own + v);
      own_ready[step.slot].wait(step.parity);
      subtract_handed_on(row, ring + (step.slot + window - 1) % window * ring_slot, across, along, sum);
      Scalar* const unknowns = part.unknowns(step.slot);
      if constexpr (!forward) multiply_inverse(part, s, tile_row, sum);
      store<forward>(row, v, sum, unknowns);
      __syncwarp();
      known[step.slot].arrive();
      part.template multiply<2>(2, 1, columns, unknowns, along);
      part.template multiply<2>(1, 0, columns, unknowns, across);
      own_done[step.slot].arrive();
      if (to_slab && v >= W - 1) {
#pragma unroll
        for (int r = 0; r < rows_per_thread; ++r) {
          if (row.has_row[r]) Packet::store(to_north + row.rows[r], across[r][lanes - 1], stamp);
        }
        to_north += n;
      }
      part.advance();
    }
  }

 private:
  /// Lanes as they are in memory.
  template <class Row, class Values>
  __device__ static void load_lanes(const Row& row, const Scalar* from, Values& values) {
#pragma unroll
    for (int r = 0; r < rows_per_thread; ++r) {
      auto const stored = *reinterpret_cast<const Lanes*>(from + row.rows[r] * W);
#pragma unroll
      for (int m = 0; m < lanes; ++m) values[r][m] = stored.m_values[row.stored(m)];
    }
  }
  /// What a ring has.
  template <class Row, class Values>
  __device__ static void subtract_slot(const Row& row, const Scalar* slot, Values& values) {
#pragma unroll
    for (int r = 0; r < rows_per_thread; ++r) {
#pragma unroll
      for (int m = 0; m < lanes; ++m) values[r][m] -= slot[m * pitch + row.rows[r]];
    }
  }

  /// What the row itself hands on. `entering`: what enters lane 0, in the slot before.
  template <class Row, class Values>
  __device__ static void subtract_handed_on(const Row& row, const Scalar* entering, const Values& across,
                                            const Values& along, Values& sum) {
#pragma unroll
    for (int r = 0; r < rows_per_thread; ++r) {
      Scalar from = __shfl_up_sync(~0u, across[r][lanes - 1], 1);
      if (row.first_lane == 0) from = entering[row.rows[r]];
#pragma unroll
      for (int m = 0; m < lanes; ++m) {
        sum[r][m] = sum[r][m] - (m > 0 ? across[r][m > 0 ? m - 1 : 0] : from) - along[r][m];
      }
    }
  }

  /// sum = d^-T sum.
  template <class Part>
  __device__ static void multiply_inverse(const Part& part, const Shared& s, int tile_row, typename Part::Values& sum) {
    auto const& row = part.row();
    Scalar* const sums = s.sums + tile_row * (W * pitch) + row.first_lane;
    typename Part::template Columns<1> inverse;
    store_lanes(row, sum, sums);
    // Read while the sums are under way.
    part.template load<1>(3, inverse);
    __syncwarp();
    part.template multiply<1>(3, 0, inverse, sums, sum);
    __syncwarp();
  }

  /// Zeros where there is no point.
  template <bool forward, class Row, class Values>
  __device__ static void store(const Row& row, int step, Values& sum, Scalar* to) {
#pragma unroll
    for (int m = 0; m < lanes; ++m) {
      if (row.exists(step, m)) continue;
#pragma unroll
      for (int r = 0; r < rows_per_thread; ++r) sum[r][m] = 0;
    }
    store_lanes(row, sum, to);
  }
  template <class Row, class Values>
  __device__ static void store_lanes(const Row& row, const Values& values, Scalar* to) {
#pragma unroll
    for (int r = 0; r < rows_per_thread; ++r) {
      Lanes stored;
#pragma unroll
      for (int m = 0; m < lanes; ++m) stored.m_values[m] = values[r][m];
      if (!cuda_slab_columns_in_turns<Layout> || row.has_row[r])
        *reinterpret_cast<Lanes*>(to + row.rows[r] * W) = stored;
    }
  }

  const Layout& m_layout;
};

/// The warp of a row that multiplies for the layer above.
template <class Layout>
class CudaSlabRaiser {
  using Counts = typename Layout::Counts;
  using Packet = typename Layout::Packet;
  using Shared = typename Layout::Shared;
  using Stamp = typename Layout::Stamp;
  using Step = typename Layout::Step;
  using Tile = typename Layout::Tile;
  using Scalar = typename Layout::Scalar;
  static constexpr int W = Layout::W;
  static constexpr int n = Layout::n;
  static constexpr int lanes = Layout::lanes;
  static constexpr int pitch = Layout::pitch;
  static constexpr int ring_slot = Layout::ring_slot;
  static constexpr int rows_per_thread = Layout::rows_per_thread;
  static constexpr int window = Layout::window;

 public:
  __device__ explicit CudaSlabRaiser(const Layout& layout) : m_layout(layout) {}

  template <bool forward>
  __device__ void run(const Shared& s, const Tile& t, int tile_row, Stamp stamp, const Counts& counts) const {
    using Part = CudaSlabTransposedRow<Layout, forward>;
    Part part(m_layout, s, t, tile_row, counts.chunks);
    auto const& row = part.row();
    bool const last_row = tile_row + 1 == t.rows;
    bool const has_top = !last_row || t.to_block || t.to_packets;
    bool const to_packets = last_row && t.to_packets && row.has_row[0];
    bool const to_block = last_row && t.to_block && row.has_row[0];
    auto const next_rank = cuda::cluster_rank() + 1;
    Scalar* const ring = s.rings + (tile_row + 1) * (window * ring_slot) + (1 + row.first_lane) * pitch;
    Scalar* const remote_ring = s.rings + (1 + row.first_lane) * pitch;
    cuda::PhaseBarrier* const own_done = s.done + (tile_row + 1) * window;
    cuda::PhaseBarrier* const own_ready = s.ready + tile_row * window;
    const cuda::PhaseBarrier* const known = s.known + tile_row * window;
    Packet* to_top = (t.to_device ? m_layout.packets_of_slab(m_layout.packets_after(forward), t.slab)
                                  : m_layout.bottom_packets(t.slab, t.index_k + 1)) +
                     row.first_lane;

    for (int v = 0; v < min(window, row.all_steps); ++v) own_ready[(counts.own + v) % window].arrive();
    for (int v = 0; v < row.all_steps; ++v) {
      part.await();
      typename Part::template Columns<1> columns;
      if (has_top) part.template load<1>(0, columns);
      Step const step(counts.own + v);
      known[step.slot].wait(step.parity);
      typename Part::Values up;
      if (has_top) {
        part.template multiply<1>(0, 0, columns, part.unknowns(step.slot), up);
        store_slot(row, up, ring + step.slot * ring_slot);
      }
      __syncwarp();
      own_done[step.slot].arrive();
      // The unknowns of this step give way to those of a window later.
      if (v + window < row.all_steps) own_ready[step.slot].arrive();
      if (to_block) send_to_block(row, s, next_rank, remote_ring, (counts.remote + v) % window, up);
      if (to_packets) {
        send_packets(row, t.to_device, to_top, up, stamp);
        to_top += n * W;
      }
      part.advance();
    }
  }

 private:
  template <class Row, class Values>
  __device__ static void store_slot(const Row& row, const Values& up, Scalar* slot) {
#pragma unroll
    for (int r = 0; r < rows_per_thread; ++r) {
#pragma unroll
      for (int m = 0; m < lanes; ++m) {
        if (!cuda_slab_columns_in_turns<Layout> || row.has_row[r]) slot[m * pitch + row.rows[r]] = up[r][m];
      }
    }
  }
  /// Into ring 0 of the block after, whose barrier counts the bytes.
  template <class Row, class Values>
  __device__ static void send_to_block(const Row& row, const Shared& s, unsigned rank, Scalar* remote_ring,
                                       unsigned slot, const Values& up) {
#pragma unroll
    for (int r = 0; r < rows_per_thread; ++r) {
#pragma unroll
      for (int m = 0; m < lanes; ++m) {
        if (!row.has_row[r]) continue;
        s.done[slot].store_at(rank, remote_ring + slot * ring_slot + m * pitch + row.rows[r], up[r][m]);
      }
    }
  }
  template <class Row, class Values>
  __device__ static void send_packets(const Row& row, bool to_device, Packet* to, const Values& up, Stamp stamp) {
#pragma unroll
    for (int r = 0; r < rows_per_thread; ++r) {
#pragma unroll
      for (int m = 0; m < lanes; ++m) {
        if (!row.has_row[r]) continue;
        if (to_device) {
          Packet::store_between_devices(to + row.rows[r] * W + m, up[r][m], stamp);
        } else {
          Packet::store(to + row.rows[r] * W + m, up[r][m], stamp);
        }
      }
    }
  }

  const Layout& m_layout;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
