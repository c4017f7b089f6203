// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A part of a grid: where it is, and where the SIMD groups of both begin in their storages.
template <int vector_length>
struct PlacedPart {
  SlabMap<vector_length> m_map;
  std::int64_t m_first;
  SlabMap<vector_length> m_whole;
  std::int64_t m_whole_first;
  Point m_begin;              ///< in the whole grid
  std::int64_t m_before = 0;  ///< groups of the parts before it
};

/// Copies the values of points from storage of whole grids to storage of their parts, or back, which may be of another
/// type. How many values a point has is known at run time: nothing here gains by knowing it before. An index is as many
/// lanes of a SIMD group of the parts: on hosts all of them, so that both storages are passed through group by group.
template <class From, class To, bool to_parts, int vector_length, int lanes>
struct CopyParts {
  const From* m_from;
  To* m_to;
  const PlacedPart<vector_length>* m_parts;
  int m_part_count;
  int m_entries;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    std::int64_t const group = index * lanes / vector_length;
    int const first_lane = static_cast<int>(index * lanes % vector_length);
    auto const& part = part_of(group);
    auto const step = (group - part.m_before) % part.m_map.steps();
    int const slab = static_cast<int>((group - part.m_before) / part.m_map.steps());
    Point const lane_0{static_cast<int>(step % part.m_map.pitch()), slab * vector_length,
                       static_cast<int>(step / part.m_map.pitch())};
    for (int lane = first_lane; lane < first_lane + lanes; ++lane) {
      // A lane is as many steps behind the first one, and no layer has fewer steps than there are lanes.
      Point p{lane_0.i - lane, lane_0.j + lane, lane_0.k};
      if (p.i < 0) p = {p.i + static_cast<int>(part.m_map.pitch()), p.j, p.k - 1};
      if (part.m_map.grid().contains(p)) copy(part, p, group, lane);
    }
  }

 private:
  KOKKOS_FUNCTION const PlacedPart<vector_length>& part_of(std::int64_t group) const {
    int first = 0;
    for (int end = m_part_count; end - first > 1;) {
      int const middle = first + (end - first) / 2;
      (m_parts[middle].m_before <= group ? first : end) = middle;
    }
    return m_parts[first];
  }
  KOKKOS_FUNCTION void copy(const PlacedPart<vector_length>& part, const Point& p, std::int64_t group, int lane) const {
    auto const& whole = part.m_whole;
    int const j = part.m_begin.j + p.j;
    std::int64_t const in_whole =
        (part.m_whole_first + whole.pack(part.m_begin.i + p.i, j, part.m_begin.k + p.k)) * m_entries * vector_length +
        whole.lane(j);
    std::int64_t const in_part = (part.m_first + group - part.m_before) * m_entries * vector_length + lane;
    const From* const from = m_from + (to_parts ? in_whole : in_part);
    To* const to = m_to + (to_parts ? in_part : in_whole);
    // Several values are under way at once: one that is stored might be the next one to be loaded, for all that
    // compilers know.
    constexpr int together = 5;
    int entry = 0;
    for (; entry + together <= m_entries; entry += together) {
      auto const at = std::int64_t{entry} * vector_length;
      To values[together];
      for (int e = 0; e < together; ++e) values[e] = static_cast<To>(from[at + e * vector_length]);
      for (int e = 0; e < together; ++e) to[at + e * vector_length] = values[e];
    }
    for (; entry < m_entries; ++entry) {
      auto const at = std::int64_t{entry} * vector_length;
      to[at] = static_cast<To>(from[at]);
    }
  }
};

/// Parts of grids, and copies of vectors and matrices to and from them: one launch each, without allocations.
template <int vector_length, ExecutionSpace Exec>
class PartCopies {
 public:
  using Part = PlacedPart<vector_length>;

  /// Waits for the instance.
  PartCopies(const Exec& exec, std::vector<Part> parts) {
    for (auto& part : parts) {
      part.m_before = m_groups;
      m_groups += part.m_map.pack_count();
    }
    m_parts = to_space(exec, "Hyperplane::MultiBlock::parts", parts);
  }
  /// Of one grid, the storage of whose parts has one after the other.
  PartCopies(const Exec& exec, const Grid& whole, const CutGrid& cut) : PartCopies(exec, parts_of(whole, cut)) {}

  /// Of `entries` values for each point.
  template <class From, class To>
  void to_parts(const char* label, const Exec& exec, const From* whole, To* parts, int entries) const {
    run<true>(label, exec, whole, parts, entries);
  }
  template <class From, class To>
  void to_whole(const char* label, const Exec& exec, const From* parts, To* whole, int entries) const {
    run<false>(label, exec, parts, whole, entries);
  }

 private:
  static std::vector<Part> parts_of(const Grid& whole, const CutGrid& cut) {
    std::vector<Part> parts;
    std::int64_t first = 0;
    for (int b = 0; b < cut.grid.block_count(); ++b) {
      SlabMap<vector_length> const map(cut.grid.block(b));
      parts.push_back({map, first, SlabMap<vector_length>(whole), 0, cut.boxes[as_size(b)].begin});
      first += map.pack_count();
    }
    return parts;
  }

  template <bool to_parts, class From, class To>
  void run(const char* label, const Exec& exec, const From* from, To* to, int entries) const {
    if (m_groups == 0) return;
    constexpr int lanes = HostExecutionSpace<Exec> ? vector_length : 1;
    launch(label, LongIndexRange<Exec>(exec, 0, m_groups * vector_length / lanes),
           1.0 * lanes * entries * (sizeof(From) + sizeof(To)),
           CopyParts<From, To, to_parts, vector_length, lanes>{from, to, m_parts.data(),
                                                               static_cast<int>(m_parts.size()), entries});
  }

  std::int64_t m_groups = 0;
  Kokkos::View<Part*, typename Exec::memory_space> m_parts;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
