// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/singular_pivot.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>
#include <hyperplane/cuda/progress.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_pencil_inverse.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_vector.hpp>
#include <hyperplane/ilu/detail/block_ilu0_factors.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// The factorization of BILU(0) on CUDA without a grid barrier.
///
/// A block of threads computes a row (a pencil in one layer k, see block_ilu0_cuda_pencil_solve.hpp): two warps the
/// blocks of W points a step, the inverse included; one warp keeps the copies of the matrix going, ahead of their use;
/// one warp waits for the progress words of the rows below and to the south and copies what they have computed. West
/// and south neighbours are those of the step before, kept in shared memory, but for the south neighbour of lane 0.
///
/// No deadlock, whatever else runs on the device: rows are taken by ticket in topological order, so that the row of the
/// lowest ticket that has not finished depends on finished rows alone, and the block that drew it is running.
namespace hyperplane::detail {

/// Words between the blocks of one launch and from launch to launch; zero at first, left so by the last block.
struct CudaFactorState {
  int m_ticket;
  int m_exited;
};

template <class Scalar, int n, class Storage, class MatrixStorage, int vector_length>
struct CudaPencilFactor {
  static constexpr int W = vector_length;
  /// That compute.
  static constexpr int warps = 2;
  using Inverse = CudaPencilInverse<Scalar, n, W, warps>;
  using Threads = CudaPencilThreads<Scalar, n, W, warps>;
  static constexpr int warp = Threads::warp;
  static constexpr int lanes = Threads::lanes;
  static constexpr int rows_per_thread = Threads::rows_per_thread;
  using StoredLanes = CudaVector<Storage, lanes>;
  using GivenLanes = CudaVector<MatrixStorage, lanes>;

  static constexpr int threads = (warps + 2) * warp;
  static constexpr int block = n * n * W;
  static constexpr int max_shared_bytes = 232448;
  static constexpr std::size_t given_bytes = std::size_t{stencil7_size} * block * sizeof(MatrixStorage);
  static constexpr std::size_t neighbour_bytes = std::size_t{block} * sizeof(Storage);
  static constexpr std::size_t fixed_bytes = 2 * neighbour_bytes + Inverse::scratch_values * sizeof(Scalar) + 128;
  static constexpr int stages = fixed_bytes + 2 * given_bytes + 4 * neighbour_bytes <= max_shared_bytes ? 2 : 1;
  static constexpr int neighbour_stages =
      fixed_bytes + stages * given_bytes + 6 * neighbour_bytes <= max_shared_bytes ? 3 : 2;
  static constexpr std::size_t shared_bytes =
      fixed_bytes + stages * given_bytes + neighbour_stages * 2 * neighbour_bytes;
  static_assert(shared_bytes <= max_shared_bytes);
  /// Blocks of a multiprocessor, as far as registers go.
  static constexpr int resident_blocks = n <= 4 ? 5 : n <= 6 ? 4 : n <= 8 ? 3 : 2;
  static constexpr int window = 4;

  BlockStencil7Ref<MatrixStorage, n, W> m_a;
  BlockIlu0Factors<Storage, n, W> m_factors;
  unsigned long long* m_singular;
  int* m_progress;
  const int* m_order;
  CudaFactorState* m_state;
  int m_steps_to_pencil;  ///< after so many steps the next pencil is told

  __device__ const PencilMap<W>& map() const { return m_factors.m_map; }
  __device__ int steps() const { return map().grid().ni() + W - 1; }
  __device__ int row_count() const { return map().pencils() * map().grid().nk(); }
  __device__ static int layers() { return static_cast<int>(cuda::cluster_size()); }
  __device__ int tile_count() const { return (map().grid().nk() + layers() - 1) / layers() * map().pencils(); }

  struct Shared {
    MatrixStorage* given;    // [stages][stencil7_size * block]
    Storage* neighbours;     // [neighbour_stages][2][block]: top blocks of the row below, north ones of the row south
    Storage* east;           // [block]: of the step before
    Storage* north;          // [block]
    Scalar* pivot_rows;      // [2][n * W]
    Scalar* exchanged_rows;  // [2][n * W]
    cuda::PhaseBarrier* given_there;       // [stages]
    cuda::PhaseBarrier* neighbours_there;  // [neighbour_stages]
    cuda::PhaseBarrier* above_free;        // [neighbour_stages]: the row above, of the next block, has room
    cuda::PhaseBarrier* done;              // [window]
    int* ticket;
  };
  __device__ static Shared carve(std::byte* memory) {
    Shared s;
    s.given = reinterpret_cast<MatrixStorage*>(memory);
    s.neighbours = reinterpret_cast<Storage*>(memory + stages * given_bytes);
    s.east = s.neighbours + neighbour_stages * 2 * block;
    s.north = s.east + block;
    s.pivot_rows = reinterpret_cast<Scalar*>(s.north + block);
    s.exchanged_rows = s.pivot_rows + 2 * n * W;
    s.given_there = reinterpret_cast<cuda::PhaseBarrier*>(s.exchanged_rows + 2 * n * W);
    s.neighbours_there = s.given_there + stages;
    s.above_free = s.neighbours_there + neighbour_stages;
    s.done = s.above_free + neighbour_stages;
    s.ticket = reinterpret_cast<int*>(s.done + window);
    return s;
  }

  /// A row of the grid, and what barriers have counted before it.
  struct Row {
    int pencil;
    int k;
    std::int64_t first_pack;
    unsigned count;
    bool from_block;  ///< what the row below computes comes from the block before
    bool to_block;    ///< what the row above needs goes to the block after
    unsigned above;   ///< what the barriers of the block after have counted
  };

  __device__ static void wait(const cuda::PhaseBarrier* barriers, int ring, unsigned number) {
    barriers[number % ring].wait(number / ring % 2);
  }

  __device__ void run(std::byte* memory) const {
    Shared const s = carve(memory);
    int const role = threadIdx.x / warp;
    if (threadIdx.x == 0) {
      for (int b = 0; b < stages + 2 * neighbour_stages; ++b) s.given_there[b].initialize(1);
      for (int b = 0; b < window; ++b) s.done[b].initialize(warps * warp);
      cuda::PhaseBarrier::fence_initialized();
    }
    int const rank = static_cast<int>(cuda::cluster_rank());
    unsigned count = 0;
    unsigned above = 0;
    while (true) {
      cuda::cluster_sync();
      // Not while the tile before is still under way: a cluster that is busy would keep others from the tile.
      if (threadIdx.x == 0 && rank == 0) {
        int const drawn = atomicAdd(&m_state->m_ticket, 1);
        for (int other = 0; other < layers(); ++other) cuda::store_in_cluster(s.ticket, other, drawn);
      }
      // No point is before the first step.
      for (int e = threadIdx.x; e < 2 * block; e += threads) s.east[e] = 0;
      cuda::cluster_sync();
      int const ticket = *s.ticket;
      if (ticket >= tile_count()) break;
      int const number = m_order[ticket];
      int const pencil = number % map().pencils();
      int const k = number / map().pencils() * layers() + rank;
      if (k >= map().grid().nk()) continue;
      Row const row{pencil, k,        pencil * map().steps() + k * map().pitch(),
                    count,  rank > 0, rank + 1 < layers() && k + 1 < map().grid().nk(),
                    above};
      if (pencil == 0) {
        // Nothing is copied there, and lane 0 has no south neighbour.
        for (int e = threadIdx.x; e < neighbour_stages * block; e += threads) {
          s.neighbours[(2 * (e / block) + 1) * block + e % block] = 0;
        }
        cuda::fence_before_copies();
      }
      __syncthreads();
      if (role < warps) {
        compute(s, row);
      } else if (role == warps) {
        move(s, row);
      } else {
        gather(s, row);
      }
      count += steps();
      above += row.to_block ? steps() : 0;
    }
    bool is_last = false;
    if (threadIdx.x == 0) {
      // Acquire: nobody reads progress words after he has counted himself.
      __threadfence();
      is_last = atomicAdd(&m_state->m_exited, 1) == static_cast<int>(gridDim.x) - 1;
      __threadfence();
    }
    if (__syncthreads_or(is_last)) {
      for (int r = threadIdx.x; r < row_count(); r += threads) m_progress[r] = 0;
      if (threadIdx.x == 0) {
        m_state->m_ticket = 0;
        m_state->m_exited = 0;
      }
    }
  }

  /// Copies the blocks of A ahead of their use, keeps the lower ones, and tells the other rows how far this one has
  /// come.
  __device__ void move(const Shared& s, const Row& row) const {
    if (threadIdx.x % warp == 0) {
      auto const policy = cuda::evict_first_policy();
      auto const copy = [&](int v) {
        unsigned const slot = (row.count + v) % stages;
        s.given_there[slot].expect(given_bytes);
        s.given_there[slot].copy(s.given + slot * (stencil7_size * block),
                                 m_a.pack_block(row.first_pack + v, Direction::bottom), given_bytes, policy);
      };
      int const all_steps = steps();
      for (int v = 0; v < min(stages, all_steps); ++v) copy(v);
      int* const progress = m_progress + (row.k * map().pencils() + row.pencil);
      // A row of another cluster is above, or the next pencil, which is some steps behind anyway.
      int const told_every = !row.to_block && row.k + 1 < map().grid().nk() ? 1
                             : row.pencil + 1 < map().pencils()             ? m_steps_to_pencil
                                                                            : all_steps;
      for (int v = 0; v < all_steps; ++v) {
        if constexpr (keeps_lower_as_given) {
          // All lanes, also those of other rows, which store the same values.
          wait(s.given_there, stages, row.count + v);
          cuda::bulk_store(m_factors.lower(row.first_pack + v, LowerBlock::bottom),
                           s.given + (row.count + v) % stages * (stencil7_size * block), 3 * neighbour_bytes);
        }
        wait(s.done, window, row.count + v);
        if (v + stages < all_steps) {
          if constexpr (keeps_lower_as_given) cuda::wait_for_bulk_reads();
          copy(v + stages);
        }
        // Release: what the computing warp wrote comes before, by its barrier.
        if ((v + 1) % told_every == 0 || v + 1 == all_steps) cuda::publish(progress, v + 1);
      }
      if constexpr (keeps_lower_as_given) cuda::wait_for_bulk_reads();
    }
    __syncwarp();
  }

  /// Copies the blocks that the rows below and to the south have computed.
  __device__ void gather(const Shared& s, const Row& row) const {
    if (threadIdx.x % warp == 0) {
      auto const policy = cuda::evict_normal_policy();
      int const all_steps = steps();
      int const own = row.k * map().pencils() + row.pencil;
      int seen_below = 0;
      int seen_south = 0;
      std::int64_t const south_pack = row.first_pack - map().steps() + W - 1;
      for (int v = 0; v < all_steps; ++v) {
        if (v >= neighbour_stages) wait(s.done, window, row.count + v - neighbour_stages);
        unsigned const slot = (row.count + v) % neighbour_stages;
        bool const below = row.k > 0;
        // Lane W - 1 of the pencil before is as many steps behind.
        bool const south = row.pencil > 0 && v < map().grid().ni();
        auto& there = s.neighbours_there[slot];
        there.expect(static_cast<std::uint32_t>((below + south) * neighbour_bytes));
        if (row.from_block) s.above_free[slot].arrive_at(cuda::cluster_rank() - 1);
        // Acquire: copies read what the other row wrote before it published.
        while (below && !row.from_block && seen_below <= v) {
          seen_below = cuda::observe(m_progress + own - map().pencils());
        }
        while (south && seen_south <= v + W - 1) seen_south = cuda::observe(m_progress + own - 1);
        cuda::fence_before_copies_of_results();
        Storage* const to = s.neighbours + slot * (2 * block);
        if (below && !row.from_block) {
          there.copy(to, m_factors.upper(row.first_pack + v - map().pitch(), UpperBlock::top), neighbour_bytes, policy);
        }
        if (south) {
          there.copy(to + block, m_factors.upper(south_pack + v, UpperBlock::north), neighbour_bytes, policy);
        }
      }
    }
    __syncwarp();
  }

  static constexpr bool keeps_lower_as_given = std::is_same_v<Storage, MatrixStorage>;

  using Rows = typename Inverse::Rows;

  /// rows -= L U; `left` tells the value of L in a lane of the thread's row, `u` where U is in a lane.
  template <class Left>
  __device__ __forceinline__ static void eliminate(Rows& rows, const Left& left, const Storage* const (&u)[lanes]) {
#pragma unroll(n <= 8 ? n : 1)
    for (int m = 0; m < n; ++m) {
      Scalar l[rows_per_thread][lanes];
#pragma unroll
      for (int r = 0; r < rows_per_thread; ++r) left(r, m, l[r]);
#pragma unroll
      for (int c = 0; c < n; ++c) {
#pragma unroll
        for (int e = 0; e < lanes; ++e) {
          Scalar const value = static_cast<Scalar>(u[e][(c * n + m) * W]);
#pragma unroll
          for (int r = 0; r < rows_per_thread; ++r) rows[c][r][e] -= l[r][e] * value;
        }
      }
    }
  }

  /// A barrier of the warps that compute.
  __device__ static void synchronize_computing() { asm volatile("bar.sync 1, %0;" ::"n"(warps * warp) : "memory"); }

  __device__ void compute(const Shared& s, const Row& row) const {
    Threads const thread;
    int const all_steps = steps();
    unsigned points[lanes];
#pragma unroll
    for (int e = 0; e < lanes; ++e) {
      points[e] = row.pencil * W + thread.first_lane + e < map().grid().nj() ? map().grid().ni() : 0;
    }
    for (int v = 0; v < all_steps; ++v) {
      unsigned const count = row.count + v;
      std::int64_t const pack = row.first_pack + v;
      bool exists[lanes];
      bool all = true;
#pragma unroll
      for (int e = 0; e < lanes; ++e) {
        exists[e] = static_cast<unsigned>(v - thread.first_lane - e) < points[e];
        all = all && exists[e];
      }
      wait(s.given_there, stages, count);
      const MatrixStorage* const given = s.given + count % stages * (stencil7_size * block) + thread.first_lane;
      wait(s.neighbours_there, neighbour_stages, count);
      const Storage* const neighbours = s.neighbours + count % neighbour_stages * (2 * block);

      Rows d;
#pragma unroll
      for (int c = 0; c < n; ++c) {
#pragma unroll
        for (int r = 0; r < rows_per_thread; ++r) {
#pragma unroll
          for (int e = 0; e < lanes; ++e) d[c][r][e] = 0;
        }
      }
      auto const given_entry = [&](Direction direction, int r, int c) {
        return *reinterpret_cast<const GivenLanes*>(given + ((static_cast<int>(direction) * n + c) * n + r) * W);
      };
      auto const left = [&](Direction direction) {
        return [&, direction](int r, int m, Scalar(&l)[lanes]) {
          auto const values = given_entry(direction, thread.rows[r], m);
#pragma unroll
          for (int e = 0; e < lanes; ++e) l[e] = static_cast<Scalar>(values.m_values[e]);
        };
      };
      const Storage* u[lanes];
      if (row.k > 0) {
#pragma unroll
        for (int e = 0; e < lanes; ++e) u[e] = neighbours + thread.first_lane + e;
        eliminate(d, left(Direction::bottom), u);
      }
#pragma unroll
      for (int e = 0; e < lanes; ++e) u[e] = s.north + thread.first_lane + e - 1;
      if (thread.first_lane == 0) u[0] = neighbours + block + W - 1;
      eliminate(d, left(Direction::south), u);
#pragma unroll
      for (int e = 0; e < lanes; ++e) u[e] = s.east + thread.first_lane + e;
      eliminate(d, left(Direction::west), u);
      // The other warp's lanes have read what this step replaces.
      synchronize_computing();
#pragma unroll
      for (int c = 0; c < n; ++c) {
#pragma unroll
        for (int r = 0; r < rows_per_thread; ++r) {
          auto const center = given_entry(Direction::center, thread.rows[r], c);
#pragma unroll
          for (int e = 0; e < lanes; ++e) d[c][r][e] += static_cast<Scalar>(center.m_values[e]);
        }
      }
      Inverse::invert({s.pivot_rows, s.exchanged_rows}, thread, d, [&](int e, int equation) {
        if (!exists[e]) return;
        Point const p{v - thread.first_lane - e, row.pencil * W + thread.first_lane + e, row.k};
        // Relaxed: the word carries everything and is read after the kernel.
        atomicMin(m_singular, static_cast<unsigned long long>(singular_pivot_word(map().grid().index(p), equation)));
      });

      auto const store = [&](Storage* to, const Scalar(&values)[lanes]) {
        StoredLanes stored;
#pragma unroll
        for (int e = 0; e < lanes; ++e) stored.m_values[e] = static_cast<Storage>(values[e]);
        if (all) {
          *reinterpret_cast<StoredLanes*>(to) = stored;
        } else {
          // Other lanes belong to other rows, or are padding.
#pragma unroll
          for (int e = 0; e < lanes; ++e) {
            if (exists[e]) to[e] = stored.m_values[e];
          }
        }
      };
#pragma unroll
      for (int r = 0; r < rows_per_thread; ++r) {
        if (!thread.has_row[r]) continue;
        Storage* const to = m_factors.lower(pack, LowerBlock::inverse) + thread.rows[r] * W + thread.first_lane;
#pragma unroll
        for (int c = 0; c < n; ++c) store(to + c * n * W, d[c][r]);
      }
#pragma unroll
      for (int block_number = 0; block_number < upper_blocks; ++block_number) {
        if (block_number == 0 && row.to_block) wait(s.above_free, neighbour_stages, row.above + v);
        auto const upper = static_cast<UpperBlock>(block_number);
        Direction const direction = upper == UpperBlock::top     ? Direction::top
                                    : upper == UpperBlock::north ? Direction::north
                                                                 : Direction::east;
        // Several columns at once, so that their products overlap.
        constexpr int columns = n <= 8 ? n : 4;
#pragma unroll 1
        for (int first = 0; first < n; first += columns) {
          Scalar sum[columns][rows_per_thread][lanes] = {};
#pragma unroll
          for (int m = 0; m < n; ++m) {
#pragma unroll
            for (int c = 0; c < columns; ++c) {
              auto const values = given_entry(direction, m, min(first + c, n - 1));
#pragma unroll
              for (int r = 0; r < rows_per_thread; ++r) {
#pragma unroll
                for (int e = 0; e < lanes; ++e) sum[c][r][e] += d[m][r][e] * static_cast<Scalar>(values.m_values[e]);
              }
            }
          }
#pragma unroll
          for (int c = 0; c < columns; ++c) {
            if (first + c >= n) continue;
#pragma unroll
            for (int r = 0; r < rows_per_thread; ++r) {
              if (!thread.has_row[r]) continue;
              int const entry = ((first + c) * n + thread.rows[r]) * W + thread.first_lane;
              store(m_factors.upper(pack, upper) + entry, sum[c][r]);
              if (upper == UpperBlock::top) {
                if (row.to_block) {
                  // Into the block after, whose barrier counts the bytes; what is no point there, nobody uses.
                  unsigned const slot = (row.above + v) % neighbour_stages;
                  StoredLanes stored;
#pragma unroll
                  for (int e = 0; e < lanes; ++e) stored.m_values[e] = static_cast<Storage>(sum[c][r][e]);
                  s.neighbours_there[slot].store_at(cuda::cluster_rank() + 1, s.neighbours + slot * (2 * block) + entry,
                                                    stored);
                }
                continue;
              }
              // For the step after: zero where there is no point.
              StoredLanes stored;
#pragma unroll
              for (int e = 0; e < lanes; ++e) {
                stored.m_values[e] = exists[e] ? static_cast<Storage>(sum[c][r][e]) : Storage(0);
              }
              *reinterpret_cast<StoredLanes*>((upper == UpperBlock::east ? s.east : s.north) + entry) = stored;
            }
          }
        }
      }
      if constexpr (!keeps_lower_as_given) {
        Storage* const to = m_factors.lower(pack, LowerBlock::bottom);
        const MatrixStorage* const from = s.given + count % stages * (stencil7_size * block);
        for (int e = threadIdx.x; e < 3 * block; e += warps * warp) to[e] = static_cast<Storage>(from[e]);
      }
      synchronize_computing();
      s.done[count % window].arrive();
    }
  }
};

template <class Factor>
__global__ void __launch_bounds__(Factor::threads, Factor::resident_blocks)
    cuda_pencil_factor_kernel(const __grid_constant__ Factor factor) {
  extern __shared__ __align__(128) std::byte cuda_pencil_factor_memory[];
  // For older devices there is nothing: a plan asks whether the kernel that would run is this one.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  factor.run(cuda_pencil_factor_memory);
#endif
}

}  // namespace hyperplane::detail
