// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/cuda/packet.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>
#include <hyperplane/cuda/progress.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_pencil_layout.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_pencil_receive.hpp>

#include <cstddef>
#include <cstdint>

/// The solve of BILU(0) on CUDA without a grid barrier.
///
/// A row is the part of a pencil in one layer k: I + W - 1 packs of W points (W lanes), one after the other in memory.
/// One warp computes a row, W points a step; its coefficient blocks arrive in shared memory by bulk copies that run
/// ahead, since they depend on nothing. West and south neighbours are those of the step before in the same warp, except
/// the south neighbour of lane 0, which is in the row of the pencil before; bottom neighbours are those of the same
/// step in the row of the layer before. A block of threads computes a tile of neighbouring layers of a pencil: inside
/// it rows hand values on in shared memory, between tiles in packets (value and stamp in one word), which warps of
/// their own receive and put where a row of the same block would have put them.
///
/// No deadlock, whatever else runs on the device: tiles are taken by ticket, and their order is topological. The tile
/// of the lowest ticket that has not finished depends on finished ones alone, and the block that drew it is running.
///
/// The backward sweep is the forward sweep of the mirrored grid, so that the code counts mirrored pencils, layers,
/// steps and lanes, and only addresses turn them back.
namespace hyperplane::detail {

template <class Scalar, int n, class Storage, int vector_length>
struct CudaPencilSolve : CudaPencilReceive<Scalar, n, Storage, vector_length> {
  using Base = CudaPencilReceive<Scalar, n, Storage, vector_length>;
  using Base::admit_bottom;
  using Base::arrivals_to_be_ready;
  using Base::bottom_packets;
  using Base::carve;
  using Base::chunk;
  using Base::count;
  using Base::factor_bytes;
  using Base::factors_of;
  using Base::lanes;
  using Base::load_column;
  using Base::m_factors;
  using Base::m_keep_factors;
  using Base::m_order;
  using Base::m_rhs;
  using Base::m_shape;
  using Base::m_state;
  using Base::m_sweeps;
  using Base::m_tiles;
  using Base::m_x;
  using Base::m_y;
  using Base::map;
  using Base::pitch;
  using Base::preload;
  using Base::receive_bottom;
  using Base::receive_south;
  using Base::ring_slot;
  using Base::rows_per_thread;
  using Base::south_packets;
  using Base::stage_bytes;
  using Base::steps;
  using Base::subtract;
  using Base::tile;
  using Base::vector_bytes;
  using Base::vector_pack;
  using Base::W;
  using Base::wait;
  using Base::warp;
  using Base::window;
  using typename Base::Counts;
  using typename Base::Lanes;
  using typename Base::Packet;
  using typename Base::Pair;
  using typename Base::Shared;
  using typename Base::Stamp;
  using typename Base::Step;
  using typename Base::StoredLanes;
  using typename Base::Tile;
  template <bool forward>
  using Row = typename Base::template Row<forward>;

  __device__ void run(std::byte* memory) const {
    Shared const s = carve(memory);
    int const layers = m_shape.layers;
    int const role = threadIdx.x / warp;
    for (int b = threadIdx.x; b < layers * m_shape.stages; b += blockDim.x) s.arrived[b].initialize(1);
    for (int b = threadIdx.x; b < (layers + 1) * window; b += blockDim.x) s.done[b].initialize(warp);
    for (int b = threadIdx.x; b < layers * window; b += blockDim.x) s.ready[b].initialize(arrivals_to_be_ready);
    cuda::PhaseBarrier::fence_initialized();
    for (int e = threadIdx.x; e < (layers + 1) * window * ring_slot; e += blockDim.x) s.rings[e] = 0;
    auto const epoch = static_cast<Stamp>(2 * m_state->m_epoch);
    int const receivers = (layers + 1) / 2;
    int const row = role < 3 * layers ? role % layers : -1;
    Counts counts;
    Counts second;  // of the second row of a warp that receives from the south
    while (true) {
      cuda::cluster_sync();
      // Not while the tile before is still under way: a cluster that is busy would keep others from the tile.
      if (threadIdx.x == 0 && cuda::cluster_rank() == 0) {
        int const drawn = (m_sweeps == Sweeps::backward ? m_tiles : 0) + atomicAdd(&m_state->m_ticket, 1);
        for (unsigned rank = 0; rank < cuda::cluster_size(); ++rank) {
          cuda::store_in_cluster(s.ticket, rank, drawn);
        }
      }
      cuda::cluster_sync();
      int const ticket = *s.ticket;
      if (ticket >= (m_sweeps == Sweeps::forward ? 1 : 2) * m_tiles) break;
      bool const forward = ticket < m_tiles;
      Tile const t = tile(m_order[forward ? ticket : ticket - m_tiles]);
      Stamp const stamp = epoch + (forward ? 1 : 2);
      if (row >= 0) {
        if (row < t.rows) {
          if (role < layers) {
            forward ? compute<true>(s, t, row, stamp, counts) : compute<false>(s, t, row, stamp, counts);
          } else if (role < 2 * layers) {
            forward ? prepare<true>(s, t, row, counts) : prepare<false>(s, t, row, counts);
          } else {
            forward ? move<true>(s, t, row, counts) : move<false>(s, t, row, counts);
          }
        }
        count(counts, t, row);
      } else if (role < 3 * layers + receivers) {
        int const first_row = 2 * (role - 3 * layers);
        if (t.pencil > 0 && first_row < t.rows) receive_south(s, t, first_row, stamp, counts, second);
        count(counts, t, first_row);
        count(second, t, first_row + 1);
      } else {
        if (t.from_packets) receive_bottom(s, t, stamp, counts);
        if (t.from_block) admit_bottom(s, counts);
        counts.bottom += t.from_block || t.from_packets ? steps() : 0;
        counts.own += t.rows > 0 ? steps() : 0;
        // The last row of the block before exists wherever this block could have rows.
        counts.remote += cuda::cluster_rank() > 0 && t.first_layer <= map().grid().nk() ? steps() : 0;
      }
      if (forward) {
        // Release: what all warps of the block wrote comes before the count, by the barrier.
        __syncthreads();
        if (threadIdx.x == 0) cuda::add_release(&m_state->m_forward_finished, 1);
      }
    }
    if (threadIdx.x == 0) {
      __threadfence();
      bool const is_last = atomicAdd(&m_state->m_exited, 1) == static_cast<int>(gridDim.x) - 1;
      __threadfence();
      if (is_last) {
        // All other blocks have drawn their last ticket.
        m_state->m_ticket = 0;
        m_state->m_forward_finished = 0;
        m_state->m_exited = 0;
        m_state->m_epoch += 1;
      }
    }
  }

  /// Keeps the copies of a row going and writes its results to memory.
  template <bool forward>
  __device__ void move(const Shared& s, const Tile& t, int tile_row, const Counts& counts) const {
    Row<forward> const row(*this, t, tile_row);
    int const lane = threadIdx.x % warp;
    int const all_steps = row.all_steps;
    int const stages = m_shape.stages;
    std::byte* const my_stages = s.stages + std::size_t(tile_row) * stages * stage_bytes;
    cuda::PhaseBarrier* const arrived = s.arrived + tile_row * stages;
    Scalar* const ring = s.rings + (tile_row + 1) * (window * ring_slot);
    cuda::PhaseBarrier* const own_done = s.done + (tile_row + 1) * window;
    cuda::PhaseBarrier* const own_ready = s.ready + tile_row * window;
    // The slot before the first one holds the last step before, in which lane 0 had no point: zeros, as is right.
    if (t.pencil == 0) {
      for (int e = lane; e < window * n; e += warp) ring[e / n * ring_slot + e % n] = 0;
      __syncwarp();
    }
    unsigned const own_arrivals = 1 + (t.pencil == 0) + (tile_row + 1 == t.rows && !t.to_block);
    /// Lets step v begin, as far as it depends on what this warp knows.
    auto const admit = [&](int v) {
      if (v >= all_steps) return;
      own_ready[(counts.own + v) % window].arrive(own_arrivals);
      if (tile_row > 0) (own_ready - window)[(counts.bottom + v) % window].arrive();
    };
    for (int v = 0; v < window; ++v) admit(v);

    // Copies run along memory: that of factors at rising addresses in both sweeps, that of vectors up or down.
    constexpr std::size_t pack_bytes =
        static_cast<std::size_t>(forward ? lower_blocks : upper_blocks) * n * n * W * sizeof(Storage);
    auto const policy = m_keep_factors ? cuda::evict_normal_policy() : cuda::evict_first_policy();
    auto const* next_factors =
        reinterpret_cast<const std::byte*>(forward ? m_factors.lower(row.first_pack, LowerBlock::bottom)
                                                   : m_factors.upper(row.first_pack + all_steps - 1, UpperBlock::top));
    auto const* next_rhs = reinterpret_cast<const std::byte*>((forward ? m_rhs : m_y).packs().pack_data(row.pack(0)));
    int next_step = 0;
    int next_stage = counts.chunks % stages;
    auto const next_packs = [&] { return chunk == 1 ? 1 : min(chunk, all_steps - next_step); };
    auto const copy_factors = [&] {
      auto const packs = static_cast<std::uint32_t>(next_packs());
      arrived[next_stage].expect(packs * static_cast<std::uint32_t>(pack_bytes + vector_bytes));
      arrived[next_stage].copy(my_stages + next_stage * stage_bytes, next_factors,
                               packs * static_cast<std::uint32_t>(pack_bytes), policy);
      next_factors += chunk * pack_bytes;
    };
    auto const copy_rhs = [&] {
      auto const packs = static_cast<std::uint32_t>(next_packs());
      auto const* const from = forward ? next_rhs : next_rhs - (packs - 1) * vector_bytes;
      arrived[next_stage].copy(my_stages + next_stage * stage_bytes + chunk * factor_bytes, from,
                               packs * static_cast<std::uint32_t>(vector_bytes), cuda::evict_normal_policy());
      next_rhs = forward ? next_rhs + chunk * vector_bytes : next_rhs - chunk * vector_bytes;
    };
    auto const advance = [&] {
      next_step += chunk;
      if (++next_stage == stages) next_stage = 0;
    };
    if (lane == 0) {
      int const ahead = min((all_steps + chunk - 1) / chunk, stages);
      int const first_stage = next_stage;
      for (int c = 0; c < ahead; ++c) {
        copy_factors();
        advance();
      }
      if (!forward) {
        // Acquire: the right-hand side of this sweep is what all tiles of the other one wrote, and copies read it.
        int const blocks = m_sweeps == Sweeps::both ? m_tiles * static_cast<int>(cuda::cluster_size()) : 0;
        while (cuda::observe(&m_state->m_forward_finished) < blocks) {
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
      to[r] = (forward ? m_y : m_x).packs().pack_data(row.pack(0), row.rows[r]) + row.stored_lane;
    }
    const Scalar* const first_slot = ring + (1 + row.first_lane) * pitch;
    for (int v = 0; v < all_steps; ++v) {
      Step const step(counts.own + v);
      own_done[step.slot].wait(step.parity);
      // Copies first: they take longest.
      if (lane == 0 && (chunk == 1 || v % chunk == chunk - 1) && next_step < all_steps) {
        copy_factors();
        copy_rhs();
        advance();
      }
      const Scalar* const here = first_slot + step.slot * ring_slot;
      bool all = true;
#pragma unroll
      for (int m = 0; m < lanes; ++m) all = all && row.exists(v, m);
#pragma unroll
      for (int r = 0; r < rows_per_thread; ++r) {
        Lanes values;
#pragma unroll
        for (int m = 0; m < lanes; ++m) values.m_values[row.stored(m)] = here[m * pitch + row.rows[r]];
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

  /// Computes what does not depend on the step before: right-hand side less the bottom product.
  template <bool forward>
  __device__ void prepare(const Shared& s, const Tile& t, int tile_row, const Counts& counts) const {
    Row<forward> const row(*this, t, tile_row);
    int const lane = threadIdx.x % warp;
    int const all_steps = row.all_steps;
    int const stages = m_shape.stages;
    bool const has_bottom = row.layer > 0;
    const std::byte* const my_stages = s.stages + std::size_t(tile_row) * stages * stage_bytes;
    const cuda::PhaseBarrier* const arrived = s.arrived + tile_row * stages;
    const Scalar* const bottom_ring = s.rings + tile_row * (window * ring_slot) + (1 + row.first_lane) * pitch;
    const cuda::PhaseBarrier* const bottom_done = s.done + tile_row * window;
    const cuda::PhaseBarrier* const own_done = bottom_done + window;
    Scalar* const prepared_sums = s.prepared_sums + tile_row * (window * vector_pack) + row.first_lane;

    int stage = counts.chunks % stages;
    unsigned parity = counts.chunks / stages & 1;
    int in_chunk = 0;
    int number = 0;
    for (int v = 0; v < all_steps; ++v) {
      if (in_chunk == 0) arrived[stage].wait(parity);
      int const packs = row.packs_of(number);
      const Storage* const factors = factors_of(my_stages + stage * stage_bytes, in_chunk, row);
      auto const* const rhs = reinterpret_cast<const Scalar*>(my_stages + stage * stage_bytes + chunk * factor_bytes) +
                              (forward ? in_chunk : packs - 1 - in_chunk) * vector_pack + row.stored_lane;
      Scalar sum[rows_per_thread][lanes];
#pragma unroll
      for (int r = 0; r < rows_per_thread; ++r) {
        auto const values = *reinterpret_cast<const Lanes*>(rhs + row.rows[r] * W);
#pragma unroll
        for (int m = 0; m < lanes; ++m) sum[r][m] = values.m_values[row.stored(m)];
      }
      if (has_bottom) {
        Step const step(counts.bottom + v);
        StoredLanes a[preload ? n : 1][rows_per_thread];
        if constexpr (preload) {
#pragma unroll
          for (int c = 0; c < n; ++c) load_column(factors, 0, c, row, a[c]);
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
            if constexpr (!preload) load_column(factors, 0, c + d, row, a[0]);
            Scalar value[lanes];
#pragma unroll
            for (int m = 0; m < lanes; ++m) value[m] = pairs[m].m_values[d];
            subtract(sum, a[preload ? c + d : 0], value, forward);
          }
        }
      }
      // The step of a window ago has used its sums.
      if (v >= window) wait(own_done, counts.own + v - window);
      unsigned const slot = (counts.own + v) % window;
#pragma unroll
      for (int r = 0; r < rows_per_thread; ++r) {
        Lanes values;
#pragma unroll
        for (int m = 0; m < lanes; ++m) values.m_values[m] = sum[r][m];
        *reinterpret_cast<Lanes*>(prepared_sums + slot * vector_pack + row.rows[r] * W) = values;
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

  /// The recursion along the row.
  template <bool forward>
  __device__ void compute(const Shared& s, const Tile& t, int tile_row, Stamp stamp, const Counts& counts) const {
    Row<forward> const row(*this, t, tile_row);
    int const lane = threadIdx.x % warp;
    int const all_steps = row.all_steps;
    int const stages = m_shape.stages;
    bool const last_row = tile_row + 1 == t.rows;
    bool const to_pencil = t.pencil + 1 < map().pencils() && row.first_lane == W - lanes && row.has_row[0];
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
    const Scalar* const prepared_sums = s.prepared_sums + tile_row * (window * vector_pack) + row.first_lane;
    Packet* to_north = south_packets(t.pencil + 1, row.layer);
    Packet* to_top = bottom_packets(t.pencil, t.index_k + 1) + row.first_lane;

    int stage = counts.chunks % stages;
    unsigned parity = counts.chunks / stages & 1;
    int in_chunk = 0;
    const Scalar* before = ring + (counts.own + window - 1) % window * ring_slot;
    for (int v = 0; v < all_steps; ++v) {
      if (in_chunk == 0) arrived[stage].wait(parity);
      const Storage* const factors = factors_of(my_stages + stage * stage_bytes, in_chunk, row);
      StoredLanes a[preload ? 2 * n : 1][rows_per_thread];
      if constexpr (preload) {
#pragma unroll
        for (int e = 0; e < 2 * n; ++e) load_column(factors, 1 + e / n, e % n, row, a[e]);
      }
      Step const step(counts.own + v);
      own_ready[step.slot].wait(step.parity);
      Scalar sum[rows_per_thread][lanes];
#pragma unroll
      for (int r = 0; r < rows_per_thread; ++r) {
        auto const values = *reinterpret_cast<const Lanes*>(prepared_sums + step.slot * vector_pack + row.rows[r] * W);
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
            if constexpr (!preload) load_column(factors, block, c + d, row, a[0]);
            Scalar value[lanes];
#pragma unroll
            for (int m = 0; m < lanes; ++m) value[m] = pairs[m].m_values[d];
            subtract(sum, a[preload ? (block - 1) * n + c + d : 0], value, forward);
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
          for (int c = 0; c < n; ++c) load_column(factors, 3, c, row, a[c]);
        }
        __syncwarp();
#pragma unroll
        for (int c = 0; c < n; c += 2) {
          Pair pairs[lanes];
#pragma unroll
          for (int m = 0; m < lanes; ++m) pairs[m] = *reinterpret_cast<const Pair*>(sums + m * pitch + c);
#pragma unroll
          for (int d = 0; d < 2 && c + d < n; ++d) {
            if constexpr (!preload) load_column(factors, 3, c + d, row, a[0]);
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
      if (to_pencil && v >= W - 1) {
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
            if (row.has_row[r]) Packet::store(to_top + row.rows[r] * W + m, sum[r][m], stamp);
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
};

template <class Solve>
__global__ void __launch_bounds__(cuda_pencil_max_threads, 1)
    cuda_pencil_solve_kernel(const __grid_constant__ Solve solve) {
  extern __shared__ __align__(128) std::byte cuda_pencil_memory[];
  // For older devices there is nothing: a plan asks whether the kernel that would run is this one.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  solve.run(cuda_pencil_memory);
#endif
}

}  // namespace hyperplane::detail
