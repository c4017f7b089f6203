// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/detail/colour_lists.hpp>
#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/blocks/spread_slots.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Where a part finds the coefficient of a coupling that it keeps a copy of: the coupling of a point of another part,
/// in a slot as that part counts.
struct CoefficientOrigin {
  int part;
  int colour;
  Slot slot;
  Direction direction;
};

/// Couplings by colours between the parts over which grid blocks are spread. Values of donors are read where they are.
/// Of coefficients each part keeps copies of the reverses of its couplings, which it needs beside its own.
template <int vector_length>
class SpreadColours {
 public:
  /// What one part has of it. Origins of the reverses of couplings to lower colours, which are couplings to higher
  /// ones, and the other way round, in the order of their colours. Donors have numbers of the whole grid, counted on
  /// from those of the part's own grid blocks.
  struct Part {
    RemoteLists lists;
    std::vector<CoefficientOrigin> upper, lower;
  };

  /// `colours` are those of all grid blocks, 0, 1, ... without gaps.
  SpreadColours(const SpreadSlots<vector_length>& slots, const std::vector<int>& colours, int parts)
      : m_slots(slots), m_colours(colours), m_parts(as_size(parts)) {
    auto const count = as_size(*std::ranges::max_element(colours) + 1);
    for (auto& part : m_parts) {
      part.lists.lower.resize(count);
      part.lists.upper.resize(count);
    }
    for (auto const& interface : slots.whole().interfaces()) {
      int const part = slots.owner(interface.block);
      if (part == slots.owner(interface.donor)) continue;
      auto& lists = m_parts[as_size(part)].lists;
      auto const colour = as_size(colour_of(interface.block));
      slots.append(interface,
                   (colour_of(interface.donor) < colour_of(interface.block) ? lists.lower : lists.upper)[colour]);
    }
    for (int p = 0; p < parts; ++p) {
      auto& part = m_parts[as_size(p)];
      part.upper = number_reverses(p, part.lists.lower);
      part.lists.reverses.resize(part.upper.size());
      for (auto const& of_colour : part.lists.lower) {
        // They lead to the point.
        for (auto const& [point, coupling] : of_colour) {
          part.lists.reverses[as_size(coupling.reverse)].donor = point.slot;
        }
      }
      part.lower = number_reverses(p, part.lists.upper);
      part.lists.upper_reverses = part.lower.size();
      count_on(part.lists.lower, slots.block_count(p));
      count_on(part.lists.upper, slots.block_count(p));
    }
  }

  Part& part(int p) { return m_parts[as_size(p)]; }

 private:
  int colour_of(int block) const { return m_colours[as_size(block)]; }

  static bool same_points(const FaceCouplingEntry& a, const FaceCouplingEntry& b) {
    return a.point.slot == b.point.slot && a.coupling.donor == b.coupling.donor;
  }

  static void count_on(std::vector<std::vector<FaceCouplingEntry>>& of_colours, int own_blocks) {
    for (auto& of_colour : of_colours) {
      for (auto& entry : of_colour) entry.coupling.donor_block += own_blocks;
    }
  }

  /// Numbers the reverses of a part's couplings. Where two points are neighbours across two faces, each of the
  /// couplings has both reverses, in the order of the donor's directions, as where one part has both points.
  std::vector<CoefficientOrigin> number_reverses(int p, std::vector<std::vector<FaceCouplingEntry>>& of_colours) {
    std::vector<FaceCouplingEntry*> entries;
    for (auto& of_colour : of_colours) {
      for (auto& entry : of_colour) entries.push_back(&entry);
    }
    std::ranges::sort(entries, {}, [&](const FaceCouplingEntry* entry) {
      auto const& [point, coupling] = *entry;
      return std::tuple(colour_of(coupling.donor_block), point.slot.pack, point.slot.lane, coupling.donor.pack,
                        coupling.donor.lane, static_cast<int>(coupling.back));
    });
    check_coupling_count(entries.size());
    std::vector<CoefficientOrigin> origins;
    for (std::size_t begin = 0, end = 0; begin < entries.size(); begin = end) {
      while (end < entries.size() && same_points(*entries[begin], *entries[end])) ++end;
      for (auto e = begin; e < end; ++e) {
        auto& coupling = entries[e]->coupling;
        coupling.reverse = static_cast<int>(e);
        coupling.reverse_begin = static_cast<int>(begin);
        coupling.reverse_end = static_cast<int>(end);
        int const owner = m_slots.owner(coupling.donor_block);
        origins.push_back(
            {owner, colour_of(coupling.donor_block), m_slots.seen_from(coupling.donor, p, owner), coupling.back});
      }
    }
    return origins;
  }

  const SpreadSlots<vector_length>& m_slots;
  std::vector<int> m_colours;
  std::vector<Part> m_parts;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
