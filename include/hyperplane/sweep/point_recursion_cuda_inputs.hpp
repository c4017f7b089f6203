// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>
#include <hyperplane/cuda/warp_copies.hpp>
#include <hyperplane/sweep/point_recursion_cuda.hpp>

#include <cstddef>
#include <cstdint>

/// What beams of a recursion over points need comes by warps of their own, see point_recursion_cuda.hpp.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Keeps the copies of a beam going: a lane for each row of coefficients or of a vector. Where vectors are not there
/// from the beginning, `work.await_vectors(chunk)` waits for those of the steps of a chunk.
template <class Block, class Work>
__device__ void move_for_points(const typename Block::Recursion& r, const Work& work, const typename Block::Tile& t,
                                int beam_of_tile, typename Block::Beam& beam, unsigned& chunks) {
  using Stage = typename Block::template Stage<Work>;
  constexpr bool forward = Work::forward;
  constexpr int warp = Block::warp;
  constexpr int layers = Block::layers;
  constexpr int chunk = Block::chunk;
  constexpr int stages = Block::stages;
  static_assert(Stage::chunk == chunk && Stage::bytes <= sizeof(typename Block::Beam::Stage));
  static_assert(Work::vectors == Block::vectors && layers * (1 + Work::vectors) <= warp);
  int const nk = r.grid().nk();
  int const index = t.index_k * r.m_beams + beam_of_tile;
  if (index * layers >= nk) return;
  unsigned const before = chunks;
  chunks += Block::chunk_count(r);
  constexpr int rows = layers * (1 + Work::vectors);
  cuda::WarpCopies const copies;
  if (!copies.calls_each(rows)) return;
  int const lane = threadIdx.x % warp;
  int const row = lane % layers;
  int const vector = lane < rows ? lane / layers - 1 : -1;
  bool const has_layer = lane < rows && index * layers + row < nk;
  auto const pack = r.template first_pack<forward>(t.slab, min(index * layers + row, nk - 1));
  auto const* const source = vector < 0 ? reinterpret_cast<const std::byte*>(work.coefficient_packs(pack))
                                        : reinterpret_cast<const std::byte*>(work.vector_packs(vector, pack));
  int const pack_bytes = vector < 0 ? Stage::coefficient_pack : Stage::vector_pack;
  int const place = vector < 0 ? row * Stage::coefficient_row
                               : layers * Stage::coefficient_row + (vector * layers + row) * Stage::vector_row;
  // Vectors are stored in one order for both directions.
  bool const turned = vector >= 0 ? !forward : Work::coefficients_turned;
  auto const policy = r.m_keep ? cuda::evict_normal_policy() : cuda::evict_first_policy();
  for (int c = 0; c < Block::chunk_count(r); ++c) {
    unsigned const number = before + c;
    Block::wait_for_room(beam, number);
    auto& arrived = beam.arrived[number % stages];
    // Steps of the row, which begins b steps after the beam.
    int const begin = c * chunk - row;
    int const first = max(begin, 0);
    int const end = min(begin + chunk, r.row_steps());
    int const steps = has_layer ? max(end - first, 0) : 0;
    if constexpr (requires { work.await_vectors(c); }) {
      if (steps > 0 && vector >= 0) work.await_vectors(c);
    }
    cuda::fence_before_copies();
    copies.copy_each(arrived, rows,
                     beam.stage[number % stages] + place + (turned ? begin + chunk - end : first - begin) * pack_bytes,
                     source + (turned ? -std::int64_t{end - 1} : std::int64_t{first}) * pack_bytes, steps * pack_bytes,
                     policy);
  }
}

/// Brings packets from global to shared memory: a lane for each layer of the tile, which it serves from the south,
/// and for each lane of the slab, which it serves from below.
template <class Block, class Work>
__device__ void receive_for_points(const typename Block::Recursion& r, const typename Block::Tile& t, int receiver,
                                   typename Block::Beam* beams, unsigned& chunks) {
  using Packet = typename Block::Packet;
  using SharedPacket = typename Block::SharedPacket;
  constexpr int W = Block::W;
  constexpr int warp = Block::warp;
  constexpr int layers = Block::layers;
  constexpr int passed = Block::passed;
  constexpr int window = Block::window;
  constexpr int chunk = Block::chunk;
  constexpr int stages = Block::stages;
  constexpr int ahead = passed == 1 ? 4 : 2;
  int const ni = r.grid().ni();
  int const nk = r.grid().nk();
  int const number = receiver * warp + threadIdx.x % warp;
  int const all_layers = r.m_beams * layers;
  bool const from_south = number < all_layers;
  int const beam_of_tile = from_south ? number / layers : 0;
  int const index = t.index_k * r.m_beams + beam_of_tile;
  bool const exists = index * layers < nk;
  unsigned const before = chunks;
  if (exists) chunks += Block::chunk_count(r);
  int const first = from_south ? number % layers : number - all_layers;
  int const width = from_south ? layers : W;
  auto& beam = beams[beam_of_tile];
  SharedPacket* const to = (from_south ? &beam.south[0][0][0] : &beam.bottom[0][0][0]) + first * passed;
  const Packet* from = nullptr;
  int points = 0;
  if (from_south) {
    if (t.slab > 0 && index * layers + first < nk) {
      from = r.south_packets(t.slab, index) + first * passed;
      points = ni;
    }
  } else if (first < W && t.index_k > 0 && r.template has_row<Work::forward>(t.slab, first)) {
    from = r.bottom_packets(t.slab, t.index_k) + first * passed;
    points = ni;
  }
  int i = 0;
  int wanted = 1;
  // Steps before this one have room in the ring.
  int room = before >= stages ? 0 : (stages - static_cast<int>(before)) * chunk;
  while (__any_sync(Block::all_lanes, i < points)) {
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

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
