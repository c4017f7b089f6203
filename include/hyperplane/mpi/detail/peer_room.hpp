// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/mpi/communicator.hpp>
#include <hyperplane/mpi/detail/mpi_call.hpp>
#include <hyperplane/mpi/detail/peer_memory.hpp>

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Where messages between ranks are in PeerMemory; see cuda/peer_messages.hpp for what is in it. Of a message, the
/// receiver has words and two slots, the sender words.
///
/// Parts are added in the same order by both sides of each pair of ranks: the first that a sends to b is the first that
/// b receives from a. Then all ranks connect().
class PeerRoom {
 public:
  /// What a rank knows of one of its messages: memory of its own, and of the other rank.
  struct Part {
    std::array<std::byte*, 2> slots;
    std::uint64_t* arrived;
    std::uint64_t* taken;
  };

  /// These return a number for send() or receive(). Each side has as many words.
  std::size_t add_send(int rank, std::size_t bytes, int words) {
    m_sends.push_back({rank, padded(bytes), word_bytes(words), reserve(word_bytes(words)), 0});
    return m_sends.size() - 1;
  }
  std::size_t add_receive(int rank, std::size_t bytes, int words) {
    m_receives.push_back({rank, padded(bytes), word_bytes(words), reserve(word_bytes(words) + 2 * padded(bytes)), 0});
    return m_receives.size() - 1;
  }

  /// Collective. Throws Error, on all ranks, where one of them has no memory or cannot open that of another.
  void connect(const Kokkos::Cuda& exec, const Communicator& communicator) {
    std::set<int> met;
    for (auto const* const places : {&m_sends, &m_receives}) {
      for (auto const& place : *places) met.insert(place.rank);
    }
    std::vector<int> const ranks(met.begin(), met.end());
    m_memory = std::make_unique<PeerMemory>(exec, communicator, m_bytes, ranks);
    // Pairs of ranks in ascending order on all of them: of those that are not done, the first in that order is next on
    // both of its ranks.
    for (int const rank : ranks) exchange_offsets(communicator, rank);
  }

  Part send(std::size_t number) const {
    auto const& place = m_sends[number];
    return part(place, m_memory->of(place.rank) + place.other_offset, m_memory->own() + place.offset);
  }
  Part receive(std::size_t number) const {
    auto const& place = m_receives[number];
    return part(place, m_memory->own() + place.offset, m_memory->of(place.rank) + place.other_offset);
  }

 private:
  struct Place {
    int rank;
    std::size_t slot_bytes;
    std::size_t word_bytes;
    std::uint64_t offset;        ///< here
    std::uint64_t other_offset;  ///< in the memory of the other rank
  };

  /// A line of the second-level cache: words and slots share none.
  static constexpr std::size_t padding = 128;

  static std::size_t padded(std::size_t bytes) { return (bytes + padding - 1) / padding * padding; }
  static std::size_t word_bytes(int words) { return padded(as_size(words) * sizeof(std::uint64_t)); }
  static Part part(const Place& place, std::byte* receiver, std::byte* sender) {
    auto* const first = receiver + place.word_bytes;
    return {{first, first + place.slot_bytes},
            reinterpret_cast<std::uint64_t*>(receiver),
            reinterpret_cast<std::uint64_t*>(sender)};
  }

  std::uint64_t reserve(std::size_t bytes) {
    auto const offset = m_bytes;
    m_bytes += bytes;
    return offset;
  }

  /// What this rank receives is what the other one sends, and the other way round.
  void exchange_offsets(const Communicator& communicator, int rank) {
    std::vector<std::uint64_t> own;
    auto const for_each = [&](std::vector<Place>& places, const auto& function) {
      for (auto& place : places) {
        if (place.rank == rank) function(place);
      }
    };
    for (auto* const places : {&m_receives, &m_sends}) {
      for_each(*places, [&](const Place& place) { own.push_back(place.offset); });
    }
    std::vector<std::uint64_t> others(own.size());
    auto const count = static_cast<int>(own.size());
    mpi_call("MPI_Sendrecv", MPI_Sendrecv(own.data(), count, MPI_UINT64_T, rank, tag, others.data(), count,
                                          MPI_UINT64_T, rank, tag, communicator.get(), MPI_STATUS_IGNORE));
    std::size_t next = 0;
    for (auto* const places : {&m_sends, &m_receives}) {
      for_each(*places, [&](Place& place) { place.other_offset = others[next++]; });
    }
  }

  /// Beside that of PersistentRequests.
  static constexpr int tag = 1;

  std::vector<Place> m_sends, m_receives;
  std::size_t m_bytes = 0;
  std::unique_ptr<PeerMemory> m_memory;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail

#endif
