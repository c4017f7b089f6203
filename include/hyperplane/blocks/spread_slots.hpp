// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/block_packs.hpp>
#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/spread_layout.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Where the points of grid blocks are that are spread over several parts, in vectors whose parts follow one another as
/// a SpreadLayout says. A part counts SIMD groups from its own first one on, those of the parts before it downwards. So
/// kernels of a part find the values of any donor from where the vector's values of the part begin.
template <int vector_length>
class SpreadSlots {
 public:
  SpreadSlots(const MultiBlockGrid& whole, const std::vector<int>& owners, const SpreadLayout& layout)
      : m_whole(whole), m_owners(owners) {
    for (int p = 0; p < layout.count(); ++p) m_first_packs.push_back(layout.first_pack(p));
    auto next = m_first_packs;
    m_counts.assign(next.size(), 0);
    for (int b = 0; b < whole.block_count(); ++b) {
      auto const part = as_size(owner(b));
      m_first.push_back(next[part]);
      m_places.push_back(m_counts[part]++);
      next[part] += SlabMap<vector_length>(whole.block(b)).pack_count();
    }
  }

  const MultiBlockGrid& whole() const { return m_whole; }
  int owner(int block) const { return m_owners[as_size(block)]; }
  /// The number that a grid block has in its part.
  int place(int block) const { return m_places[as_size(block)]; }
  /// How many grid blocks a part has.
  int block_count(int part) const { return m_counts[as_size(part)]; }
  /// The first SIMD group of a grid block, as a part counts.
  std::int64_t first_pack(int block, int part) const { return m_first[as_size(block)] - m_first_packs[as_size(part)]; }
  /// A slot as one part counts, as the other one does.
  Slot seen_from(const Slot& slot, int part, int other) const {
    return {slot.pack + m_first_packs[as_size(part)] - m_first_packs[as_size(other)], slot.lane};
  }

  /// Appends the couplings of an interface of one of a part's grid blocks. A donor has the number of the whole grid.
  void append(const Interface& interface, std::vector<FaceCouplingEntry>& entries) const {
    int const part = owner(interface.block);
    append_entries(slots(interface.block, part), slots(interface.donor, part), interface, entries);
  }

  /// All couplings of a part's points, in the order of their slots. Throws Error where there are too many.
  FaceCouplingList couplings(int part) const {
    std::vector<FaceCouplingEntry> entries;
    for (auto const& interface : m_whole.interfaces()) {
      if (owner(interface.block) == part) append(interface, entries);
    }
    FaceCouplingList list;
    append_face_couplings(std::move(entries), list);
    return list;
  }

  /// The numbers of points in slots as a part counts, by grid block of the whole grid.
  std::vector<SlotNumbers<vector_length>> numbers(int part) const {
    std::vector<SlotNumbers<vector_length>> result;
    for (int b = 0; b < m_whole.block_count(); ++b) {
      result.push_back({SlabMap<vector_length>(m_whole.block(b)), first_pack(b, part), m_whole.first_point(b)});
    }
    return result;
  }

 private:
  BlockSlots<vector_length> slots(int block, int part) const {
    return {m_whole.block(block), first_pack(block, part), place(block)};
  }

  MultiBlockGrid m_whole;
  std::vector<int> m_owners;
  std::vector<std::int64_t> m_first;        ///< of each grid block, counted over all parts
  std::vector<int> m_places;                ///< of each grid block in its part
  std::vector<int> m_counts;                ///< of the grid blocks of each part
  std::vector<std::int64_t> m_first_packs;  ///< of each part
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
