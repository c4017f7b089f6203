// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/assign_blocks.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/blocks/owned_blocks.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/mpi/communicator.hpp>
#include <hyperplane/mpi/detail/digest.hpp>
#include <hyperplane/mpi/detail/require_same_list.hpp>
#include <hyperplane/mpi/transport.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// Grid blocks and interfaces over the ranks of a communicator: every rank knows all of them, and each grid block has
/// an owner, the rank that has its values. A rank may have any number of grid blocks, or none.
///
/// Grid blocks are numbered as in the whole grid, everywhere but in local(), which has those of this rank in the same
/// order. Objects on the grid exchange values by its transport(), or say when they are constructed why they cannot. A
/// value on the host, of which copies share the lists. The constructor is collective, the rest is not.
class DistributedGrid {
 public:
  /// Throws Error, on all ranks, where there is not an owner for each grid block, an owner is not one of the ranks, or
  /// ranks have different grid blocks, interfaces, owners or transports. The first grid block or interface that differs
  /// is named.
  DistributedGrid(const Communicator& communicator, const MultiBlockGrid& whole, std::vector<int> owners,
                  Transport transport = Transport::automatic)
      : m_communicator(communicator), m_transport(transport), m_whole(whole) {
    communicator.agree([&] {
      detail::check_owners("DistributedGrid", "rank", whole, owners, communicator.size());
      if (std::ranges::find(all_transports, transport) == all_transports.end()) {
        fail("DistributedGrid: there is no transport " + std::to_string(static_cast<int>(transport)));
      }
    });
    auto const require_same = [&](const char* what, std::uint64_t digest) {
      communicator.require_same(std::string("DistributedGrid: ") + what, std::array{digest});
    };
    detail::require_same_list(communicator, "DistributedGrid: grid blocks", whole.blocks());
    detail::require_same_list(communicator, "DistributedGrid: interfaces", whole.interfaces());
    require_same("owners", detail::digest(std::span<const int>(owners)));
    require_same("transport", static_cast<std::uint64_t>(transport));
    communicator.agree([&] {
      detail::OwnedBlocks local(whole, owners, communicator.rank());
      m_lists = std::make_shared<const Lists>(Lists{std::move(owners), std::move(local)});
    });
  }
  /// With the owners of assign_blocks().
  DistributedGrid(const Communicator& communicator, const MultiBlockGrid& whole,
                  Transport transport = Transport::automatic)
      : DistributedGrid(communicator, whole, assign_blocks(whole, communicator.size()), transport) {}

  const Communicator& communicator() const { return m_communicator; }
  /// What was asked for. What runs depends on the execution space and the devices: objects on the grid say it.
  Transport transport() const { return m_transport; }
  /// All grid blocks and interfaces.
  const MultiBlockGrid& whole() const { return m_whole; }
  /// The grid blocks of this rank and the interfaces between them, numbered on their own; without grid blocks where
  /// this rank has none.
  const MultiBlockGrid& local() const { return m_lists->local.grid(); }

  /// The grid blocks of this rank: entry l is number l of local().
  std::span<const int> blocks() const& { return m_lists->local.numbers(); }
  std::span<const int> blocks() const&& = delete;
  /// The rank that has a grid block.
  int owner(int number) const {
    check_number(number);
    return m_lists->owners[detail::as_size(number)];
  }
  bool is_local(int number) const { return owner(number) == m_communicator.rank(); }
  /// The number that a grid block of this rank has in local(). Throws Error where another rank has it.
  int local_number(int number) const {
    if (!is_local(number)) {
      fail("DistributedGrid: grid block " + std::to_string(number) + " is of rank " + std::to_string(owner(number)) +
           ", this is rank " + std::to_string(m_communicator.rank()));
    }
    return m_lists->local.place(number);
  }

  /// Whatever the transports.
  friend bool operator==(const DistributedGrid& a, const DistributedGrid& b) {
    return a.m_communicator == b.m_communicator && a.m_whole == b.m_whole &&
           (a.m_lists == b.m_lists || a.m_lists->owners == b.m_lists->owners);
  }

  /// "3 grid blocks (8x6x4, 8x6x4, 5x5x5) on 2 ranks"
  friend std::string to_string(const DistributedGrid& grid) {
    int const ranks = grid.m_communicator.size();
    return to_string(grid.m_whole) + " on " + std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks");
  }

 private:
  struct Lists {
    std::vector<int> owners;
    detail::OwnedBlocks local;
  };

  void check_number(int number) const {
    if (number < 0 || number >= m_whole.block_count()) {
      fail("DistributedGrid: there is no grid block " + std::to_string(number) + " in " + to_string(m_whole));
    }
  }

  Communicator m_communicator;
  Transport m_transport;
  MultiBlockGrid m_whole;
  std::shared_ptr<const Lists> m_lists;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
