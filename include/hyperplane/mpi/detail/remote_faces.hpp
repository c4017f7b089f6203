// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/block_packs.hpp>
#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/mpi/detail/message.hpp>
#include <hyperplane/mpi/distributed_grid.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Interfaces between this rank and others: which points others need, which ghost values come from them, and the
/// couplings to those.
///
/// Both sides go through the interfaces in the order of the whole grid, and through the points of each in the order of
/// the side that receives, so that they agree on the order of values without a word.
template <int vector_length>
class RemoteFaces {
 public:
  /// Of the interfaces for which `counts` is true, and of their points those of whose donor counts_donor() is. One
  /// function for all callers: a template would be compiled twice for each block size and storage of what is coupled by
  /// colours.
  RemoteFaces(
      const DistributedGrid& grid, const std::function<bool(const Interface&)>& counts,
      const std::function<bool(int, const Point&)>& counts_donor = [](int, const Point&) { return true; }) {
    BlockPacks<vector_length> const packs(grid.local());
    int const rank = grid.communicator().rank();
    std::map<int, std::vector<FaceCouplingEntry>> to_receive;
    std::map<int, std::vector<FaceCoupling>> to_send;
    for (auto const& interface : grid.whole().interfaces()) {
      int const owner = grid.owner(interface.block), donor_owner = grid.owner(interface.donor);
      if (owner == donor_owner || !counts(interface)) continue;
      if (owner == rank) {
        BlockSlots<vector_length> const slots(grid.local(), packs, grid.local_number(interface.block));
        for_each_pair(interface, [&](const Point& p, const Point& q) {
          if (!counts_donor(interface.donor, q)) return;
          to_receive[donor_owner].push_back({slots.face_point(p), {{}, interface.donor, interface.face}});
        });
      } else if (donor_owner == rank) {
        BlockSlots<vector_length> const slots(grid.local(), packs, grid.local_number(interface.donor));
        int const number = grid.local_number(interface.donor);
        for_each_pair(interface, [&](const Point&, const Point& q) {
          if (!counts_donor(interface.donor, q)) return;
          FaceCoupling coupling{slots.slot(q), number, interface.face};
          coupling.back = interface.donor_face();
          to_send[owner].push_back(coupling);
        });
      }
    }
    for (auto const& [other, couplings] : to_send) add_send(other, couplings);
    for (auto& [other, couplings] : to_receive) add_receive(other, couplings);
  }

  const std::vector<Message>& sends() const { return m_sends; }
  const std::vector<Message>& receives() const { return m_receives; }
  /// Of each lane of each group that is sent, the coupling of the point that receives to this rank's point, its donor,
  /// or no_point as the group of that.
  const std::vector<FaceCoupling>& sent() const { return m_sent; }
  std::vector<Slot> sent_points() const {
    std::vector<Slot> result;
    result.reserve(m_sent.size());
    for (auto const& coupling : m_sent) result.push_back(coupling.donor);
    return result;
  }
  std::int64_t received_packs() const { return item_count(m_receives); }
  /// Couplings to what is received: donors are slots of its groups.
  const std::vector<FaceCouplingEntry>& couplings() const { return m_couplings; }

 private:
  static std::int64_t packs_for(std::size_t points) {
    return (static_cast<std::int64_t>(points) + vector_length - 1) / vector_length;
  }

  void add_send(int other, const std::vector<FaceCoupling>& couplings) {
    auto const first = static_cast<std::int64_t>(m_sent.size()) / vector_length;
    m_sends.push_back({other, first, packs_for(couplings.size())});
    m_sent.insert(m_sent.end(), couplings.begin(), couplings.end());
    m_sent.resize(as_size((first + m_sends.back().items) * vector_length), FaceCoupling{{no_point, 0}});
  }

  void add_receive(int other, std::vector<FaceCouplingEntry>& couplings) {
    auto const first = received_packs();
    std::int64_t number = first * vector_length;
    m_receives.push_back({other, first, packs_for(couplings.size())});
    for (auto& entry : couplings) {
      entry.coupling.donor = {number / vector_length, static_cast<int>(number % vector_length)};
      m_couplings.push_back(entry);
      ++number;
    }
  }

  /// Items are SIMD groups.
  std::vector<Message> m_sends, m_receives;
  std::vector<FaceCoupling> m_sent;
  std::vector<FaceCouplingEntry> m_couplings;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
