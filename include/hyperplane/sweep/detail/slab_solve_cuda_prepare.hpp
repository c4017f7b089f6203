// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>
#include <hyperplane/sweep/detail/slab_solve_cuda_units.hpp>

#include <cstddef>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The warp of a row that computes what does not depend on the step before: right-hand side less the bottom product.
template <class Layout>
class CudaSlabPreparer {
  using Counts = typename Layout::Counts;
  using Lanes = typename Layout::Lanes;
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
  static constexpr std::size_t factor_bytes = Layout::factor_bytes;
  static constexpr int lanes = Layout::lanes;
  static constexpr int pitch = Layout::pitch;
  static constexpr bool preload = Layout::preload;
  static constexpr int ring_slot = Layout::ring_slot;
  static constexpr int rows_per_thread = Layout::rows_per_thread;
  static constexpr std::size_t stage_bytes = Layout::stage_bytes;
  static constexpr int vector_pack = Layout::vector_pack;
  static constexpr int window = Layout::window;

 public:
  __device__ explicit CudaSlabPreparer(const Layout& layout) : m_layout(layout) {}

  template <bool forward>
  __device__ void run(const Shared& s, const Tile& t, int tile_row, Stamp, const Counts& counts) const {
    Row<forward> const row(m_layout, t, tile_row);
    CudaSlabUnits<Layout, forward> const units(m_layout, row);
    int const all_steps = row.all_steps;
    int const stages = m_layout.m_shape.stages;
    bool const has_bottom = row.layer > 0 || m_layout.has_layers_before(forward);
    const std::byte* const my_stages = s.stages + std::size_t(tile_row) * stages * stage_bytes;
    const cuda::PhaseBarrier* const arrived = s.arrived + tile_row * stages;
    const Scalar* const bottom_ring = s.rings + tile_row * (window * ring_slot) + (1 + row.first_lane) * pitch;
    const cuda::PhaseBarrier* const bottom_done = s.done + tile_row * window;
    const cuda::PhaseBarrier* const own_done = bottom_done + window;
    Scalar* const prepared = s.prepared + tile_row * (window * vector_pack) + row.first_lane;

    int stage = counts.chunks % stages;
    unsigned parity = counts.chunks / stages & 1;
    int in_chunk = 0;
    int number = 0;
    for (int v = 0; v < all_steps; ++v) {
      if (in_chunk == 0) arrived[stage].wait(parity);
      int const packs = row.packs_of(number);
      const Storage* const factors = Layout::factors_of(my_stages + stage * stage_bytes, in_chunk, packs, row);
      auto const* const rhs = reinterpret_cast<const Scalar*>(my_stages + stage * stage_bytes + chunk * factor_bytes) +
                              (forward ? in_chunk : packs - 1 - in_chunk) * vector_pack + row.stored_lane;
      Scalar sum[rows_per_thread][lanes];
#pragma unroll
      for (int r = 0; r < rows_per_thread; ++r) {
        auto const values = *reinterpret_cast<const Lanes*>(rhs + row.rows[r] * W);
#pragma unroll
        for (int m = 0; m < lanes; ++m) sum[r][m] = values.m_values[row.stored(m)];
      }
      units.enter(row, my_stages + stage * stage_bytes, in_chunk, packs, sum);
      if (has_bottom) {
        Step const step(counts.bottom + v);
        StoredLanes a[preload ? n : 1][rows_per_thread];
        if constexpr (preload) {
#pragma unroll
          for (int c = 0; c < n; ++c) Layout::load_column(factors, 0, c, row, a[c]);
        }
        bottom_done[step.slot].wait(step.parity);
        const Scalar* const below = bottom_ring + step.slot * ring_slot;
#pragma unroll
        for (int c = 0; c < n; c += 2) {
          Pair pairs[lanes];
#pragma unroll
          for (int m = 0; m < lanes; ++m) pairs[m] = *reinterpret_cast<const Pair*>(below + m * pitch + c);
#pragma unroll
          for (int d = 0; d < 2 && c + d < n; ++d) {
            if constexpr (!preload) Layout::load_column(factors, 0, c + d, row, a[0]);
            Scalar value[lanes];
#pragma unroll
            for (int m = 0; m < lanes; ++m) value[m] = pairs[m].m_values[d];
            Layout::subtract(sum, a[preload ? c + d : 0], value, forward);
          }
        }
      }
      // The step of a window ago has used its sums.
      if (v >= window) Layout::wait(own_done, counts.own + v - window);
      unsigned const slot = (counts.own + v) % window;
#pragma unroll
      for (int r = 0; r < rows_per_thread; ++r) {
        Lanes values;
#pragma unroll
        for (int m = 0; m < lanes; ++m) values.m_values[m] = sum[r][m];
        *reinterpret_cast<Lanes*>(prepared + slot * vector_pack + row.rows[r] * W) = values;
      }
      s.ready[tile_row * window + slot].arrive();
      if (++in_chunk == packs) {
        in_chunk = 0;
        ++number;
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
