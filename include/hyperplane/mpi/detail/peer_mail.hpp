// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/mpi/detail/message.hpp>

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/cuda/peer_messages.hpp>
#include <hyperplane/mpi/detail/peer_room.hpp>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What a Mailbox does where ranks have one another's memory: on CUDA alone.
template <class T, ExecutionSpace Exec>
class PeerMail;

#ifdef KOKKOS_ENABLE_CUDA

template <class T>
class PeerMail<T, Kokkos::Cuda> {
 public:
  using Room = PeerRoom;

  /// `item` values are an item.
  PeerMail(const std::vector<Message>& sends, const std::vector<Message>& receives, int item)
      : m_sends(sends), m_receives(receives), m_item(item) {}

  /// Parts for the messages. The room lasts as long as this.
  void reserve(const std::shared_ptr<PeerRoom>& room) {
    m_room = room;
    for (auto const& message : m_sends) {
      m_send_numbers.push_back(room->add_send(message.rank, bytes(message), cuda::share_count<T>(count(message))));
    }
    for (auto const& message : m_receives) {
      m_receive_numbers.push_back(
          room->add_receive(message.rank, bytes(message), cuda::share_count<T>(count(message))));
    }
  }

  /// After the room is connected.
  void open(const Kokkos::Cuda& exec) {
    std::vector<cuda::PeerSend<T>> sends;
    for (std::size_t m = 0; m < m_sends.size(); ++m) {
      append_shares(m_sends[m], m_room->send(m_send_numbers[m]), sends);
    }
    std::vector<cuda::PeerReceive<T>> receives;
    for (std::size_t m = 0; m < m_receives.size(); ++m) {
      append_shares(m_receives[m], m_room->receive(m_receive_numbers[m]), receives);
    }
    m_send_table = {exec.cuda_stream(), sends};
    m_receive_table = {exec.cuda_stream(), receives};
    exec.fence("Hyperplane: lists of messages to other devices");
  }

  /// Sends gather(v), v being the places of values among those that are sent.
  template <class Gather>
  void put(const Kokkos::Cuda& exec, const std::string& label, const Gather& gather) {
    ++m_number;
    if (m_sends.empty()) return;
    cuda::labelled(exec, label, [&] {
      cuda::put_messages(exec.cuda_stream(), gather, m_send_table.data(), static_cast<int>(m_send_table.size()),
                         m_number);
    });
  }
  /// Brings what others have put to its place among `received`, which nobody reads from put() on.
  void take(const Kokkos::Cuda& exec, const std::string& label, T* received) const {
    if (m_receives.empty()) return;
    cuda::labelled(exec, label, [&] {
      cuda::take_messages(exec.cuda_stream(), received, m_receive_table.data(),
                          static_cast<int>(m_receive_table.size()), m_number,
                          m_sends.empty() ? cuda::Dependency::complete : cuda::Dependency::programmatic);
    });
  }

 private:
  template <class Share>
  void append_shares(const Message& message, const PeerRoom::Part& part, std::vector<Share>& shares) const {
    auto const values = count(message), size = cuda::share_size<T>(values);
    for (int share = 0; share < cuda::share_count<T>(values); ++share) {
      auto const begin = share * size;
      shares.push_back({{slot(part, 0) + begin, slot(part, 1) + begin},
                        part.arrived + share,
                        part.taken + share,
                        first(message) + begin,
                        std::min(values - begin, size)});
    }
  }
  static T* slot(const PeerRoom::Part& part, std::size_t s) { return reinterpret_cast<T*>(part.slots[s]); }
  std::int64_t first(const Message& message) const { return message.first * m_item; }
  std::int64_t count(const Message& message) const { return message.items * m_item; }
  std::size_t bytes(const Message& message) const { return as_size(count(message)) * sizeof(T); }

  std::vector<Message> m_sends, m_receives;
  int m_item;
  std::vector<std::size_t> m_send_numbers, m_receive_numbers;
  std::shared_ptr<PeerRoom> m_room;
  cuda::DeviceArray<cuda::PeerSend<T>> m_send_table;
  cuda::DeviceArray<cuda::PeerReceive<T>> m_receive_table;
  /// Of the last message. Both sides of one count alike, as they start as many exchanges.
  std::uint64_t m_number = 0;
};

#endif

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
