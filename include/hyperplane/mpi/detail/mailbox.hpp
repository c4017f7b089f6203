// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/mpi/communicator.hpp>
#include <hyperplane/mpi/detail/mpi_memory.hpp>
#include <hyperplane/mpi/detail/persistent_requests.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Values that go to a rank, or come from it: some items of a buffer, one after the other.
struct Message {
  int rank = 0;
  std::int64_t first = 0;
  std::int64_t items = 0;
};

/// Items of a message list.
inline std::int64_t item_count(const std::vector<Message>& messages) {
  return messages.empty() ? 0 : messages.back().first + messages.back().items;
}

/// Messages between this rank and others, again and again: kernels write sent() and read what has come. On a device
/// values pass through pinned memory of the host.
///
/// A shared plan: one exchange at a time of it and its copies.
template <class T, ExecutionSpace Exec>
class Mailbox {
 public:
  using Buffer = Kokkos::View<T*, typename Exec::memory_space>;

  /// `item` values are an item. `received` is where they are to be, as long as all items that are received. Waits for
  /// the instance.
  Mailbox(const Exec& exec, const Communicator& communicator, const std::string& label,
          const std::vector<Message>& sends, const std::vector<Message>& receives, int item, const Buffer& received)
      : m_sent(allocated(exec, label + "::sent", item_count(sends) * item)),
        m_received(received),
        m_host_sent(host_part(exec, label, m_sent)),
        m_host_received(host_part(exec, label, m_received)),
        m_requests(std::make_shared<PersistentRequests>(communicator)) {
    exec.fence("Hyperplane: memory for messages");
    for (auto const& message : receives) {
      m_requests->add_receive(m_host_received.data() + message.first * item, message.items * item, message.rank);
    }
    for (auto const& message : sends) {
      m_requests->add_send(m_host_sent.data() + message.first * item, message.items * item, message.rank);
    }
  }

  template <class View = Buffer>
  static View allocated(const Exec& exec, const std::string& label, std::int64_t size) {
    return View(Kokkos::view_alloc(exec, label), as_size(size));
  }

  /// Whether there are no messages: nothing is to be done then.
  bool empty() const { return m_requests->empty(); }
  const Buffer& sent() const { return m_sent; }
  const Buffer& received() const { return m_received; }

  /// Waits for the instance, with what it writes into sent(), and starts the messages.
  void start(const Exec& exec) const {
    hand_over(exec);
    start();
  }
  /// Waits for the messages; kernels that are launched afterwards have what has come.
  void finish(const Exec& exec) const {
    wait();
    take_over(exec);
  }

  /// The parts of start() and finish(): those with an instance wait for no rank, the others are of MPI alone. So ranks
  /// can agree that there was no error on a device before one of them waits for another.
  void hand_over(const Exec& exec) const {
    if constexpr (!HostExecutionSpace<Exec>) Kokkos::deep_copy(exec, m_host_sent, m_sent);
    exec.fence("Hyperplane: values for other ranks are packed");
  }
  void start() const { m_requests->start(); }
  void wait() const { m_requests->finish(); }
  void take_over(const Exec& exec) const {
    if constexpr (!HostExecutionSpace<Exec>) Kokkos::deep_copy(exec, m_received, m_host_received);
  }

 private:
  using HostBuffer = Kokkos::View<T*, MpiMemory<Exec>>;

  /// The same memory where kernels run on the host.
  static HostBuffer host_part(const Exec& exec, const std::string& label, const Buffer& buffer) {
    if constexpr (HostExecutionSpace<Exec>) {
      return buffer;
    } else {
      return allocated<HostBuffer>(exec, label + "::host", static_cast<std::int64_t>(buffer.size()));
    }
  }

  Buffer m_sent, m_received;
  HostBuffer m_host_sent, m_host_received;
  std::shared_ptr<PersistentRequests> m_requests;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
