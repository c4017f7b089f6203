// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/couple.hpp>
#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/mpi/detail/mpi_memory.hpp>
#include <hyperplane/mpi/detail/persistent_requests.hpp>
#include <hyperplane/mpi/detail/remote_faces.hpp>
#include <hyperplane/mpi/distributed_grid.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Values of points that other ranks need, in the order in which they are sent; an index is a value of the buffer.
template <class Scalar, int n, int vector_length>
struct GatherSent {
  const Slot* m_points;
  InterleavedRef<Scalar, vector_length, n> m_x;
  Scalar* m_buffer;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const lane = index % vector_length;
    auto const row = index / vector_length;
    Slot const slot = m_points[row / n * vector_length + lane];
    m_buffer[index] = slot.pack == no_point ? Scalar(0) : m_x(slot.pack, static_cast<int>(row % n), slot.lane);
  }
};

/// Brings values next to interfaces from the ranks that have them: ghost values, which the couplings of this rank's
/// points to other ranks read.
///
/// A shared plan: one exchange at a time of it and its copies. On a device values pass through pinned memory of the
/// host.
template <class Scalar, int n, ExecutionSpace Exec, int vector_length>
class GhostExchange {
 public:
  /// Waits for the instance.
  GhostExchange(const Exec& exec, const DistributedGrid& grid)
      : GhostExchange(exec, grid.communicator(), RemoteFaces<vector_length>(grid)) {}

  /// Launches what packs values of x, waits for it and starts the messages. Nothing where there is no other rank to
  /// meet.
  void start(const Exec& exec, Scalar* x) const {
    if (m_requests->empty()) return;
    launch("Hyperplane::DistributedStencil7::pack",
           IndexRange<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, static_cast<std::int64_t>(m_sent.size())),
           2.0 * sizeof(Scalar),
           GatherSent<Scalar, n, vector_length>{m_sent_points.data(), InterleavedRef<Scalar, vector_length, n>(x),
                                                m_sent.data()});
    if constexpr (!HostExecutionSpace<Exec>) Kokkos::deep_copy(exec, m_host_sent, m_sent);
    exec.fence("Hyperplane: values for other ranks are packed");
    m_requests->start();
  }

  /// Waits for the messages.
  void wait() const {
    if (!m_requests->empty()) m_requests->finish();
  }
  /// Waits for the messages; kernels that are launched afterwards have the ghost values.
  void finish(const Exec& exec) const {
    if (m_requests->empty()) return;
    m_requests->finish();
    if constexpr (!HostExecutionSpace<Exec>) Kokkos::deep_copy(exec, m_received, m_host_received);
  }

  /// Interleaved as vectors are.
  Scalar* ghosts() const { return m_received.data(); }
  /// Points with couplings to other ranks, whose donors are ghosts().
  FacePart couplings() const { return m_couplings.all(); }

 private:
  using Buffer = Kokkos::View<Scalar*, typename Exec::memory_space>;
  using HostBuffer = Kokkos::View<Scalar*, MpiMemory<Exec>>;

  static constexpr int values = n * vector_length;

  GhostExchange(const Exec& exec, const Communicator& communicator, const RemoteFaces<vector_length>& faces)
      : m_sent_points(to_space(exec, "Hyperplane::DistributedStencil7::sent_points", faces.sent_points())),
        m_couplings(to_space(exec, faces.couplings())),
        m_sent(made<Buffer>(exec, "sent", static_cast<std::int64_t>(faces.sent_points().size()) * n)),
        m_received(made<Buffer>(exec, "received", faces.received_packs() * values)),
        m_host_sent(host_part(exec, m_sent)),
        m_host_received(host_part(exec, m_received)),
        m_requests(std::make_shared<PersistentRequests>(communicator)) {
    exec.fence("Hyperplane::DistributedStencil7");
    for (auto const& message : faces.receives()) {
      m_requests->add_receive(m_host_received.data() + message.first * values, message.packs * values, message.rank);
    }
    for (auto const& message : faces.sends()) {
      m_requests->add_send(m_host_sent.data() + message.first * values, message.packs * values, message.rank);
    }
  }

  template <class View>
  static View made(const Exec& exec, const char* what, std::int64_t size) {
    return View(Kokkos::view_alloc(exec, std::string("Hyperplane::DistributedStencil7::") + what), as_size(size));
  }
  /// The same memory where kernels run on the host.
  static HostBuffer host_part(const Exec& exec, const Buffer& buffer) {
    if constexpr (HostExecutionSpace<Exec>) {
      return buffer;
    } else {
      return made<HostBuffer>(exec, "host", static_cast<std::int64_t>(buffer.size()));
    }
  }

  Kokkos::View<Slot*, typename Exec::memory_space> m_sent_points;
  FaceCouplings<Exec> m_couplings;
  Buffer m_sent, m_received;
  HostBuffer m_host_sent, m_host_received;
  std::shared_ptr<PersistentRequests> m_requests;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
