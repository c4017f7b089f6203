// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/sweep/point_recursion_cuda.hpp>

#include <cstddef>
#include <cstdint>

/// What a warp of a recursion over points computes, see point_recursion_cuda.hpp.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A thread of a beam, as it goes from step to step.
template <class Block, class Work>
struct PointRecursionThread {
  using Stage = typename Block::template Stage<Work>;
  using Scalar = typename Block::Scalar;
  using Packet = typename Block::Packet;
  using SharedPacket = typename Block::SharedPacket;
  static constexpr int W = Block::W;
  static constexpr int layers = Block::layers;
  static constexpr int passed = Block::passed;
  static constexpr bool forward = Work::forward;
  /// Steps without a jump in between.
  static constexpr int group = 4;
  static_assert(Block::chunk % group == 0);

  Work m_work;
  typename Work::Results m_results;  // of the step before
  typename Block::Tile m_tile;
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
      Scalar const north = m_results.passed(e, Direction::north);
      Scalar const top = m_results.passed(e, Direction::top);
      if (m_to_south) Packet::store(m_south_out + u * (layers * passed) + e, north, m_tile.stamp);
      if (m_to_tile) Packet::store(m_bottom_out + u * (W * passed) + e, top, m_tile.stamp);
      if (m_to_block) SharedPacket::store(next + e, top, m_tile.ring_stamp + v - (layers - 1));
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
            coefficients + (Work::coefficients_turned ? group - 1 - u : u) * Stage::coefficient_pack +
            c * W * static_cast<int>(sizeof(Coefficient))));
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
        point.west[e] = m_results.passed(e, Direction::east);
        point.south[e] = __shfl_up_sync(Block::all_lanes, m_results.passed(e, Direction::north), 1);
        point.bottom[e] = __shfl_up_sync(Block::all_lanes, m_results.passed(e, Direction::top), W);
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
        if (!__any_sync(Block::all_lanes, missing)) break;
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

/// The steps of a beam, by the warp that computes it. Where others follow close behind, `work.tell_progress(beam of the
/// tile, steps)` tells them how many steps have been stored.
template <class Block, class Work>
__device__ void compute_points(const typename Block::Recursion& r, const Work& given, const typename Block::Tile& t,
                               int beam_of_tile, typename Block::Beam& beam, typename Block::Beam* below,
                               unsigned& chunks, unsigned& next_chunks) {
  using T = PointRecursionThread<Block, Work>;
  using Stage = typename T::Stage;
  using Scalar = typename Block::Scalar;
  constexpr bool forward = Work::forward;
  constexpr int W = Block::W;
  constexpr int warp = Block::warp;
  constexpr int layers = Block::layers;
  constexpr int passed = Block::passed;
  constexpr int window = Block::window;
  constexpr int chunk = Block::chunk;
  constexpr int stages = Block::stages;
  constexpr int group = T::group;
  constexpr bool tells_progress = requires { given.tell_progress(0, 0); };
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
  thread.m_points = layer < nk && r.template has_row<forward>(t.slab, a) ? ni : 0;
  thread.m_from_south = t.slab > 0 && a == 0;
  thread.m_from_bottom = index > 0 && b == 0;
  thread.m_to_south = t.slab + 1 < r.m_map.slabs() && a == W - 1;
  thread.m_to_block = to_block && b == layers - 1;
  thread.m_to_tile = more && last_of_tile && b == layers - 1;
  thread.m_south_out = r.south_packets(t.slab + 1, index) + (b - (W - 1) * layers) * passed;
  thread.m_bottom_out = r.bottom_packets(t.slab, t.index_k + 1) + (a - (layers - 1) * W) * passed;
  // Where step 0 of the beam is, before which the row has not begun.
  auto const pack = r.template first_pack<forward>(t.slab, min(layer, nk - 1)) + (forward ? -b : b);
  thread.m_work.begin(pack, stored_lane, stored_lane + r.template stored_slab<forward>(t.slab) * W,
                      forward ? layer : nk - 1 - layer);

  // Steps of the beam below that need something from this one.
  int const sent_end = ni + (forward ? min(W, r.grid().nj() - t.slab * W) : W) - 1;
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
      if (last >= 0) Block::wait_for_room(*below, next_chunks + last / chunk);
    }
    const std::byte* const stage = beam.stage[number % stages];
    auto const* const coefficients =
        stage + b * Stage::coefficient_row +
        (Work::coefficients_turned ? chunk - group - in_chunk : in_chunk) * Stage::coefficient_pack +
        stored_lane * static_cast<int>(sizeof(typename Work::Coefficient));
    auto const* const vectors = stage + layers * Stage::coefficient_row + b * Stage::vector_row +
                                (forward ? in_chunk : chunk - group - in_chunk) * Stage::vector_pack +
                                stored_lane * static_cast<int>(sizeof(Scalar));
    int const slot = number % stages * chunk + in_chunk;
    auto const* const south_in = &beam.south[slot][b][0];
    auto const* const bottom_in = &beam.bottom[slot][a][0];
    thread.steps(v0, coefficients, vectors, south_in, bottom_in, place(v0 - layers), place(v0));
    if (in_chunk + group == chunk || v0 + group >= r.steps()) beam.used[number % stages].arrive();
    // Results leave a step late. Once a chunk, since it takes a third of a microsecond, and where others, who wait for
    // chunks and some steps more, can begin with one.
    if constexpr (tells_progress) {
      if (in_chunk == chunk / 2) given.tell_progress(beam_of_tile, v0 + group - 1);
    }
  }
  int const end = (r.steps() + group - 1) / group * group;
  if (to_block && end - layers < sent_end) Block::wait_for_room(*below, next_chunks + (end - layers) / chunk);
  thread.send(end - 1, -1, place(end - layers));
  if constexpr (tells_progress) given.tell_progress(beam_of_tile, r.steps());
  chunks += Block::chunk_count(r);
  if (to_block) next_chunks += Block::chunk_count(r);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
