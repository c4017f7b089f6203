// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/bfloat16.hpp>
#include <hyperplane/core/singular_pivot.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>
#include <hyperplane/cuda/progress.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_slab_inverse.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>
#include <hyperplane/sweep/part_window_cuda.hpp>
#include <hyperplane/sweep/slab_threads_cuda.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <variant>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What the factorization of a grid is given, and where things are in shared memory. `is_part`: the grid is a part of a
/// box of which other devices have what lies below and above, see CudaPartWindow.
template <class Scalar_, int n_, class Storage_, class MatrixStorage_, int vector_length, bool is_part_ = false>
struct CudaSlabFactorLayout {
  using Scalar = Scalar_;
  using Storage = Storage_;
  using MatrixStorage = MatrixStorage_;
  static constexpr int n = n_;
  static constexpr int W = vector_length;
  static constexpr bool is_part = is_part_;
  /// That compute.
  static constexpr int warps = 2;
  using Inverse = CudaSlabInverse<Scalar, n, W, warps>;
  using Threads = CudaSlabThreads<Scalar, n, W, warps>;
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
  using Scales = typename TriangularFactors<Storage, n, W>::Scales;
  static constexpr int max_stages = 2;
  /// S of a step, where factors have units.
  static constexpr int equation_values = Scales::exist ? n * W : 0;
  static constexpr std::size_t fixed_bytes =
      2 * neighbour_bytes + (Inverse::scratch_values + max_stages * equation_values) * sizeof(Scalar) + 128;
  static constexpr int stages =
      fixed_bytes + 2 * given_bytes + 4 * neighbour_bytes <= max_shared_bytes ? max_stages : 1;
  static constexpr int neighbour_stages =
      fixed_bytes + stages * given_bytes + 6 * neighbour_bytes <= max_shared_bytes ? 3 : 2;
  static constexpr std::size_t shared_bytes =
      fixed_bytes + stages * given_bytes + neighbour_stages * 2 * neighbour_bytes;
  static_assert(shared_bytes <= max_shared_bytes);
  /// Blocks of a multiprocessor, as far as registers go. With BFloat16 a fifth one gains up to 7 %, with Half, which
  /// needs more registers, it loses on smaller grids.
  static constexpr int medium_blocks = std::is_same_v<Storage, BFloat16> ? 5 : 4;
  static constexpr int resident_blocks = n <= 4 ? 5 : n <= 6 ? medium_blocks : n <= 8 ? 3 : 2;
  static constexpr int window = 4;
  static constexpr bool keeps_lower_as_given = std::is_same_v<Storage, MatrixStorage>;

  using Matrix = InterleavedRef<MatrixStorage, W, stencil7_size * n * n>;

  TriangularFactors<Storage, n, W> m_factors;
  std::int64_t m_first_pack;  ///< of the matrix
  unsigned long long* m_singular;
  int* m_progress;
  int m_steps_to_slab;  ///< after so many steps the next slab is told
  std::conditional_t<is_part, CudaPartBlocks<Storage>, std::monostate> m_outside{};

  __device__ const SlabMap<W>& map() const { return m_factors.m_map; }
  __device__ int steps() const { return map().grid().ni() + W - 1; }
  __device__ int row_count() const { return map().slabs() * map().grid().nk(); }
  __device__ static int layers() { return static_cast<int>(cuda::cluster_size()); }
  __device__ int tile_count() const { return (map().grid().nk() + layers() - 1) / layers() * map().slabs(); }

  /// Whether there is a layer below, or above, on this device or another.
  __device__ bool has_below(int k) const {
    if constexpr (is_part) return k > 0 || m_outside.received != nullptr;
    return k > 0;
  }
  __device__ bool has_above(int k) const {
    if constexpr (is_part) return k + 1 < map().grid().nk() || m_outside.above != nullptr;
    return k + 1 < map().grid().nk();
  }
  /// Whether the layer below, or above, is on another device.
  __device__ bool is_first_of_part(int k) const { return is_part && k == 0 && has_below(k); }
  __device__ bool is_last_of_part(int k) const { return is_part && k + 1 == map().grid().nk() && has_above(k); }
  /// Where what another device reads of a step begins.
  __device__ std::int64_t outside_begin(int slab, int step) const {
    return (std::int64_t{slab} * steps() + step) * block;
  }

  struct Shared {
    MatrixStorage* given;    // [stages][stencil7_size * block]
    Storage* neighbours;     // [neighbour_stages][2][block]: top blocks of the row below, north ones of the row south
    Storage* east;           // [block]: of the step before
    Storage* north;          // [block]
    Scalar* pivot_rows;      // [2][n * W]
    Scalar* exchanged_rows;  // [2][n * W]
    Scalar* equations;       // [max_stages][equation_values]
    cuda::PhaseBarrier* given_there;       // [stages]
    cuda::PhaseBarrier* neighbours_there;  // [neighbour_stages]
    cuda::PhaseBarrier* above_free;        // [neighbour_stages]: the row above, of the next block, has room
    cuda::PhaseBarrier* done;              // [window]
    int* ticket;
    std::byte* rest;  // with several grids a copy of the layout, beside shared_bytes
  };
  __device__ static Shared carve(std::byte* memory) {
    Shared s;
    s.given = reinterpret_cast<MatrixStorage*>(memory);
    s.neighbours = reinterpret_cast<Storage*>(memory + stages * given_bytes);
    s.east = s.neighbours + neighbour_stages * 2 * block;
    s.north = s.east + block;
    s.pivot_rows = reinterpret_cast<Scalar*>(s.north + block);
    s.exchanged_rows = s.pivot_rows + 2 * n * W;
    s.equations = s.exchanged_rows + 2 * n * W;
    s.given_there = reinterpret_cast<cuda::PhaseBarrier*>(s.equations + max_stages * equation_values);
    s.neighbours_there = s.given_there + stages;
    s.above_free = s.neighbours_there + neighbour_stages;
    s.done = s.above_free + neighbour_stages;
    s.ticket = reinterpret_cast<int*>(s.done + window);
    s.rest = memory + shared_bytes;
    return s;
  }

  /// The blocks of A, and S, of the step that barriers count as this one. S is replaced when the blocks have been.
  __device__ static const MatrixStorage* given_blocks(const Shared& s, unsigned count) {
    return s.given + count % stages * (stencil7_size * block);
  }
  __device__ static Scalar* equations(const Shared& s, unsigned count) {
    return s.equations + count % stages * equation_values;
  }

  /// A row of the grid, and what barriers have counted before it.
  struct Row {
    int slab;
    int k;
    std::int64_t first_pack;
    unsigned count;
    bool from_block;  ///< what the row below computes comes from the block before
    bool to_block;    ///< what the row above needs goes to the block after
    unsigned above;   ///< what the barriers of the block after have counted
  };

  /// Whether there is a point in a lane of a step, and, if there is, one before it, south or west of it or below.
  __device__ bool exists(const Row& row, int v, int lane) const {
    return row.slab * W + lane < map().grid().nj() &&
           static_cast<unsigned>(v - lane) < static_cast<unsigned>(map().grid().ni());
  }
  __device__ bool has_before(Direction direction, const Row& row, int v, int lane) const {
    return direction == Direction::bottom  ? has_below(row.k)
           : direction == Direction::south ? row.slab * W + lane > 0
                                           : v > lane;
  }

  /// C and its inverse, where factors have units, by loads that need not wait for stores before them.
  __device__ Scalar unknown(int c) const { return unit(c); }
  __device__ Scalar unknown_inverse(int c) const { return unit(n + c); }

  /// Until the device above has read the blocks of the factorization before.
  __device__ void wait_for_room_above([[maybe_unused]] const Row& row) const {
    if constexpr (is_part) {
      // Acquire: they are overwritten after it.
      while (is_last_of_part(row.k) &&
             cuda::observe_between_devices(m_outside.read_above) + 1 < m_outside.factorization) {
      }
    }
  }

  __device__ static void wait(const cuda::PhaseBarrier* barriers, int ring, unsigned number) {
    barriers[number % ring].wait(number / ring % 2);
  }

  __device__ static StoredLanes rounded(const Scalar (&values)[lanes]) {
    StoredLanes stored;
#pragma unroll
    for (int e = 0; e < lanes; ++e) stored.m_values[e] = static_cast<Storage>(values[e]);
    return stored;
  }

  /// An entry of a step into the block after, whose barrier counts the bytes; what is no point there, nobody uses. By
  /// all threads of a warp where Storage has 16 bits: the words that are sent have at least two of them.
  __device__ static void send_above(const Shared& s, unsigned step, int entry, bool has_row,
                                    const StoredLanes& stored) {
    unsigned const slot = step % neighbour_stages;
    auto& there = s.neighbours_there[slot];
    Storage* const to = s.neighbours + slot * (2 * block) + entry;
    if constexpr (sizeof(StoredLanes) >= 4) {
      if (has_row) there.store_at(cuda::cluster_rank() + 1, to, stored);
    } else {
      // The next thread has the next lane.
      unsigned const bits = stored.m_values[0].m_bits;
      unsigned const both = bits | __shfl_down_sync(~0u, bits, 1) << 16;
      if (has_row && entry % 2 == 0) there.store_at(cuda::cluster_rank() + 1, to, both);
    }
  }

  /// An entry of a step of the last layer into the memory of the device above, which does not use what is no point.
  /// `excess` is what cannot be stored; of 16 bits what fits is looked at in the end of the step.
  __device__ void send_to_part_above(const Row& row, int v, int entry, const StoredLanes& stored,
                                     Storage (&excess)[lanes]) const {
    if (!is_last_of_part(row.k)) return;
    *reinterpret_cast<StoredLanes*>(m_outside.above + outside_begin(row.slab, v) + entry) = stored;
    if constexpr (!ShortReal<Storage>) {
#pragma unroll
      for (int e = 0; e < lanes; ++e) excess[e] += stored.m_values[e] * Storage(0);
    }
  }
  /// What a point of that layer leaves to the one above cannot be stored. As in a box it is recorded at the point
  /// above, but here, since the part above cannot know why.
  __device__ void record_above(const Row& row, int v, int lane) const {
    record({v - lane, row.slab * W + lane, row.k + 1}, unstorable_code);
  }

  __device__ void record(const Point& p, int code) const {
    // Relaxed: the word carries everything and is read after the kernel.
    atomicMin(m_singular, static_cast<unsigned long long>(singular_pivot_word(map().grid().index(p), code)));
  }

  /// That entry e of the lower blocks of a step cannot be stored.
  __device__ void report_lower(const Row& row, int v, int e) const {
    int const lane = e % W;
    Point const p{v - lane, row.slab * W + lane, row.k};
    auto const direction = static_cast<Direction>(e / block);
    if (map().grid().contains(p) && map().grid().contains(neighbour(p, direction))) record(p, unstorable_code);
  }

 private:
  __device__ Scalar unit(int number) const {
    if constexpr (Scales::exist) {
      return static_cast<Scalar>(__ldg(m_factors.m_scales.m_units + number));
    } else {
      return 1;
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
