// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/packet.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>
#include <hyperplane/sweep/detail/slab_solve_cuda_stage.hpp>
#include <hyperplane/sweep/part_window_cuda.hpp>
#include <hyperplane/sweep/slab_shape_cuda.hpp>
#include <hyperplane/sweep/slab_threads_cuda.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <variant>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Steps of a row whose values are kept in shared memory.
inline constexpr int cuda_slab_window = 8;

/// What the slab solve of a grid is given, where things are in shared memory, and which part of the grid is whose.
/// `is_part`: the grid is a part of a box of which other devices have what lies below and above, see CudaPartWindow.
/// `transposed`: the sweeps are those with M^T, see slab_solve_cuda_transposed.hpp.
template <class Scalar_, int n_, class Storage_, int vector_length, bool is_part_ = false, bool transposed_ = false>
struct CudaSlabLayout {
  using Scalar = Scalar_;
  using Storage = Storage_;
  static constexpr int n = n_;
  static constexpr int W = vector_length;
  static constexpr bool is_part = is_part_;
  static constexpr bool transposed = transposed_;
  using Threads = CudaSlabThreads<Scalar, n, W>;
  static constexpr int warp = Threads::warp;
  static constexpr int lanes = Threads::lanes;
  static constexpr int lane_threads = Threads::lane_threads;
  static constexpr int rows_per_thread = Threads::rows_per_thread;
  static constexpr int window = cuda_slab_window;
  using Stage = CudaSlabStage<Scalar, n, Storage, W>;
  static constexpr int chunk = Stage::chunk;
  /// Values of a lane in a ring: so many that no two lane threads meet in a memory bank.
  static constexpr int pitch = (n + 1) / 4 * 4 + 2;
  static constexpr int ring_slot = (W + 1) * pitch;
  static constexpr int vector_pack = n * W;
  /// Whether the blocks of a step fit into registers, so that they can be read before the step begins.
  static constexpr bool preload = rows_per_thread * 2 * n * 16 <= 192;
  static_assert(pitch >= n && pitch % 2 == 0);
  /// See cuda_slab_tall_from. Not with M^T, where more of a step is in registers; parts and float were not tried.
  static constexpr bool tries_tall = !is_part && !transposed && std::is_same_v<Scalar, double>;
  static constexpr int block_values = n * lanes * rows_per_thread;  ///< that a thread has
  static constexpr int tall_from = tries_tall ? cuda_slab_tall_from(n, sizeof(Storage), block_values) : 0;
  using Packet = cuda::Packet<Scalar>;
  using Stamp = typename Packet::Stamp;
  using Lanes = CudaVector<Scalar, lanes>;
  using StoredLanes = CudaVector<Storage, lanes>;
  using Equations = CudaVector<BFloat16, lanes>;
  using Scales = typename TriangularFactors<Storage, n, W>::Scales;
  using Pair = CudaVector<Scalar, 2>;

  TriangularFactors<Storage, n, W> m_factors;
  std::int64_t m_first_pack;  ///< of vectors
  Packet* m_south_packets;
  Packet* m_bottom_packets;
  int* m_forward_finished;  ///< blocks that have finished a tile of the forward sweep, counted for each tile
  CudaSlabShape m_shape;
  int m_tiles;          ///< of one sweep
  bool m_keep_factors;  ///< whether the factors fit into the L2 cache
  std::conditional_t<is_part, CudaPartPackets<Packet>, std::monostate> m_outside{};

  static constexpr std::size_t factor_bytes = Stage::factor_bytes;
  static constexpr std::size_t vector_bytes = Stage::vector_bytes;
  static constexpr std::size_t stage_bytes = Stage::bytes;
  static constexpr std::size_t row_bytes =
      (window * (ring_slot + vector_pack) + W * pitch) * sizeof(Scalar) + 3 * window * sizeof(cuda::PhaseBarrier);

  static constexpr std::size_t ticket_bytes = 16;

  static constexpr CudaSlabMemory memory{
      stage_bytes + sizeof(cuda::PhaseBarrier), row_bytes,
      std::size_t{window} * (ring_slot * sizeof(Scalar) + sizeof(cuda::PhaseBarrier)) + ticket_bytes};
  /// Warps: for each row one that computes, one that prepares and one that moves; for two rows one that receives from
  /// the south; one that receives from below.
  static constexpr int threads(int layers) { return (3 * layers + (layers + 1) / 2 + 1) * warp; }
  static std::size_t south_packet_count(const SlabMap<W>& map) {
    return std::size_t(map.slabs()) * map.grid().nk() * map.grid().ni() * n;
  }
  static std::size_t bottom_packet_count(const SlabMap<W>& map, int tile_layers) {
    int const tiles_k = (map.grid().nk() + tile_layers - 1) / tile_layers;
    return std::size_t(tiles_k) * map.slabs() * (map.grid().ni() + W - 1) * n * W;
  }

  __device__ const SlabMap<W>& map() const { return m_factors.m_map; }
  /// Packs of a row.
  __device__ int steps() const { return map().grid().ni() + W - 1; }
  __device__ Packet* south_packets(int slab, int layer) const {
    return m_south_packets + (std::int64_t{slab} * map().grid().nk() + layer) * map().grid().ni() * n;
  }
  __device__ Packet* bottom_packets(int slab, int tile_k) const {
    return m_bottom_packets + (std::int64_t{tile_k} * map().slabs() + slab) * steps() * (n * W);
  }

  /// Whether another device has what comes before the first layer of a sweep, and where what comes after the last one
  /// is to be stored; null: nowhere.
  __device__ bool has_layers_before(bool forward) const {
    if constexpr (is_part) return (forward ? m_outside.below : m_outside.above) != nullptr;
    return false;
  }
  __device__ Packet* packets_after(bool forward) const {
    if constexpr (is_part) return forward ? m_outside.above : m_outside.below;
    return nullptr;
  }
  __device__ Packet* packets_of_slab(Packet* first, int slab) const {
    return first + std::int64_t{slab} * steps() * (n * W);
  }

  /// The vectors of a call.
  struct Vectors {
    using Vector = InterleavedRef<Scalar, W, n>;
    Vector rhs;
    Vector y;  ///< of the forward sweep, what the backward sweep begins with
    Vector x;
  };

  /// Ring r holds the latest steps of row r - 1 of the tile, ring 0 those of the layer below the tile. A slot is W + 1
  /// lanes of `pitch` values; the first is the south neighbour of lane 0 in the step after.
  struct Shared {
    std::byte* stages;            // [layers][stages]: chunks of factors and right-hand sides
    Scalar* rings;                // [layers + 1][window][ring_slot]
    Scalar* prepared;             // [layers][window][vector_pack]: right-hand side less the bottom product; with M^T
                                  // the unknowns, for those who need them all
    Scalar* sums;                 // [layers][W][pitch]
    cuda::PhaseBarrier* arrived;  // [layers][stages]: the chunk is there
    cuda::PhaseBarrier* done;     // [layers + 1][window]: the step is in the ring, and what it needed is free
    cuda::PhaseBarrier* ready;    // [layers][window]: all that the step needs is there, and the slot is free
    cuda::PhaseBarrier* known;    // [layers][window]: with M^T, the unknowns of the step are there
    int* ticket;
    std::byte* rest;  // with several grids a copy of the layout, beside what `memory` says
  };
  __device__ static Shared carve(std::byte* memory, const CudaSlabShape& shape) {
    Shared s;
    int const layers = shape.layers;
    s.stages = memory;
    s.rings = reinterpret_cast<Scalar*>(s.stages + std::size_t(layers) * shape.stages * stage_bytes);
    s.prepared = s.rings + (layers + 1) * window * ring_slot;
    s.sums = s.prepared + layers * window * vector_pack;
    s.arrived = reinterpret_cast<cuda::PhaseBarrier*>(s.sums + layers * W * pitch);
    s.done = s.arrived + layers * shape.stages;
    s.ready = s.done + (layers + 1) * window;
    s.known = s.ready + layers * window;
    s.ticket = reinterpret_cast<int*>(s.known + layers * window);
    s.rest = reinterpret_cast<std::byte*>(s.ticket) + ticket_bytes;
    return s;
  }

  /// The part of a tile that a block of the cluster computes.
  struct Tile {
    int slab;
    int first_layer;
    int index_k;        ///< of the tile of the cluster
    int rows;           ///< of this block
    bool from_block;    ///< bottom neighbours come from the block before
    bool from_packets;  ///< or in packets
    bool to_block;      ///< values of the last row go to the block after
    bool to_packets;    ///< or leave in packets
    bool from_device;   ///< in packets of another device
    bool to_device;     ///< in packets to another device
  };
  __device__ Tile tile(int number, [[maybe_unused]] bool forward) const {
    Tile t;
    int const rank = static_cast<int>(cuda::cluster_rank());
    int const blocks = static_cast<int>(cuda::cluster_size());
    int const layers = map().grid().nk();
    t.slab = number % map().slabs();
    t.index_k = number / map().slabs();
    t.first_layer = (t.index_k * blocks + rank) * m_shape.layers;
    t.rows = max(0, min(m_shape.layers, layers - t.first_layer));
    t.from_block = rank > 0 && t.rows > 0;
    t.from_packets = rank == 0 && t.index_k > 0;
    bool const more = t.first_layer + m_shape.layers < layers;
    t.to_block = rank + 1 < blocks && more;
    t.to_packets = rank + 1 == blocks && more;
    t.from_device = false;
    t.to_device = false;
    if constexpr (is_part) {
      t.from_device = rank == 0 && t.index_k == 0 && has_layers_before(forward);
      t.to_device = t.rows > 0 && !more && packets_after(forward) != nullptr;
      t.from_packets = t.from_packets || t.from_device;
      t.to_packets = t.to_packets || t.to_device;
    }
    return t;
  }

  /// A step in the count of a barrier, which goes on from tile to tile.
  struct Step {
    unsigned slot;
    unsigned parity;
    __device__ explicit Step(unsigned number) : slot(number % window), parity(number / window % 2) {}
  };
  __device__ static void wait(const cuda::PhaseBarrier* barriers, unsigned number) {
    Step const step(number);
    barriers[step.slot].wait(step.parity);
  }

  /// What the barriers of a row have counted before this tile.
  struct Counts {
    unsigned chunks = 0;
    unsigned bottom = 0;  ///< of the ring below
    unsigned own = 0;
    unsigned remote = 0;  ///< of the ring in another block
  };

  __device__ void count(Counts& counts, const Tile& t, int row) const {
    bool const exists = row < t.rows;
    bool const below = row == 0 ? t.from_block || t.from_packets : row <= t.rows;
    counts.chunks += exists ? (steps() + chunk - 1) / chunk : 0;
    counts.own += exists ? steps() : 0;
    counts.bottom += below ? steps() : 0;
    counts.remote += row + 1 == t.rows && t.to_block ? steps() : 0;
  }

  /// Arrivals that make a step ready, of all threads of a warp each: its sums are prepared, its results of a window ago
  /// are stored, those who read its ring are done with the slot, and the south neighbour of lane 0 is there.
  static constexpr int arrivals_to_be_ready = 4 * warp;
  /// And to be done: of the warp that computes it; with M^T also of the one that multiplies for the layer above.
  static constexpr int arrivals_to_be_done = (transposed ? 2 : 1) * warp;

  /// Where a row is, and which part of it a thread has.
  template <bool forward>
  struct Row : Threads {
    using Threads::first_lane;  // counted, not stored
    int all_steps;
    int layer;
    int slab;
    unsigned points[lanes];  ///< of the lane: all or none
    int stored_lane;
    std::int64_t first_pack;

    __device__ Row(const CudaSlabLayout& solve, const Tile& t, int row) {
      auto const& map = solve.map();
      all_steps = solve.steps();
      layer = t.first_layer + row;
      slab = forward ? t.slab : map.slabs() - 1 - t.slab;
      stored_lane = forward ? first_lane : W - lanes - first_lane;
#pragma unroll
      for (int m = 0; m < lanes; ++m) {
        points[m] = slab * W + stored_lane + stored(m) < map.grid().nj() ? map.grid().ni() : 0;
      }
      int const k = forward ? layer : map.grid().nk() - 1 - layer;
      first_pack = map.first_pack(slab, k);
    }
    /// Position in memory of a thread's lane.
    __device__ static constexpr int stored(int m) { return forward ? m : lanes - 1 - m; }
    /// Whether there is a point in a thread's lane.
    __device__ bool exists(int step, int m) const { return static_cast<unsigned>(step - first_lane - m) < points[m]; }
    __device__ std::int64_t pack(int step) const { return first_pack + (forward ? step : all_steps - 1 - step); }
    __device__ int packs_of(int chunk_number) const { return min(chunk, all_steps - chunk_number * chunk); }
  };

  /// Blocks of a point that a sweep reads. Sweeps with M^T read those of the plain sweep that goes the other way, and
  /// so from the end of its stream: their chunks hold the pack of the last step first.
  template <bool forward>
  static constexpr int blocks = forward != transposed ? lower_blocks : upper_blocks;

  /// Where a chunk of `packs` has what comes with a step.
  __device__ static int pack_in_stage(int in_chunk, int packs) { return transposed ? packs - 1 - in_chunk : in_chunk; }

  template <bool forward>
  __device__ static const Storage* factors_of(const std::byte* stage, int in_chunk, int packs,
                                              const Row<forward>& row) {
    return reinterpret_cast<const Storage*>(stage) + pack_in_stage(in_chunk, packs) * (blocks<forward> * n * n * W) +
           row.stored_lane;
  }

  /// sum -= A(:, c) value for the thread's rows and lanes.
  __device__ static void subtract(Scalar (&sum)[rows_per_thread][lanes], const StoredLanes (&a)[rows_per_thread],
                                  const Scalar (&value)[lanes], bool forward) {
#pragma unroll
    for (int r = 0; r < rows_per_thread; ++r) {
#pragma unroll
      for (int m = 0; m < lanes; ++m) {
        sum[r][m] -= static_cast<Scalar>(a[r].m_values[forward ? m : lanes - 1 - m]) * value[m];
      }
    }
  }

  /// Column c of a block, with M^T that of the transposed block.
  template <bool forward>
  __device__ static void load_column(const Storage* factors, int block, int c, const Row<forward>& row,
                                     StoredLanes (&a)[rows_per_thread]) {
#pragma unroll
    for (int r = 0; r < rows_per_thread; ++r) {
      int const entry = transposed ? row.rows[r] * n + c : c * n + row.rows[r];
      a[r] = *reinterpret_cast<const StoredLanes*>(factors + (block * n * n + entry) * W);
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
