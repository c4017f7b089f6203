// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/packet.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The warps of the slab solve that receive what other blocks have computed.
template <class Layout>
class CudaSlabReceiver {
  using Counts = typename Layout::Counts;
  using Packet = typename Layout::Packet;
  using Shared = typename Layout::Shared;
  using Stamp = typename Layout::Stamp;
  using Step = typename Layout::Step;
  using Tile = typename Layout::Tile;
  using Scalar = typename Layout::Scalar;
  static constexpr int W = Layout::W;
  static constexpr int n = Layout::n;
  static constexpr int lanes = Layout::lanes;
  static constexpr int pitch = Layout::pitch;
  static constexpr int ring_slot = Layout::ring_slot;
  static constexpr int warp = Layout::warp;
  static constexpr int window = Layout::window;

 public:
  __device__ explicit CudaSlabReceiver(const Layout& layout) : m_layout(layout) {}

  /// Receives for two rows of the tile, or for the last one.
  __device__ void receive_south(const Shared& s, const Tile& t, int first_row, Stamp stamp, const Counts& first,
                                const Counts& second) const {
    constexpr int rows = 2;
    int const lane = threadIdx.x % warp;
    int const ni = m_layout.map().grid().ni();
    unsigned const before[rows] = {first.own, second.own};
    Stream streams[rows];
    if (first_row + 1 == t.rows) streams[1].complete = m_layout.steps();
    bool more = true;
    while (more) {
      more = false;
      Packet packets[rows][1];
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        packets[r][0].m_stamp = stamp - 1;
        if (streams[r].complete == m_layout.steps()) continue;
        more = true;
        int const end = min(ni, limit(streams[r], s.done + (first_row + r + 1) * window, before[r])) * n;
        int const e = streams[r].position + lane;
        if (e < end && (!streams[r].idle || lane < n)) {
          packets[r][0] = Packet::load(m_layout.south_packets(t.slab, t.first_layer + first_row + r) + e);
        }
      }
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        if (streams[r].complete == m_layout.steps()) continue;
        Scalar* const ring = s.rings + (first_row + r + 1) * (window * ring_slot);
        unsigned const slot = before[r] + window - 1;
        take<n>(streams[r], ni, packets[r], stamp, s.ready + (first_row + r) * window, before[r],
                [&](int f, Scalar value) { ring[(slot + f / n) % window * ring_slot + f % n] = value; });
      }
    }
  }

  /// Opens the slots of ring 0 for the block before, which fills them.
  __device__ void admit_bottom(const Shared& s, const Counts& counts) const {
    if (threadIdx.x % warp != 0) return;
    auto const rank = cuda::cluster_rank() - 1;
    cuda::PhaseBarrier* const their_ready = s.ready + (m_layout.m_shape.layers - 1) * window;
    for (int v = 0; v < m_layout.steps(); ++v) {
      if (v >= window) Layout::wait(s.done + window, counts.own + v - window);
      auto& done = s.done[(counts.bottom + v) % window];
      // For the other threads of the warp, which have nothing to do here.
      done.arrive(warp - 1);
      done.expect(static_cast<std::uint32_t>(n * W * sizeof(Scalar)));
      their_ready[(counts.remote + v) % window].arrive_at(rank, warp);
    }
  }

  __device__ void receive_bottom(const Shared& s, const Tile& t, Stamp stamp, const Counts& counts) const {
    constexpr int requests = 4;
    int const lane = threadIdx.x % warp;
    const Packet* packets = m_layout.bottom_packets(t.slab, t.index_k);
    if constexpr (Layout::is_part) {
      if (t.from_device) packets = m_layout.packets_of_slab(m_layout.m_outside.received, t.slab);
    }
    Stream stream;
    while (stream.complete < m_layout.steps()) {
      int const end = min(m_layout.steps(), limit(stream, s.done + window, counts.own)) * (n * W);
      Packet packet[requests];
#pragma unroll
      for (int u = 0; u < requests; ++u) {
        packet[u].m_stamp = stamp - 1;
        int const e = stream.position + u * warp + lane;
        if (e < end && (!stream.idle || u == 0)) {
          packet[u] = t.from_device ? Packet::load_between_devices(packets + e) : Packet::load(packets + e);
        }
      }
      take<n * W>(stream, m_layout.steps(), packet, stamp, s.done, counts.bottom, [&](int e, Scalar value) {
        s.rings[(counts.bottom + e / (n * W)) % window * ring_slot + (1 + e % W) * pitch + e / W % n] = value;
      });
    }
  }

 private:
  /// How far the packets of one row have been received.
  struct Stream {
    int position = 0;  ///< packets
    int complete = 0;  ///< steps
    int consumed = 0;  ///< steps that the row has done
    bool idle = true;
  };

  /// One round for one stream: `packet` holds those from `stream.position` on, `requests` a thread. Hands those that
  /// are there on, and arrives at `there` for every step that is complete.
  template <int packets_a_step, int requests, class Deliver>
  __device__ void take(Stream& stream, int packet_steps, const Packet (&packet)[requests], Stamp stamp,
                       cuda::PhaseBarrier* there, unsigned there_before, const Deliver& deliver) const {
    int const lane = threadIdx.x % warp;
    int ready = 0;
#pragma unroll
    for (int u = 0; u < requests; ++u) {
      unsigned const votes = __ballot_sync(~0u, packet[u].m_stamp == stamp);
      if (ready == u * warp) ready += votes == ~0u ? warp : __ffs(static_cast<int>(~votes)) - 1;
    }
    stream.idle = ready == 0;
#pragma unroll
    for (int u = 0; u < requests; ++u) {
      if (u * warp + lane < ready) deliver(stream.position + u * warp + lane, packet[u].m_value);
    }
    stream.position += ready;
    int now = stream.position / packets_a_step;
    // No packets belong to the last steps.
    if (now == packet_steps) now = min(m_layout.steps(), stream.consumed + window);
    for (; stream.complete < now; ++stream.complete) there[Step(there_before + stream.complete).slot].arrive();
  }
  /// The step after the last one whose packets there is room for.
  __device__ static int limit(Stream& stream, const cuda::PhaseBarrier* done, unsigned done_before) {
    while (stream.consumed < stream.complete) {
      Step const step(done_before + stream.consumed);
      // Asked by all lanes, which must go on alike.
      if (!__all_sync(~0u, done[step.slot].test(step.parity))) break;
      ++stream.consumed;
    }
    return stream.consumed + window;
  }

  const Layout& m_layout;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
