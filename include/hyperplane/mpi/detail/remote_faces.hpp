// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/block_packs.hpp>
#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/mpi/distributed_grid.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Values that go to a rank, or come from it: SIMD groups, one after the other in a buffer.
struct Message {
  int rank = 0;
  std::int64_t first = 0;
  std::int64_t packs = 0;
};

/// No point: what is left over of the last group of a message.
inline constexpr std::int64_t no_point = -1;

/// Interfaces between this rank and others: which points others need, which ghost values come from them, and the
/// couplings to those.
///
/// Both sides go through the interfaces in the order of the whole grid, and through the points of each in the order of
/// the side that receives, so that they agree on the order of values without a word.
template <int vector_length>
class RemoteFaces {
 public:
  explicit RemoteFaces(const DistributedGrid& grid) {
    BlockPacks<vector_length> const packs(grid.local());
    int const rank = grid.communicator().rank();
    std::map<int, std::vector<FaceCouplingEntry>> to_receive;
    std::map<int, std::vector<Slot>> to_send;
    for (auto const& interface : grid.whole().interfaces()) {
      int const owner = grid.owner(interface.block), donor_owner = grid.owner(interface.donor);
      if (owner == donor_owner) continue;
      if (owner == rank) {
        BlockSlots<vector_length> const slots(grid.local(), packs, grid.local_number(interface.block));
        for_each_pair(interface, [&](const Point& p, const Point&) {
          to_receive[donor_owner].push_back({slots.face_point(p), {{}, interface.donor, interface.face}});
        });
      } else if (donor_owner == rank) {
        BlockSlots<vector_length> const slots(grid.local(), packs, grid.local_number(interface.donor));
        for_each_pair(interface, [&](const Point&, const Point& q) { to_send[owner].push_back(slots.slot(q)); });
      }
    }
    for (auto const& [other, slots] : to_send) add_send(other, slots);
    std::vector<FaceCouplingEntry> entries;
    for (auto& [other, couplings] : to_receive) add_receive(other, couplings, entries);
    append_face_couplings(std::move(entries), m_couplings);
  }

  const std::vector<Message>& sends() const { return m_sends; }
  const std::vector<Message>& receives() const { return m_receives; }
  /// Of each lane of each group that is sent, the point, or no_point.
  const std::vector<Slot>& sent_points() const { return m_sent_points; }
  std::int64_t received_packs() const { return m_received_packs; }
  /// Donors are slots of the groups that are received.
  const FaceCouplingList& couplings() const { return m_couplings; }

 private:
  static std::int64_t packs_for(std::size_t points) {
    return (static_cast<std::int64_t>(points) + vector_length - 1) / vector_length;
  }

  void add_send(int other, const std::vector<Slot>& slots) {
    auto const first = static_cast<std::int64_t>(m_sent_points.size()) / vector_length;
    m_sends.push_back({other, first, packs_for(slots.size())});
    m_sent_points.insert(m_sent_points.end(), slots.begin(), slots.end());
    m_sent_points.resize(as_size((first + m_sends.back().packs) * vector_length), Slot{no_point, 0});
  }

  void add_receive(int other, std::vector<FaceCouplingEntry>& couplings, std::vector<FaceCouplingEntry>& all) {
    std::int64_t number = m_received_packs * vector_length;
    m_receives.push_back({other, m_received_packs, packs_for(couplings.size())});
    m_received_packs += m_receives.back().packs;
    for (auto& entry : couplings) {
      entry.coupling.donor = {number / vector_length, static_cast<int>(number % vector_length)};
      all.push_back(entry);
      ++number;
    }
  }

  std::vector<Message> m_sends, m_receives;
  std::vector<Slot> m_sent_points;
  std::int64_t m_received_packs = 0;
  FaceCouplingList m_couplings;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
