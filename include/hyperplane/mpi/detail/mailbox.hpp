// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/mpi/communicator.hpp>
#include <hyperplane/mpi/detail/message.hpp>
#include <hyperplane/mpi/detail/mpi_memory.hpp>
#include <hyperplane/mpi/detail/peer_mail.hpp>
#include <hyperplane/mpi/detail/persistent_requests.hpp>
#include <hyperplane/mpi/transport.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Values gathered one after the other; an index is a value of the buffer.
template <class T, class Gather>
struct StoreGathered {
  Gather m_gather;
  T* m_buffer;
  KOKKOS_FUNCTION void operator()(std::int64_t index) const { m_buffer[index] = m_gather(index); }
};

/// Those of a buffer.
template <class T>
struct GatherBuffer {
  const T* m_buffer;
  KOKKOS_FUNCTION T operator()(std::int64_t index) const { return m_buffer[index]; }
};

/// Messages between this rank and others, again and again, of values that kernels gather and read. `gather(v)` is value
/// v of all that are sent, on the device where there is one.
///
/// With Transport::host, values that are on a device pass through pinned memory of the host; with gpu_aware MPI reads
/// and writes memory of the device; with peer this rank's kernels store into that of the receiver, and nothing here
/// waits on the host. A shared plan: one exchange at a time of it and its copies.
template <class T, ExecutionSpace Exec>
class Mailbox {
 public:
  using Buffer = Kokkos::View<T*, typename Exec::memory_space>;

  /// `item` values are an item. `received` is where they are to be, as long as all items that are received. With
  /// Transport::peer, connect_mailboxes() is to follow. Waits for the instance.
  Mailbox(const Exec& exec, const Communicator& communicator, Transport transport, const std::string& label,
          const std::vector<Message>& sends, const std::vector<Message>& receives, int item, const Buffer& received)
      : m_label(label),
        m_transport(transport),
        m_empty(sends.empty() && receives.empty()),
        m_sent(allocated(exec, label + "::sent", item_count(sends) * item)),
        m_received(received),
        m_requests(std::make_shared<PersistentRequests>(communicator)) {
    T *from = m_sent.data(), *to = m_received.data();
    if constexpr (CudaExecutionSpace<Exec>) {
      if (transport == Transport::peer) m_peers = std::make_shared<Peers>(sends, receives, item);
    }
    if (through_host()) {
      m_host_sent = host_part(exec, label, m_sent);
      m_host_received = host_part(exec, label, m_received);
      from = m_host_sent.data();
      to = m_host_received.data();
    }
    exec.fence("Hyperplane: memory for messages");
    if (transport == Transport::peer) return;
    for (auto const& message : receives) {
      m_requests->add_receive(to + message.first * item, message.items * item, message.rank);
    }
    for (auto const& message : sends) {
      m_requests->add_send(from + message.first * item, message.items * item, message.rank);
    }
  }

  template <class View = Buffer>
  static View allocated(const Exec& exec, const std::string& label, std::int64_t size) {
    return View(Kokkos::view_alloc(exec, label), as_size(size));
  }

  /// Whether there are no messages: nothing is to be done then.
  bool empty() const { return m_empty; }
  const Buffer& received() const { return m_received; }
  /// What start() sends where it is given nothing to gather.
  const Buffer& sent() const { return m_sent; }
  /// Parts of it; null but with Transport::peer.
  auto* peers() const { return m_peers.get(); }

  /// Launches what gathers values, moving as many bytes for each, and starts the messages. Waits for the instance, but
  /// with Transport::peer.
  template <class Gather>
  void start(const Exec& exec, const std::string& launch_label, double bytes, const Gather& gather) const {
    if constexpr (CudaExecutionSpace<Exec>) {
      if (m_peers) return m_peers->put(exec, launch_label, gather);
    }
    pack(exec, launch_label, bytes, gather);
    hand_over(exec);
    m_requests->start();
  }
  /// Kernels that are launched afterwards have what has come. Waits for the messages, but with Transport::peer.
  void finish(const Exec& exec) const {
    wait();
    take_over(exec);
  }

  /// The parts of start() and finish(): of these, pack(), hand_over() and take_over() wait for no rank. So ranks can
  /// agree that there was no error on a device before they start(), and one of them waits for another.
  template <class Gather>
  void pack(const Exec& exec, const std::string& launch_label, double bytes, const Gather& gather) const {
    auto const size = static_cast<std::int64_t>(m_sent.size());
    if (size > 0)
      launch(launch_label, LongIndexRange<Exec>(exec, 0, size), bytes, StoreGathered<T, Gather>{gather, m_sent.data()});
  }
  void hand_over(const Exec& exec) const {
    if (m_transport == Transport::peer) return;
    if constexpr (!HostExecutionSpace<Exec>) {
      if (through_host()) Kokkos::deep_copy(exec, m_host_sent, m_sent);
    }
    exec.fence("Hyperplane: values for other ranks are packed");
  }
  void start([[maybe_unused]] const Exec& exec) const {
    if constexpr (CudaExecutionSpace<Exec>) {
      if (m_peers) return m_peers->put(exec, m_label + "::send", GatherBuffer<T>{m_sent.data()});
    }
    m_requests->start();
  }
  /// On hosts messages may be expected long before they come. (On devices what reads those before may not be done.)
  void expect() const {
    if constexpr (HostExecutionSpace<Exec>) m_requests->expect();
  }
  void wait() const {
    wait_for_received();
    wait_for_sent();
  }
  void wait_for_received() const {
    if (m_transport != Transport::peer) m_requests->finish_receives();
  }
  void wait_for_sent() const {
    if (m_transport != Transport::peer) m_requests->finish_sends();
  }
  void take_over([[maybe_unused]] const Exec& exec) const {
    if constexpr (CudaExecutionSpace<Exec>) {
      if (m_peers) return m_peers->take(exec, m_label + "::receive", m_received.data());
    }
    if constexpr (!HostExecutionSpace<Exec>) {
      if (through_host()) Kokkos::deep_copy(exec, m_received, m_host_received);
    }
  }

 private:
  using HostBuffer = Kokkos::View<T*, MpiMemory<Exec>>;
  using Peers = PeerMail<T, Exec>;

  bool through_host() const { return m_transport != Transport::peer && m_transport != Transport::gpu_aware; }

  /// The same memory where kernels run on the host.
  static HostBuffer host_part(const Exec& exec, const std::string& label, const Buffer& buffer) {
    if constexpr (HostExecutionSpace<Exec>) {
      return buffer;
    } else {
      return allocated<HostBuffer>(exec, label + "::host", static_cast<std::int64_t>(buffer.size()));
    }
  }

  std::string m_label;
  Transport m_transport;
  bool m_empty;
  Buffer m_sent, m_received;
  HostBuffer m_host_sent, m_host_received;
  std::shared_ptr<PersistentRequests> m_requests;
  std::shared_ptr<Peers> m_peers;
};

/// Gives mailboxes of Transport::peer their parts of the memory of other ranks: for_each(function) calls the function
/// with each of them, in the same order on all ranks. A rank may lack those that are empty. Collective, and nothing is
/// done for other transports. Waits for the instance.
template <ExecutionSpace Exec, class ForEach>
void connect_mailboxes([[maybe_unused]] const Exec& exec, [[maybe_unused]] const Communicator& communicator,
                       [[maybe_unused]] Transport transport, [[maybe_unused]] const ForEach& for_each) {
  if constexpr (CudaExecutionSpace<Exec>) {
    if (transport != Transport::peer) return;
    auto const room = communicator.agree([&] {
      auto made = std::make_shared<typename PeerMail<double, Exec>::Room>();
      for_each([&](const auto& mailbox) { mailbox.peers()->reserve(made); });
      return made;
    });
    room->connect(exec, communicator);
    communicator.agree([&] { for_each([&](const auto& mailbox) { mailbox.peers()->open(exec); }); });
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
