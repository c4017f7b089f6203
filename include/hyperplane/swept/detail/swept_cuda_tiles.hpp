// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/packet.hpp>
#include <hyperplane/swept/detail/swept_cuda_lane.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// Trapezoids in registers. A tile owns some points and takes the points around them with it, which it computes too as
/// long as it can: the lanes are there in any case, and idle in a triangle.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

#if defined(__CUDACC__)

template <class Problem>
using SweptPacket = cuda::Packet<typename Problem::scalar_type>;

struct SweptCut {
  std::int64_t m_points;
  std::int64_t m_tiles;
  std::int64_t m_steps;  ///< between two exchanges, at most
};

template <class Problem, int lane_points, int warps>
struct SweptTileTypes {
  using Scalar = typename Problem::scalar_type;
  using State = SweptPointState<Problem>;
  static constexpr int width = Problem::half_width;
  static constexpr int threads = warp_lanes * warps;
  static constexpr int tile_points = threads * lane_points;
  /// Blocks that a multiprocessor holds at least, which bounds a thread's registers: to 128, or for a warp alone that
  /// has much state to 255.
  static constexpr int least_blocks = warps > 1 ? std::max(1, 512 / threads) : Problem::components > 2 ? 8 : 16;
  /// The same for the variant `tiles`: to 64 where a lane keeps few values, so that more warps hide the barriers.
  static constexpr int values = lane_points * Problem::components * (Problem::sub_steps > 1 ? 2 : 1);
  static constexpr int least_blocks_in_turn = warps > 1 && values <= 16 ? std::max(1, 1024 / threads) : least_blocks;

  /// The first and the last points of each lane, for two levels in turn.
  struct Edges {
    static constexpr int lanes = warps > 1 ? threads : 1;
    State m_left[2][lanes][width];
    State m_right[2][lanes][width];
  };
  struct Shared {
    Scalar m_staging[warps][Problem::components][SweptStaging<lane_points>::size];
    Edges m_edges;
  };
};

/// The tile of this block.
template <class Problem, int lane_points, int warps>
class SweptRegisterTile {
  using Types = SweptTileTypes<Problem, lane_points, warps>;
  using Scalar = typename Types::Scalar;
  using State = typename Types::State;
  using Staging = SweptStaging<lane_points>;
  static constexpr int width = Problem::half_width;
  static constexpr bool periodic = Problem::boundary == SweptBoundary::periodic;

 public:
  __device__ SweptRegisterTile(const Problem& problem, const SweptCut& cut, typename Types::Shared& shared)
      : m_problem(problem), m_points(cut.m_points), m_shared(shared) {
    auto const tile = static_cast<std::int64_t>(blockIdx.x);
    auto const own_begin = tile * cut.m_points / cut.m_tiles;
    auto const own_end = (tile + 1) * cut.m_points / cut.m_tiles;
    m_reach = static_cast<int>(cut.m_steps) * width * Problem::sub_steps;
    auto begin = own_begin - m_reach;
    if constexpr (!periodic) {
      // Tiles at the ends of the line begin or end with it.
      auto const last = cut.m_points - Types::tile_points;
      begin = begin < 0 ? 0 : begin > last ? last : begin;
    }
    m_begin = begin + warp() * warp_lanes * lane_points;
    m_own_begin = static_cast<int>(own_begin - m_begin);
    m_own_end = static_cast<int>(own_end - m_begin);
    auto const lane_begin = m_begin + lane() * lane_points;
    m_ends = {!periodic && lane_begin == 0, !periodic && lane_begin + lane_points == cut.m_points};
  }

  /// All points of the tile.
  __device__ void read(const SweptRow<Problem>& row) {
    read_states<Problem>(staging(), row, [&](int i) { return on_line(i); }, m_u);
  }
  /// Those that it owns.
  __device__ void read_own(const SweptRow<Problem>& row) {
    read_states<Problem>(staging(), row, [&](int i) { return is_own(i) ? m_begin + i : std::int64_t{-1}; }, m_u);
  }
  __device__ void write(const SweptRow<Problem>& row) const {
    write_states<Problem>(staging(), m_u, [&](int i) { return is_own(i) ? m_begin + i : std::int64_t{-1}; }, row);
  }

  __device__ void advance(std::int64_t steps) {
    for (std::int64_t s = 0; s < steps; ++s) step<0>();
  }

  /// Hands on what other tiles need. `packets` are those of one exchange, component by component.
  __device__ void publish(SweptPacket<Problem>* packets, typename SweptPacket<Problem>::Stamp stamp) const {
#pragma unroll
    for (int c = 0; c < Problem::components; ++c) {
      Scalar values[lane_points];
#pragma unroll
      for (int k = 0; k < lane_points; ++k) values[k] = m_u[k][c];
      Staging::write(staging(), values, [&](int i, Scalar value) {
        bool const wanted = i < m_own_begin + m_reach || i >= m_own_end - m_reach;
        if (wanted && is_own(i)) SweptPacket<Problem>::store(packets + c * m_points + m_begin + i, value, stamp);
      });
    }
  }

  /// Waits for what other tiles hand on.
  __device__ void receive(const SweptPacket<Problem>* packets, typename SweptPacket<Problem>::Stamp stamp) {
    wait_for_neighbours(packets, stamp);
#pragma unroll 1
    for (int first = 0; first < lane_points; first += batch) receive(packets, stamp, first * warp_lanes + lane());
    __syncwarp();
#pragma unroll
    for (int k = 0; k < lane_points; ++k) {
      if (!is_around(lane() * lane_points + k)) continue;
#pragma unroll
      for (int c = 0; c < Problem::components; ++c) m_u[k][c] = staging(c)[lane() * (lane_points + 1) + k];
    }
  }

 private:
  __device__ static int lane() { return threadIdx.x % warp_lanes; }
  __device__ static int warp() { return threadIdx.x / warp_lanes; }

  __device__ Scalar* staging(int c = 0) const { return m_shared.m_staging[warp()][c]; }

  /// Lanes 0 and 1 ask for one packet of each side again and again, until it is there: if all lanes asked for all of
  /// them, that would fill the memory system, and keep the packets from getting there.
  __device__ void wait_for_neighbours(const SweptPacket<Problem>* packets,
                                      typename SweptPacket<Problem>::Stamp stamp) const {
    constexpr int size = warp_lanes * lane_points;
    int const first = lane() == 0 ? m_own_begin - m_reach : m_own_end;
    int const last = lane() == 0 ? m_own_begin : m_own_end + m_reach;
    int const at = first < 0 ? 0 : first;
    if (lane() < 2 && at < (last < size ? last : size)) {
      auto const* const packet = packets + (Problem::components - 1) * m_points + on_line(at);
      while (SweptPacket<Problem>::load(packet).m_stamp != stamp) continue;
    }
    __syncwarp();
  }

  /// Points of the warp's tile that this lane receives at once: each load takes hundreds of cycles.
  static constexpr int batch = lane_points % 4 == 0 ? 4 : 1;

  __device__ void receive(const SweptPacket<Problem>* packets, typename SweptPacket<Problem>::Stamp stamp, int i) {
    using Packet = SweptPacket<Problem>;
    std::int64_t from[batch];
    bool waiting = false;
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      int const at = i + b * warp_lanes;
      from[b] = is_around(at) ? on_line(at) : -1;
      waiting = waiting || from[b] >= 0;
    }
    Packet received[Problem::components][batch];
    while (waiting) {
      waiting = false;
#pragma unroll
      for (int c = 0; c < Problem::components; ++c) {
#pragma unroll
        for (int b = 0; b < batch; ++b) {
          if (from[b] >= 0) received[c][b] = Packet::load(packets + c * m_points + from[b]);
        }
      }
#pragma unroll
      for (int c = 0; c < Problem::components; ++c) {
#pragma unroll
        for (int b = 0; b < batch; ++b) waiting = waiting || (from[b] >= 0 && received[c][b].m_stamp != stamp);
      }
    }
#pragma unroll
    for (int c = 0; c < Problem::components; ++c) {
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        int const to = i + b * warp_lanes;
        if (from[b] >= 0) staging(c)[to + to / lane_points] = received[c][b].m_value;
      }
    }
  }

  /// Whether the tile owns point i of the warp.
  __device__ bool is_own(int i) const { return i >= m_own_begin && i < m_own_end; }
  /// Whether another tile owns it, and this one needs it.
  __device__ bool is_around(int i) const { return i >= m_own_begin - m_reach && i < m_own_end + m_reach && !is_own(i); }
  /// Where it is on the line or ring.
  __device__ std::int64_t on_line(int i) const {
    auto const at = m_begin + i;
    if constexpr (!periodic) return at;
    return at < 0 ? at + m_points : at >= m_points ? at - m_points : at;
  }

  template <int sub_step>
  __device__ void step() {
    if constexpr (sub_step == 0 && Problem::sub_steps > 1) {
#pragma unroll
      for (int k = 0; k < lane_points; ++k) m_start[k] = m_u[k];
    }
    auto around = halo();
    apply_ends(m_problem, m_u, m_ends, around);
    SweptWindow<Problem, lane_points> const window(m_u, around);
#pragma unroll
    for (int k = 0; k < lane_points; ++k) {
      const State* const u = window.at(k);
      m_u[k] = m_problem.template step<sub_step>(u, sub_step == 0 ? *u : m_start[Problem::sub_steps > 1 ? k : 0]);
    }
    if constexpr (sub_step + 1 < Problem::sub_steps) step<sub_step + 1>();
  }

  /// What is beside a lane's points; garbage at the tile's ends. In a tile of several warps lanes hand on their edges
  /// through shared memory, which takes fewer instructions than shuffles and the same barrier: one a level, because the
  /// edges of two levels have room.
  __device__ SweptHalo<Problem> halo() {
    if constexpr (warps == 1) {
      return halo_of_warp<Problem>(m_u);
    } else {
      int const thread = static_cast<int>(threadIdx.x);
      auto& left = m_shared.m_edges.m_left[m_parity];
      auto& right = m_shared.m_edges.m_right[m_parity];
#pragma unroll
      for (int j = 0; j < width; ++j) {
        left[thread][j] = m_u[j];
        right[thread][j] = m_u[lane_points - width + j];
      }
      __syncthreads();
      SweptHalo<Problem> result;
#pragma unroll
      for (int j = 0; j < width; ++j) {
        result.m_left[j] = right[thread > 0 ? thread - 1 : 0][j];
        result.m_right[j] = left[thread + 1 < Types::threads ? thread + 1 : thread][j];
      }
      m_parity ^= 1;
      return result;
    }
  }

  Problem m_problem;
  std::int64_t m_points;
  typename Types::Shared& m_shared;
  std::int64_t m_begin;        ///< of the warp's points
  int m_own_begin, m_own_end;  ///< what the tile owns, counted from there
  int m_reach;                 ///< points around that the tile takes with it
  SweptLaneEnds m_ends;
  int m_parity = 0;
  State m_u[lane_points];
  State m_start[Problem::sub_steps > 1 ? lane_points : 1];
};

/// `steps` <= cut.m_steps steps of all tiles, from one line into another.
template <class Problem, int lane_points, int warps>
__global__ void __launch_bounds__(SweptTileTypes<Problem, lane_points, warps>::threads,
                                  SweptTileTypes<Problem, lane_points, warps>::least_blocks_in_turn)
    swept_tiles(Problem problem, SweptCut cut, SweptRow<Problem> from, SweptRow<Problem> to, std::int64_t steps) {
  extern __shared__ __align__(16) unsigned char swept_memory[];
  auto& shared = *reinterpret_cast<typename SweptTileTypes<Problem, lane_points, warps>::Shared*>(swept_memory);
  SweptRegisterTile<Problem, lane_points, warps> tile(problem, cut, shared);
  tile.read(from);
  tile.advance(steps);
  tile.write(to);
}

/// All steps, in place; all blocks must be resident. `packets` has room for the points twice; stamps that are in it are
/// below `stamp`.
///
/// A tile writes the packets of an exchange over those of the exchange before the last one. It has then received the
/// last exchange from all tiles that read from it (tiles read from one another, or not at all), and each of them
/// published it after it had received all of the one before.
template <class Problem, int lane_points, int warps>
__global__ void __launch_bounds__(SweptTileTypes<Problem, lane_points, warps>::threads,
                                  SweptTileTypes<Problem, lane_points, warps>::least_blocks)
    swept_resident(Problem problem, SweptCut cut, SweptRow<Problem> row, SweptPacket<Problem>* packets,
                   typename SweptPacket<Problem>::Stamp stamp, std::int64_t steps) {
  extern __shared__ __align__(16) unsigned char swept_memory[];
  auto& shared = *reinterpret_cast<typename SweptTileTypes<Problem, lane_points, warps>::Shared*>(swept_memory);
  SweptRegisterTile<Problem, lane_points, warps> tile(problem, cut, shared);
  // A tile reads and writes only what it owns: the rest comes in packets from the beginning.
  tile.read_own(row);
  for (; steps > 0; steps -= cut.m_steps, ++stamp) {
    auto* const exchange = packets + (stamp % 2) * Problem::components * cut.m_points;
    tile.publish(exchange, stamp);
    tile.receive(exchange, stamp);
    tile.advance(steps < cut.m_steps ? steps : cut.m_steps);
  }
  tile.write(row);
}

#endif

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
