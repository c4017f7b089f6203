// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/cuda/packet.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>
#include <hyperplane/cuda/progress.hpp>
#include <hyperplane/cuda/shared_packet.hpp>
#include <hyperplane/grid/pencil_map.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Recursions over the points of a grid on CUDA, where what a point passes on is a few scalars: the sweeps of ILU(0)
/// and SIP with one unknown a point, and the coefficients of SIP.
///
/// A warp computes a beam: W neighbouring rows j (a pencil) of 32 / W layers k, a point of each row a step. Lane a of
/// layer b is at i = v - a - b in step v, so that all points of a step lie on a hyperplane: the west neighbour is the
/// thread's own point of the step before, the south and bottom neighbours are those of other lanes of the step before,
/// which shuffles bring, without any barrier. Neighbours in other beams come in packets (value and stamp in one word):
/// from the beam below in the same block through shared memory, from other blocks through global memory, which warps of
/// their own poll and bring to shared memory. Coefficients and vectors, which depend on nothing, come by bulk copies
/// that run ahead, issued by warps of their own too, so that the warp that computes only computes.
///
/// A block has neighbouring beams of one pencil, a tile. No deadlock, whatever else runs on the device: tiles are taken
/// by ticket, and their order is topological. The tile of the lowest ticket that has not finished depends on finished
/// ones alone, and the block that drew it is running.
///
/// A backward recursion is the forward recursion of the mirrored grid, so that the code counts mirrored pencils,
/// layers, steps and lanes, and only addresses turn them back.
namespace hyperplane::detail {

/// Words between the blocks of one launch and from launch to launch; zero at first, left ready by the last block.
struct PointRecursionState {
  int m_ticket;
  int m_first_finished;
  int m_exited;
  int m_unused;
  unsigned long long m_epoch;
};

/// Beams of a tile, at most.
inline constexpr int point_recursion_max_beams = 4;

/// What all beams share. `passed` scalars go from a point to the next ones.
template <class Scalar_, int W_, int passed_>
struct PointRecursion {
  using Scalar = Scalar_;
  using Packet = cuda::Packet<Scalar>;
  using SharedPacket = cuda::SharedPacket<Scalar>;
  using Stamp = typename Packet::Stamp;
  using Map = PencilMap<W_>;
  static constexpr int W = W_;
  static constexpr int passed = passed_;
  static constexpr int warp = 32;
  static constexpr int layers = warp / W;
  /// Steps whose inputs a beam has, or has under way, in shared memory.
  static constexpr int window = 32;

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
    return std::size_t(map.pencils()) * beams_k(map.grid()) * (map.grid().ni() + layers - 1) * layers * passed;
  }
  static std::size_t bottom_packet_count(const Map& map, int beams) {
    return std::size_t(tiles_k(map.grid(), beams)) * map.pencils() * (map.grid().ni() + W - 1) * W * passed;
  }

  __device__ const Grid& grid() const { return m_map.grid(); }
  /// Steps of a row, and of a beam.
  __device__ int row_steps() const { return grid().ni() + W - 1; }
  __device__ int steps() const { return row_steps() + layers - 1; }
  /// Packets that a beam gets from the south: of step v, the layers b, at v * layers + b.
  __device__ Packet* south_packets(int pencil, int beam) const {
    return m_south_packets +
           (std::int64_t{pencil} * beams_k(grid()) + beam) * ((grid().ni() + layers - 1) * layers * passed);
  }
  /// Packets that the first beam of a tile gets from below: of step v, the lanes a, at v * W + a.
  __device__ Packet* bottom_packets(int pencil, int tile_k) const {
    return m_bottom_packets + (std::int64_t{tile_k} * m_map.pencils() + pencil) * ((grid().ni() + W - 1) * W * passed);
  }
  template <bool forward>
  __device__ int stored_pencil(int pencil) const {
    return forward ? pencil : m_map.pencils() - 1 - pencil;
  }
  /// The pack of the first step of a row.
  template <bool forward>
  __device__ std::int64_t first_pack(int pencil, int layer) const {
    auto const first = stored_pencil<forward>(pencil) * m_map.steps();
    return forward ? first + layer * m_map.pitch()
                   : first + (grid().nk() - 1 - layer) * m_map.pitch() + row_steps() - 1;
  }
  /// Whether lane a of a pencil is a row of the grid.
  template <bool forward>
  __device__ bool has_row(int pencil, int a) const {
    return stored_pencil<forward>(pencil) * W + (forward ? a : W - 1 - a) < grid().nj();
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
  static constexpr int chunk = Recursion::layers * (coefficient_pack + Work::vectors * vector_pack) <= 1280 ? 16 : 8;
  static constexpr int stages = Recursion::window / chunk;
  static constexpr int coefficient_row = chunk * coefficient_pack + W * static_cast<int>(sizeof(Coefficient));
  static constexpr int vector_row = chunk * vector_pack + W * static_cast<int>(sizeof(Scalar));
  static constexpr int bytes = Recursion::layers * (coefficient_row + Work::vectors * vector_row);
};

/// What a beam has in shared memory.
template <class Recursion, int stage_bytes, int stages>
struct PointRecursionBeam {
  using SharedPacket = typename Recursion::SharedPacket;
  alignas(128) std::byte stage[stages][stage_bytes];
  SharedPacket south[Recursion::window][Recursion::layers][Recursion::passed];
  SharedPacket bottom[Recursion::window][Recursion::W][Recursion::passed];
  cuda::PhaseBarrier arrived[stages];  ///< the chunk is there
  cuda::PhaseBarrier used[stages];     ///< its steps are done, and with them those of the packets of a window ago
};

/// The work of one launch: one recursion, or two of which the second begins when the first is complete.
template <class Recursion_, class First_, class Second_>
struct PointRecursionLaunch {
  using Recursion = Recursion_;
  using First = First_;
  using Second = Second_;
  static constexpr bool has_second = !std::is_same_v<First, Second>;
  template <class Work>
  using Stage = PointRecursionStage<Recursion, Work>;
  static constexpr int chunk = Stage<First>::chunk;
  static constexpr int stages = Stage<First>::stages;
  static_assert(Stage<Second>::chunk == chunk);
  using Beam = PointRecursionBeam<Recursion, Stage<First>::bytes, stages>;
  static_assert(Stage<Second>::bytes <= Stage<First>::bytes);

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

  Recursion m_recursion;
  First m_first;
  Second m_second;

  /// Warps: for each beam one that computes and one that moves, and those that receive packets, a row a lane.
  static constexpr int receivers(int beams) { return (beams * layers + W + warp - 1) / warp; }
  static constexpr int threads(int beams) { return (2 * beams + receivers(beams)) * warp; }
  static constexpr std::size_t shared_bytes(int beams) { return beams * sizeof(Beam); }

  struct Tile {
    int pencil;
    int index_k;
    Stamp stamp;
    std::uint32_t ring_stamp;  ///< of step 0
  };

  __device__ void run(std::byte* memory) const {
    __shared__ int drawn;
    auto* const beams = reinterpret_cast<Beam*>(memory);
    auto const& r = m_recursion;
    for (int e = threadIdx.x; e < r.m_beams * stages; e += blockDim.x) {
      beams[e / stages].arrived[e % stages].initialize(layers * (1 + First::vectors));
      beams[e / stages].used[e % stages].initialize(warp);
    }
    cuda::PhaseBarrier::fence_initialized();
    for (int b = 0; b < r.m_beams; ++b) {
      // Stamps of no step.
      for (int e = threadIdx.x; e < window * layers * passed; e += blockDim.x)
        SharedPacket::store(&beams[b].south[0][0][0] + e, 0, 0);
      for (int e = threadIdx.x; e < window * W * passed; e += blockDim.x)
        SharedPacket::store(&beams[b].bottom[0][0][0] + e, 0, 0);
    }
    auto const epoch = static_cast<Stamp>(2 * r.m_state->m_epoch);
    int const role = threadIdx.x / warp;
    unsigned chunks = 0;       // that the barriers of the beam that this warp serves have counted
    unsigned next_chunks = 0;  // and those of the beam below it
    std::uint32_t ring_stamp = 1;
    while (true) {
      __syncthreads();
      // Not while the tile before is still under way: a block that is busy would keep others from the tile.
      if (threadIdx.x == 0) {
        drawn = atomicAdd(&r.m_state->m_ticket, 1);
        if (has_second && drawn >= r.m_tiles && drawn < 2 * r.m_tiles) {
          while (cuda::observe(&r.m_state->m_first_finished) < r.m_tiles) {
          }
        }
      }
      __syncthreads();
      int const ticket = drawn;
      if (ticket >= (has_second ? 2 : 1) * r.m_tiles) break;
      bool const first = ticket < r.m_tiles;
      int const number = r.m_order[first ? ticket : ticket - r.m_tiles];
      Tile const t{number % r.m_map.pencils(), number / r.m_map.pencils(), epoch + (first ? 1 : 2), ring_stamp};
      ring_stamp += r.steps() + window;
      if (first) {
        work(m_first, t, role, beams, chunks, next_chunks);
      } else if constexpr (has_second) {
        // What the first recursion has written is read by bulk copies.
        cuda::fence_before_copies_of_results();
        work(m_second, t, role, beams, chunks, next_chunks);
      }
      if (has_second && first) {
        // Release: what all warps of the block wrote comes before the count, by the barrier.
        __syncthreads();
        if (threadIdx.x == 0) cuda::add_release(&r.m_state->m_first_finished, 1);
      }
    }
    if (threadIdx.x == 0) {
      __threadfence();
      bool const is_last = atomicAdd(&r.m_state->m_exited, 1) == static_cast<int>(gridDim.x) - 1;
      __threadfence();
      if (is_last) {
        // All other blocks have drawn their last ticket.
        r.m_state->m_ticket = 0;
        r.m_state->m_first_finished = 0;
        r.m_state->m_exited = 0;
        r.m_state->m_epoch += 1;
      }
    }
  }

 private:
  template <class Work>
  __device__ void work(const Work& work, const Tile& t, int role, Beam* beams, unsigned& chunks,
                       unsigned& next_chunks) const {
    int const count = m_recursion.m_beams;
    if (role < count) {
      compute(work, t, role, beams[role], beams + role + 1, chunks, next_chunks);
    } else if (role < 2 * count) {
      move(work, t, role - count, beams[role - count], chunks);
    } else {
      receive<Work>(t, role - 2 * count, beams, chunks);
    }
  }

  __device__ int chunk_count() const { return (m_recursion.steps() + chunk - 1) / chunk; }
  /// Waits until the steps of a turn before this chunk are done.
  __device__ static void wait_for_room(const Beam& beam, unsigned number) {
    if (number >= stages) beam.used[number % stages].wait((number / stages + 1) % 2);
  }

  /// Keeps the copies of a beam going: a lane for each row of coefficients or of a vector.
  template <class Work>
  __device__ void move(const Work& work, const Tile& t, int beam_of_tile, Beam& beam, unsigned& chunks) const {
    using Stage = PointRecursionStage<Recursion, Work>;
    constexpr bool forward = Work::forward;
    static_assert(Work::vectors == First::vectors && layers * (1 + Work::vectors) <= warp);
    auto const& r = m_recursion;
    int const nk = r.grid().nk();
    int const index = t.index_k * r.m_beams + beam_of_tile;
    if (index * layers >= nk) return;
    unsigned const before = chunks;
    chunks += chunk_count();
    int const lane = threadIdx.x % warp;
    if (lane >= layers * (1 + Work::vectors)) return;
    int const row = lane % layers;
    int const vector = lane / layers - 1;
    bool const has_layer = index * layers + row < nk;
    auto const pack = r.template first_pack<forward>(t.pencil, min(index * layers + row, nk - 1));
    auto const* const source = vector < 0 ? reinterpret_cast<const std::byte*>(work.coefficient_packs(pack))
                                          : reinterpret_cast<const std::byte*>(work.vector_packs(vector, pack));
    int const pack_bytes = vector < 0 ? Stage::coefficient_pack : Stage::vector_pack;
    int const place = vector < 0 ? row * Stage::coefficient_row
                                 : layers * Stage::coefficient_row + (vector * layers + row) * Stage::vector_row;
    // Vectors are stored in one order for both directions.
    bool const turned = vector >= 0 && !forward;
    auto const policy = r.m_keep ? cuda::evict_normal_policy() : cuda::evict_first_policy();
    for (int c = 0; c < chunk_count(); ++c) {
      unsigned const number = before + c;
      wait_for_room(beam, number);
      auto& arrived = beam.arrived[number % stages];
      // Steps of the row, which begins b steps after the beam.
      int const begin = c * chunk - row;
      int const first = max(begin, 0);
      int const end = min(begin + chunk, r.row_steps());
      if (has_layer && end > first) {
        unsigned const bytes = (end - first) * pack_bytes;
        cuda::fence_before_copies();
        arrived.expect(bytes);
        arrived.copy(beam.stage[number % stages] + place + (turned ? begin + chunk - end : first - begin) * pack_bytes,
                     source + (turned ? -std::int64_t{end - 1} : std::int64_t{first}) * pack_bytes, bytes, policy);
      } else {
        arrived.arrive();
      }
    }
  }

  /// Brings packets from global to shared memory: a lane for each layer of the tile, which it serves from the south,
  /// and for each lane of the pencil, which it serves from below.
  template <class Work>
  __device__ void receive(const Tile& t, int receiver, Beam* beams, unsigned& chunks) const {
    constexpr int ahead = passed == 1 ? 4 : 2;
    auto const& r = m_recursion;
    int const ni = r.grid().ni();
    int const nk = r.grid().nk();
    int const number = receiver * warp + threadIdx.x % warp;
    int const all_layers = r.m_beams * layers;
    bool const from_south = number < all_layers;
    int const beam_of_tile = from_south ? number / layers : 0;
    int const index = t.index_k * r.m_beams + beam_of_tile;
    bool const exists = index * layers < nk;
    unsigned const before = chunks;
    if (exists) chunks += chunk_count();
    int const first = from_south ? number % layers : number - all_layers;
    int const width = from_south ? layers : W;
    Beam& beam = beams[beam_of_tile];
    SharedPacket* const to = (from_south ? &beam.south[0][0][0] : &beam.bottom[0][0][0]) + first * passed;
    const Packet* from = nullptr;
    int points = 0;
    if (from_south) {
      if (t.pencil > 0 && index * layers + first < nk) {
        from = r.south_packets(t.pencil, index) + first * passed;
        points = ni;
      }
    } else if (first < W && t.index_k > 0 && r.template has_row<Work::forward>(t.pencil, first)) {
      from = r.bottom_packets(t.pencil, t.index_k) + first * passed;
      points = ni;
    }
    int i = 0;
    int wanted = 1;
    // Steps before this one have room in the ring.
    int room = before >= stages ? 0 : (stages - static_cast<int>(before)) * chunk;
    while (__any_sync(all_lanes, i < points)) {
      Packet packets[ahead][passed];
#pragma unroll
      for (int p = 0; p < ahead; ++p) {
#pragma unroll
        for (int e = 0; e < passed; ++e) {
          if (p < wanted && i + p < points) packets[p][e] = Packet::load(from + (first + i + p) * (width * passed) + e);
        }
      }
      if (i < points && first + i + ahead > room) {
        unsigned const turn = before + room / chunk;
        if (beam.used[turn % stages].test((turn / stages + 1) % 2)) room += chunk;
      }
      int const end = min(points, room - first);
      int delivered = 0;
#pragma unroll
      for (int p = 0; p < ahead; ++p) {
        bool there = delivered == p && p < wanted && i + p < end;
#pragma unroll
        for (int e = 0; e < passed; ++e) there = there && packets[p][e].m_stamp == t.stamp;
        if (there) {
          unsigned const step = first + i + p;
          unsigned const slot = (before * chunk + step) % window;
#pragma unroll
          for (int e = 0; e < passed; ++e) {
            SharedPacket::store(to + slot * (width * passed) + e, packets[p][e].m_value, t.ring_stamp + step);
          }
          ++delivered;
        }
      }
      i += delivered;
      wanted = delivered > 0 ? ahead : 1;
    }
  }

  /// A thread of a beam, as it goes from step to step.
  template <class Work>
  struct Thread {
    using Stage = PointRecursionStage<Recursion, Work>;
    static constexpr bool forward = Work::forward;
    /// Steps without a jump in between.
    static constexpr int group = 4;
    static_assert(chunk % group == 0);

    Work m_work;
    typename Work::Results m_results;  // of the step before
    Tile m_tile;
    int m_a;
    int m_b;
    unsigned m_points;
    bool m_from_south;
    bool m_from_bottom;
    bool m_to_south;
    bool m_to_block;
    bool m_to_tile;
    Packet* m_south_out;
    Packet* m_bottom_out;

    __device__ bool exists(int v) const { return static_cast<unsigned>(v - m_a - m_b) < m_points; }

    /// Stores and sends the results, which are of step v, `u` steps after where the pointers are.
    __device__ void send(int v, int u, SharedPacket* next) const {
      if (!exists(v)) return;
      m_work.store(u, m_results);
#pragma unroll
      for (int e = 0; e < passed; ++e) {
        Scalar const value = m_results.passed(e);
        if (m_to_south) Packet::store(m_south_out + u * (layers * passed) + e, value, m_tile.stamp);
        if (m_to_tile) Packet::store(m_bottom_out + u * (W * passed) + e, value, m_tile.stamp);
        if (m_to_block) SharedPacket::store(next + e, value, m_tile.ring_stamp + v - (layers - 1));
      }
    }

    /// A group of steps from v0 on. What the beam below gets of it, a step late, are its steps from v0 - layers on,
    /// whose places are at `next`, and from v0 on, at `next_group`.
    __device__ void steps(int v0, const std::byte* coefficients, const std::byte* vectors, const SharedPacket* south_in,
                          const SharedPacket* bottom_in, SharedPacket* next, SharedPacket* next_group) {
      using Coefficient = typename Work::Coefficient;
      auto const read = [&](int u, typename Work::Point& point) {
#pragma unroll
        for (int c = 0; c < Work::coefficients; ++c) {
          point.coefficients[c] = static_cast<Scalar>(*reinterpret_cast<const Coefficient*>(
              coefficients + u * Stage::coefficient_pack + c * W * static_cast<int>(sizeof(Coefficient))));
        }
#pragma unroll
        for (int c = 0; c < Work::vectors; ++c) {
          point.vectors[c] = *reinterpret_cast<const Scalar*>(vectors + c * layers * Stage::vector_row +
                                                              (forward ? u : group - 1 - u) * Stage::vector_pack);
        }
      };
      typename Work::Point point, following;
      read(0, following);
#pragma unroll
      for (int u = 0; u < group; ++u) {
        int const v = v0 + u;
        point = following;
#pragma unroll
        for (int e = 0; e < passed; ++e) {
          point.west[e] = m_results.passed(e);
          point.south[e] = __shfl_up_sync(all_lanes, m_results.passed(e), 1);
          point.bottom[e] = __shfl_up_sync(all_lanes, m_results.passed(e), W);
        }
        SharedPacket south[passed], bottom[passed];
        auto const look = [&] {
#pragma unroll
          for (int e = 0; e < passed; ++e) {
            south[e] = SharedPacket::load(south_in + u * (layers * passed) + e);
            bottom[e] = SharedPacket::load(bottom_in + u * (W * passed) + e);
          }
        };
        look();
        // Ahead, as the latency of shared memory would add to that of the step.
        if (u + 1 < group) read(u + 1, following);
        // Results leave a step late: here the next step does not wait for it.
        send(v - 1, u - 1, u < layers ? next + u * (W * passed) : next_group + (u - layers) * (W * passed));
        bool const get_south = m_from_south && static_cast<unsigned>(v - m_b) < m_points;
        bool const get_bottom = m_from_bottom && static_cast<unsigned>(v - m_a) < m_points;
        std::uint32_t const stamp = m_tile.ring_stamp + v;
        while (true) {
          bool missing = false;
#pragma unroll
          for (int e = 0; e < passed; ++e) {
            missing = missing || (get_south && south[e].m_stamp != stamp) || (get_bottom && bottom[e].m_stamp != stamp);
          }
          if (!__any_sync(all_lanes, missing)) break;
          look();
        }
#pragma unroll
        for (int e = 0; e < passed; ++e) {
          if (m_a == 0) point.south[e] = get_south ? south[e].m_value : Scalar(0);
          if (m_b == 0) point.bottom[e] = get_bottom ? bottom[e].m_value : Scalar(0);
        }
        m_work.step(point, m_results, v - m_a - m_b, exists(v));
        // Neighbours outside the grid contribute nothing.
        if (!exists(v)) m_results.clear();
      }
      m_work.advance(group);
      m_south_out += group * layers * passed;
      m_bottom_out += group * W * passed;
    }
  };

  template <class Work>
  __device__ void compute(const Work& given, const Tile& t, int beam_of_tile, Beam& beam, Beam* below, unsigned& chunks,
                          unsigned& next_chunks) const {
    using T = Thread<Work>;
    using Stage = typename T::Stage;
    constexpr bool forward = Work::forward;
    constexpr int group = T::group;
    auto const& r = m_recursion;
    int const ni = r.grid().ni();
    int const nk = r.grid().nk();
    int const index = t.index_k * r.m_beams + beam_of_tile;
    if (index * layers >= nk) return;
    int const lane = threadIdx.x % warp;
    int const a = lane % W;
    int const b = lane / W;
    int const layer = index * layers + b;
    int const stored_lane = forward ? a : W - 1 - a;
    bool const more = (index + 1) * layers < nk;
    bool const last_of_tile = beam_of_tile + 1 == r.m_beams;
    bool const to_block = more && !last_of_tile;

    T thread{given, {}, t, a, b};
    thread.m_results.clear();
    thread.m_points = layer < nk && r.template has_row<forward>(t.pencil, a) ? ni : 0;
    thread.m_from_south = t.pencil > 0 && a == 0;
    thread.m_from_bottom = index > 0 && b == 0;
    thread.m_to_south = t.pencil + 1 < r.m_map.pencils() && a == W - 1;
    thread.m_to_block = to_block && b == layers - 1;
    thread.m_to_tile = more && last_of_tile && b == layers - 1;
    thread.m_south_out = r.south_packets(t.pencil + 1, index) + (b - (W - 1) * layers) * passed;
    thread.m_bottom_out = r.bottom_packets(t.pencil, t.index_k + 1) + (a - (layers - 1) * W) * passed;
    // Where step 0 of the beam is, before which the row has not begun.
    auto const pack = r.template first_pack<forward>(t.pencil, min(layer, nk - 1)) + (forward ? -b : b);
    thread.m_work.begin(pack, stored_lane, stored_lane + r.template stored_pencil<forward>(t.pencil) * W,
                        forward ? layer : nk - 1 - layer);

    // Steps of the beam below that need something from this one.
    int const sent_end = ni + (forward ? min(W, r.grid().nj() - t.pencil * W) : W) - 1;
    // The place of a step in the ring of the beam below, if there is one: step v of this beam is there step
    // v - (layers - 1).
    auto const place = [&](int step) { return &below->bottom[(next_chunks * chunk + step) % window][a][0]; };
    for (int v0 = 0; v0 < r.steps(); v0 += group) {
      unsigned const number = chunks + v0 / chunk;
      int const in_chunk = v0 % chunk;
      if (in_chunk == 0) beam.arrived[number % stages].wait(number / stages % 2);
      // Room for what these steps send, which are those from v0 - layers on of the beam below. Only while there is a
      // step that it needs: without one it may run ahead, and a wait for a chunk that it has finished would not end.
      if (to_block && v0 - layers < sent_end && (in_chunk == 0 || in_chunk == group)) {
        int const last = min(v0 + group - layers, sent_end) - 1;
        if (last >= 0) wait_for_room(*below, next_chunks + last / chunk);
      }
      const std::byte* const stage = beam.stage[number % stages];
      auto const* const coefficients = stage + b * Stage::coefficient_row + in_chunk * Stage::coefficient_pack +
                                       stored_lane * static_cast<int>(sizeof(typename Work::Coefficient));
      auto const* const vectors = stage + layers * Stage::coefficient_row + b * Stage::vector_row +
                                  (forward ? in_chunk : chunk - group - in_chunk) * Stage::vector_pack +
                                  stored_lane * static_cast<int>(sizeof(Scalar));
      int const slot = number % stages * chunk + in_chunk;
      auto const* const south_in = &beam.south[slot][b][0];
      auto const* const bottom_in = &beam.bottom[slot][a][0];
      thread.steps(v0, coefficients, vectors, south_in, bottom_in, place(v0 - layers), place(v0));
      if (in_chunk + group == chunk || v0 + group >= r.steps()) beam.used[number % stages].arrive();
    }
    int const end = (r.steps() + group - 1) / group * group;
    if (to_block && end - layers < sent_end) wait_for_room(*below, next_chunks + (end - layers) / chunk);
    thread.send(end - 1, -1, place(end - layers));
    chunks += chunk_count();
    if (to_block) next_chunks += chunk_count();
  }
};

template <class Launch>
__global__ void __launch_bounds__(Launch::threads(point_recursion_max_beams), 1)
    point_recursion_kernel(const __grid_constant__ Launch launch) {
  extern __shared__ __align__(128) std::byte point_recursion_memory[];
  // For older devices there is nothing: a plan asks whether the kernel that would run is this one.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  launch.run(point_recursion_memory);
#endif
}

}  // namespace hyperplane::detail
