// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>
#include <hyperplane/cuda/progress.hpp>
#include <hyperplane/cuda/warp_copies.hpp>
#include <hyperplane/sweep/detail/slab_solve_cuda_units.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstddef>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The warp of a row that keeps its copies going and writes its results to memory.
template <class Layout>
class CudaSlabMover {
  using Counts = typename Layout::Counts;
  using Lanes = typename Layout::Lanes;
  using Shared = typename Layout::Shared;
  using Step = typename Layout::Step;
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
  static constexpr int ring_slot = Layout::ring_slot;
  static constexpr int rows_per_thread = Layout::rows_per_thread;
  static constexpr std::size_t stage_bytes = Layout::stage_bytes;
  static constexpr bool transposed = Layout::transposed;
  static constexpr std::size_t vector_bytes = Layout::vector_bytes;
  static constexpr int vector_pack = Layout::vector_pack;
  static constexpr int warp = Layout::warp;
  static constexpr int window = Layout::window;

 public:
  using Vectors = typename Layout::Vectors;

  __device__ CudaSlabMover(const Layout& layout, const Vectors& vectors) : m_layout(layout), m_vectors(vectors) {}

  /// `after_forward`: the right-hand side is what the forward sweep of this launch computes.
  template <bool forward>
  __device__ void run(const Shared& s, const Tile& t, int tile_row, const Counts& counts, bool after_forward) const {
    Row<forward> const row(m_layout, t, tile_row);
    cuda::WarpCopies const copies;
    using Units = CudaSlabUnits<Layout, forward>;
    Units const units(m_layout, row);
    int const lane = threadIdx.x % warp;
    int const all_steps = row.all_steps;
    int const stages = m_layout.m_shape.stages;
    std::byte* const my_stages = s.stages + std::size_t(tile_row) * stages * stage_bytes;
    cuda::PhaseBarrier* const arrived = s.arrived + tile_row * stages;
    Scalar* const ring = s.rings + (tile_row + 1) * (window * ring_slot);
    cuda::PhaseBarrier* const own_done = s.done + (tile_row + 1) * window;
    cuda::PhaseBarrier* const own_ready = s.ready + tile_row * window;
    // The slot before the first one holds the last step before, in which lane 0 had no point: zeros, as is right.
    if (t.slab == 0) {
      for (int e = lane; e < window * n; e += warp) ring[e / n * ring_slot + e % n] = 0;
      __syncwarp();
    }
    unsigned const own_arrivals = 1 + (t.slab == 0) + (tile_row + 1 == t.rows && !t.to_block);
    /// Lets step v begin, as far as it depends on what this warp knows.
    auto const admit = [&](int v) {
      if (v >= all_steps) return;
      own_ready[(counts.own + v) % window].arrive(own_arrivals);
      if (tile_row > 0) (own_ready - window)[(counts.bottom + v) % window].arrive();
    };
    for (int v = 0; v < window; ++v) admit(v);

    // Copies run along memory: those of factors at rising addresses in both sweeps, with M^T at falling ones in both,
    // those of vectors up or down.
    constexpr std::size_t pack_bytes = std::size_t{Layout::template blocks<forward> * n * n * W} * sizeof(Storage);
    constexpr std::size_t equation_bytes =
        Units::rhs_of_equations || Units::results_of_equations ? Layout::Stage::equation_bytes : 0;
    std::int64_t const first_pack = m_layout.m_first_pack + row.pack(0);
    auto const policy = m_layout.m_keep_factors ? cuda::evict_normal_policy() : cuda::evict_first_policy();
    auto const* next_factors = reinterpret_cast<const std::byte*>(
        forward != transposed ? m_layout.m_factors.lower(row.pack(0), LowerBlock::bottom)
                              : m_layout.m_factors.upper(row.pack(0), UpperBlock::top));
    auto const* next_rhs =
        reinterpret_cast<const std::byte*>((forward ? m_vectors.rhs : m_vectors.y).pack_data(first_pack));
    int next_step = 0;
    int next_stage = counts.chunks % stages;
    auto const next_packs = [&] { return chunk == 1 ? 1 : min(chunk, all_steps - next_step); };
    auto const copy_factors = [&] {
      auto const packs = static_cast<std::uint32_t>(next_packs());
      copies.begin(arrived[next_stage], packs * static_cast<std::uint32_t>(pack_bytes + vector_bytes + equation_bytes));
      copies.copy(arrived[next_stage], my_stages + next_stage * stage_bytes,
                  transposed ? next_factors - (packs - 1) * pack_bytes : next_factors,
                  packs * static_cast<std::uint32_t>(pack_bytes), policy);
      if constexpr (equation_bytes > 0) {
        // Those of factors and of these rise and fall together.
        std::int64_t const pack = row.pack(0) + (transposed ? -(next_step + std::int64_t{packs} - 1) : next_step);
        copies.copy(arrived[next_stage], my_stages + next_stage * stage_bytes + Layout::Stage::equations,
                    m_layout.m_factors.m_scales.equation(pack, 0), packs * static_cast<std::uint32_t>(equation_bytes),
                    policy);
      }
      next_factors = transposed ? next_factors - chunk * pack_bytes : next_factors + chunk * pack_bytes;
    };
    auto const copy_rhs = [&] {
      auto const packs = static_cast<std::uint32_t>(next_packs());
      auto const* const from = forward ? next_rhs : next_rhs - (packs - 1) * vector_bytes;
      copies.copy(arrived[next_stage], my_stages + next_stage * stage_bytes + chunk * factor_bytes, from,
                  packs * static_cast<std::uint32_t>(vector_bytes), cuda::evict_normal_policy());
      copies.end(arrived[next_stage]);
      next_rhs = forward ? next_rhs + chunk * vector_bytes : next_rhs - chunk * vector_bytes;
    };
    auto const advance = [&] {
      next_step += chunk;
      if (++next_stage == stages) next_stage = 0;
    };
    if (copies.take_part()) {
      int const ahead = min((all_steps + chunk - 1) / chunk, stages);
      int const first_stage = next_stage;
      for (int c = 0; c < ahead; ++c) {
        copy_factors();
        advance();
      }
      if (!forward) {
        // Acquire: the right-hand side of this sweep is what all tiles of the other one wrote, and copies read it.
        int const blocks = after_forward ? m_layout.m_tiles * static_cast<int>(cuda::cluster_size()) : 0;
        while (cuda::observe(m_layout.m_forward_finished) < blocks) {
        }
        cuda::fence_before_copies_of_results();
      }
      next_step = 0;
      next_stage = first_stage;
      for (int c = 0; c < ahead; ++c) {
        copy_rhs();
        advance();
      }
    }
    __syncwarp();

    Scalar* to[rows_per_thread];
#pragma unroll
    for (int r = 0; r < rows_per_thread; ++r) {
      to[r] = (forward ? m_vectors.y : m_vectors.x).pack_data(first_pack, row.rows[r]) + row.stored_lane;
    }
    // Where results are: with M^T the rings have something else.
    constexpr int slot_values = transposed ? vector_pack : ring_slot;
    const Scalar* const first_slot = transposed ? s.prepared + tile_row * (window * vector_pack) + row.first_lane
                                                : ring + (1 + row.first_lane) * pitch;
    for (int v = 0; v < all_steps; ++v) {
      Step const step(counts.own + v);
      own_done[step.slot].wait(step.parity);
      typename Units::Values of_results;
      if constexpr (Units::exist) {
        units.load_for_results(row, my_stages + (counts.chunks + v / chunk) % stages * stage_bytes, v % chunk,
                               row.packs_of(v / chunk), of_results);
        // Copies come where these are.
        if constexpr (Units::results_of_equations) __syncwarp();
      }
      // Copies first: they take longest.
      if (copies.take_part() && (chunk == 1 || v % chunk == chunk - 1) && next_step < all_steps) {
        copy_factors();
        copy_rhs();
        advance();
      }
      const Scalar* const here = first_slot + step.slot * slot_values;
      bool all = true;
#pragma unroll
      for (int m = 0; m < lanes; ++m) all = all && row.exists(v, m);
#pragma unroll
      for (int r = 0; r < rows_per_thread; ++r) {
        Lanes values;
#pragma unroll
        for (int m = 0; m < lanes; ++m) {
          values.m_values[row.stored(m)] = here[transposed ? row.rows[r] * W + m : m * pitch + row.rows[r]];
          if constexpr (Units::exist) values.m_values[row.stored(m)] *= of_results[r][m];
        }
        if (all && row.has_row[r]) {
          *reinterpret_cast<Lanes*>(to[r]) = values;
        } else if (row.has_row[r]) {
          // Other lanes belong to other rows, or are padding.
#pragma unroll
          for (int m = 0; m < lanes; ++m) {
            if (row.exists(v, m)) to[r][row.stored(m)] = values.m_values[row.stored(m)];
          }
        }
        to[r] = forward ? to[r] + vector_pack : to[r] - vector_pack;
      }
      admit(v + window);
    }
  }

 private:
  const Layout& m_layout;
  const Vectors& m_vectors;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
