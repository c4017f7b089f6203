// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/block_packs.hpp>
#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/blocks/stages.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/mpi/detail/message.hpp>
#include <hyperplane/mpi/distributed_grid.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The couplings of points of a stage to points of higher colours on other ranks, whose coefficients the diagonal
/// blocks of these need: which of them this rank sends, and which it gets.
///
/// Both sides have them in the same order, without a word: by rank, then by grid block, point and face of the lower
/// colour. So all that belongs to a point of it is in one place.
template <int vector_length>
class ReverseCouplings {
 public:
  /// That of a point of a lower colour.
  struct Coupling {
    int block = 0;
    std::int64_t point = 0;
    Direction direction = Direction::center;
    /// Of this rank's point: of the lower colour where it is sent, of the higher where it is received.
    Slot slot{};
    /// Where it is received: the block of the point of the higher colour that couples it back.
    Direction back = Direction::center;

    auto order() const { return std::tuple(block, point, static_cast<int>(direction)); }
  };

  ReverseCouplings(const DistributedGrid& grid, const std::vector<int>& colours, const Stages& stages, int stage) {
    BlockPacks<vector_length> const packs(grid.local());
    int const rank = grid.communicator().rank();
    std::map<int, std::vector<Coupling>> to_send, to_receive;
    for (auto const& interface : grid.whole().interfaces()) {
      int const owner = grid.owner(interface.block), donor_owner = grid.owner(interface.donor);
      bool const counts =
          colours[as_size(interface.block)] > colours[as_size(interface.donor)] && stages.has(stage, interface.donor);
      if (owner == donor_owner || !counts || (owner != rank && donor_owner != rank)) continue;
      bool const sends = donor_owner == rank;
      BlockSlots<vector_length> const slots(grid.local(), packs,
                                            grid.local_number(sends ? interface.donor : interface.block));
      auto const& donor = grid.whole().block(interface.donor);
      for_each_pair(interface, [&](const Point& p, const Point& q) {
        if (stages.of(interface.donor, q.j) != stage) return;
        (sends ? to_send[owner] : to_receive[donor_owner])
            .push_back(
                {interface.donor, donor.index(q), interface.donor_face(), slots.slot(sends ? q : p), interface.face});
      });
    }
    list(to_send, m_sends, m_sent);
    list(to_receive, m_receives, m_received);
  }

  const std::vector<Message>& sends() const { return m_sends; }
  const std::vector<Message>& receives() const { return m_receives; }
  const std::vector<Coupling>& sent() const { return m_sent; }
  const std::vector<Coupling>& received() const { return m_received; }

 private:
  static void list(std::map<int, std::vector<Coupling>>& of_ranks, std::vector<Message>& messages,
                   std::vector<Coupling>& all) {
    for (auto& [other, couplings] : of_ranks) {
      std::ranges::sort(couplings, {}, &Coupling::order);
      messages.push_back({other, static_cast<std::int64_t>(all.size()), static_cast<std::int64_t>(couplings.size())});
      all.insert(all.end(), couplings.begin(), couplings.end());
    }
  }

  std::vector<Message> m_sends, m_receives;
  std::vector<Coupling> m_sent, m_received;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
