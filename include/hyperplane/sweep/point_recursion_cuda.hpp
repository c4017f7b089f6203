// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/packet.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>
#include <hyperplane/cuda/shared_packet.hpp>
#include <hyperplane/cuda/warp_copies.hpp>
#include <hyperplane/grid/slab_map.hpp>

#include <cstddef>
#include <cstdint>

/// Recursions over the points of a grid on CUDA, where what a point passes on is a few scalars: the sweeps of ILU(0)
/// and SIP with one unknown per point, and the coefficients of SIP.
///
/// A warp computes a beam: W neighbouring rows j (a slab) of 32 / W layers k, a point of each row a step. Lane a of
/// layer b is at i = v - a - b in step v, so that all points of a step lie on a hyperplane: the west neighbour is the
/// thread's own point of the step before, the south and bottom neighbours are those of other lanes of the step before,
/// which shuffles bring, without any barrier. Neighbours in other beams come in packets (value and stamp in one word):
/// from the beam below in the same block through shared memory, from other blocks through global memory, which warps of
/// their own poll and bring to shared memory. Coefficients and vectors, which depend on nothing, come by copies
/// that run ahead, issued by warps of their own too, so that the warp that computes only computes.
///
/// A block has neighbouring beams of one slab, a tile. No deadlock, whatever else runs on the device: tiles are taken
/// by ticket, and their order is topological. The tile of the lowest ticket that has not finished depends on finished
/// ones alone, and the block that drew it is running.
///
/// A backward recursion is the forward recursion of the mirrored grid, so that the code counts mirrored slabs,
/// layers, steps and lanes, and only addresses turn them back.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Words between the blocks of one launch and from launch to launch; zero at first, left ready by the last block.
struct PointRecursionState {
  int m_ticket;
  int m_first_finished;
  int m_second_finished;
  int m_exited;
  unsigned long long m_epoch;  ///< stamps that launches have used

  /// By a thread of each block when there are no tickets left for it: the last one makes the state ready for the next
  /// launch, and is told so. `stamps`: those of this launch.
  __device__ bool leave(int stamps) {
    __threadfence();
    bool const is_last = atomicAdd(&m_exited, 1) == static_cast<int>(gridDim.x) - 1;
    __threadfence();
    if (!is_last) return false;
    // All other blocks have drawn their last ticket.
    m_ticket = 0;
    m_first_finished = 0;
    m_second_finished = 0;
    m_exited = 0;
    m_epoch += stamps;
    return true;
  }
};

/// What brings words of 128 bits, which packets are.
inline constexpr int point_recursion_capability = 70;
/// Beams of a tile, at most.
inline constexpr int point_recursion_max_beams = 4;

/// What all beams share. `passed` scalars go from a point to the next one in each direction, which in a backward
/// recursion is called as in the mirrored grid.
template <class Scalar_, int W_, int passed_>
struct PointRecursion {
  using Scalar = Scalar_;
  using Packet = cuda::Packet<Scalar>;
  using SharedPacket = cuda::SharedPacket<Scalar>;
  using Stamp = typename Packet::Stamp;
  using Map = SlabMap<W_>;
  static constexpr int W = W_;
  static constexpr int passed = passed_;
  static constexpr int warp = 32;
  static constexpr int layers = warp / W;
  /// Steps whose inputs a beam has, or has under way, in shared memory; fewer where a point has more of them, so that
  /// there is room for as many beams.
  static constexpr int window = passed == 1 ? 32 : 16;

  Map m_map;
  Packet* m_south_packets;
  Packet* m_bottom_packets;
  const int* m_order;
  PointRecursionState* m_state;
  int m_beams;  ///< of a tile
  int m_tiles;
  bool m_keep;  ///< whether what is read fits into the L2 cache

  HYPERPLANE_FUNCTION static int beams_k(const Grid& grid) { return (grid.nk() + layers - 1) / layers; }
  static int tiles_k(const Grid& grid, int beams) { return (beams_k(grid) + beams - 1) / beams; }
  static std::size_t south_packet_count(const Map& map) {
    return std::size_t(map.slabs()) * beams_k(map.grid()) * (map.grid().ni() + layers - 1) * layers * passed;
  }
  static std::size_t bottom_packet_count(const Map& map, int beams) {
    return std::size_t(tiles_k(map.grid(), beams)) * map.slabs() * (map.grid().ni() + W - 1) * W * passed;
  }

  __device__ const Grid& grid() const { return m_map.grid(); }
  /// Steps of a row, and of a beam.
  __device__ int row_steps() const { return grid().ni() + W - 1; }
  __device__ int steps() const { return row_steps() + layers - 1; }
  /// Packets that a beam gets from the south: of step v, the layers b, at v * layers + b.
  __device__ Packet* south_packets(int slab, int beam) const {
    return m_south_packets +
           (std::int64_t{slab} * beams_k(grid()) + beam) * ((grid().ni() + layers - 1) * layers * passed);
  }
  /// Packets that the first beam of a tile gets from below: of step v, the lanes a, at v * W + a.
  __device__ Packet* bottom_packets(int slab, int tile_k) const {
    return m_bottom_packets + (std::int64_t{tile_k} * m_map.slabs() + slab) * ((grid().ni() + W - 1) * W * passed);
  }
  template <bool forward>
  __device__ int stored_slab(int slab) const {
    return forward ? slab : m_map.slabs() - 1 - slab;
  }
  /// The pack of the first step of a row.
  template <bool forward>
  __device__ std::int64_t first_pack(int slab, int layer) const {
    auto const first = stored_slab<forward>(slab) * m_map.steps();
    return forward ? first + layer * m_map.pitch()
                   : first + (grid().nk() - 1 - layer) * m_map.pitch() + row_steps() - 1;
  }
  /// Whether lane a of a slab is a row of the grid.
  template <bool forward>
  __device__ bool has_row(int slab, int a) const {
    return stored_slab<forward>(slab) * W + (forward ? a : W - 1 - a) < grid().nj();
  }
};

/// A stage of a beam: a chunk of steps of its coefficients and vectors. Rows are apart by so much more than their
/// values that the layers do not meet in a memory bank.
template <class Recursion, class Work>
struct PointRecursionStage {
  using Coefficient = typename Work::Coefficient;
  using Scalar = typename Recursion::Scalar;
  static constexpr int W = Recursion::W;
  static constexpr int coefficient_pack = Work::coefficients * W * static_cast<int>(sizeof(Coefficient));
  static constexpr int vector_pack = W * static_cast<int>(sizeof(Scalar));
  /// Long chunks, where they fit: a bulk copy takes its time however short it is.
  static constexpr int chunk =
      Recursion::window >= 32 && Recursion::layers * (coefficient_pack + Work::vectors * vector_pack) <= 1280 ? 16 : 8;
  static constexpr int stages = Recursion::window / chunk;
  static constexpr int coefficient_row = chunk * coefficient_pack + W * static_cast<int>(sizeof(Coefficient));
  static constexpr int vector_row = chunk * vector_pack + W * static_cast<int>(sizeof(Scalar));
  static constexpr int bytes = Recursion::layers * (coefficient_row + Work::vectors * vector_row);
};

/// What a beam has in shared memory.
template <class Recursion, int stage_bytes, int stages>
struct PointRecursionBeam {
  using SharedPacket = typename Recursion::SharedPacket;
  using Stage = std::byte[stage_bytes];
  alignas(128) Stage stage[stages];
  SharedPacket south[Recursion::window][Recursion::layers][Recursion::passed];
  SharedPacket bottom[Recursion::window][Recursion::W][Recursion::passed];
  cuda::PhaseBarrier arrived[stages];  ///< the chunk is there
  cuda::PhaseBarrier used[stages];     ///< its steps are done, and with them those of the packets of a window ago
};

/// What the warps of a block share that serves recursions whose inputs are no wider than those of `Widest`.
template <class Recursion_, class Widest>
struct PointRecursionBlock {
  using Recursion = Recursion_;
  template <class Work>
  using Stage = PointRecursionStage<Recursion, Work>;
  static constexpr int chunk = Stage<Widest>::chunk;
  static constexpr int stages = Stage<Widest>::stages;
  static constexpr int vectors = Widest::vectors;
  using Beam = PointRecursionBeam<Recursion, Stage<Widest>::bytes, stages>;

  using Scalar = typename Recursion::Scalar;
  using Packet = typename Recursion::Packet;
  using SharedPacket = typename Recursion::SharedPacket;
  using Stamp = typename Recursion::Stamp;
  static constexpr int W = Recursion::W;
  static constexpr int layers = Recursion::layers;
  static constexpr int passed = Recursion::passed;
  static constexpr int window = Recursion::window;
  static constexpr int warp = Recursion::warp;
  static constexpr unsigned all_lanes = 0xffffffffu;

  /// Warps: for each beam one that computes and one that moves, and those that receive packets, a row a lane.
  HYPERPLANE_FUNCTION static constexpr int receivers(int beams) { return (beams * layers + W + warp - 1) / warp; }
  HYPERPLANE_FUNCTION static constexpr int threads(int beams) { return (2 * beams + receivers(beams)) * warp; }
  static constexpr std::size_t shared_bytes(int beams) { return beams * sizeof(Beam); }

  struct Tile {
    int slab;
    int index_k;
    Stamp stamp;
    std::uint32_t ring_stamp;  ///< of step 0
  };

  __device__ static int chunk_count(const Recursion& r) { return (r.steps() + chunk - 1) / chunk; }
  /// Waits until the steps of a turn before this chunk are done.
  __device__ static void wait_for_room(const Beam& beam, unsigned number) {
    if (number >= stages) beam.used[number % stages].wait((number / stages + 1) % 2);
  }
  /// Makes the barriers and rings of the beams ready. By the whole block, which then waits for itself.
  __device__ static void initialize(Beam* beams, int count) {
    for (int e = threadIdx.x; e < count * stages; e += blockDim.x) {
      beams[e / stages].arrived[e % stages].initialize(cuda::WarpCopies::arrivals_of_each(layers * (1 + vectors)));
      beams[e / stages].used[e % stages].initialize(warp);
    }
    cuda::PhaseBarrier::fence_initialized();
    for (int b = 0; b < count; ++b) {
      // Stamps of no step.
      for (int e = threadIdx.x; e < window * layers * passed; e += blockDim.x)
        SharedPacket::store(&beams[b].south[0][0][0] + e, 0, 0);
      for (int e = threadIdx.x; e < window * W * passed; e += blockDim.x)
        SharedPacket::store(&beams[b].bottom[0][0][0] + e, 0, 0);
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
