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

/// A part of a grid: where it is, and where its SIMD groups begin in storage that has one part after the other.
template <int vector_length>
struct PlacedPart {
  SlabMap<vector_length> m_map;
  Point m_begin;
  std::int64_t m_first;
};

/// Copies the values of points from storage of a whole grid to storage of its parts, or back. How many values a point
/// has is known at run time: nothing here gains by knowing it before. An index is as many lanes of a SIMD group of the
/// parts: on hosts all of them, so that both storages are passed through group by group.
template <class Value, int vector_length, int lanes>
struct CopyParts {
  SlabMap<vector_length> m_whole;
  Value* m_whole_values;
  Value* m_part_values;
  const PlacedPart<vector_length>* m_parts;
  int m_part_count;
  int m_entries;
  bool m_to_parts;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    std::int64_t const group = index * lanes / vector_length;
    int const first_lane = static_cast<int>(index * lanes % vector_length);
    auto const& part = part_of(group);
    auto const step = (group - part.m_first) % part.m_map.steps();
    int const slab = static_cast<int>((group - part.m_first) / part.m_map.steps());
    Point const lane_0{static_cast<int>(step % part.m_map.pitch()), slab * vector_length,
                       static_cast<int>(step / part.m_map.pitch())};
    for (int lane = first_lane; lane < first_lane + lanes; ++lane) {
      // A lane is as many steps behind the first one, and no layer has fewer steps than there are lanes.
      Point p{lane_0.i - lane, lane_0.j + lane, lane_0.k};
      if (p.i < 0) p = {p.i + static_cast<int>(part.m_map.pitch()), p.j, p.k - 1};
      if (part.m_map.grid().contains(p)) copy(part.m_begin, p, group, lane);
    }
  }

 private:
  KOKKOS_FUNCTION const PlacedPart<vector_length>& part_of(std::int64_t group) const {
    int first = 0;
    for (int end = m_part_count; end - first > 1;) {
      int const middle = first + (end - first) / 2;
      (m_parts[middle].m_first <= group ? first : end) = middle;
    }
    return m_parts[first];
  }
  KOKKOS_FUNCTION void copy(const Point& begin, const Point& p, std::int64_t group, int lane) const {
    int const j = begin.j + p.j;
    auto const whole_group = m_whole.pack(begin.i + p.i, j, begin.k + p.k);
    Value* const whole = m_whole_values + whole_group * m_entries * vector_length + m_whole.lane(j);
    Value* const part = m_part_values + group * m_entries * vector_length + lane;
    Value const* const from = m_to_parts ? whole : part;
    Value* const to = m_to_parts ? part : whole;
    // Several values are under way at once: one that is stored might be the next one to be loaded, for all that
    // compilers know.
    constexpr int together = 5;
    int entry = 0;
    for (; entry + together <= m_entries; entry += together) {
      auto const at = std::int64_t{entry} * vector_length;
      Value values[together];
      for (int e = 0; e < together; ++e) values[e] = from[at + e * vector_length];
      for (int e = 0; e < together; ++e) to[at + e * vector_length] = values[e];
    }
    for (; entry < m_entries; ++entry) {
      auto const at = std::int64_t{entry} * vector_length;
      to[at] = from[at];
    }
  }
};

/// The parts of a grid, and copies of vectors and matrices to and from them: one launch each, without allocations.
template <int vector_length, ExecutionSpace Exec>
class PartCopies {
 public:
  /// Waits for the instance.
  PartCopies(const Exec& exec, const Grid& whole, const CutGrid& cut) : m_whole(whole) {
    std::vector<PlacedPart<vector_length>> parts;
    for (int b = 0; b < cut.grid.block_count(); ++b) {
      SlabMap<vector_length> const map(cut.grid.block(b));
      parts.push_back({map, cut.boxes[as_size(b)].begin, m_groups});
      m_groups += map.pack_count();
    }
    m_parts = to_space(exec, "Hyperplane::Parted::parts", parts);
  }

  /// Of `entries` values for each point.
  template <class Value>
  void to_parts(const char* label, const Exec& exec, Value* whole, Value* parts, int entries) const {
    run(label, exec, whole, parts, entries, true);
  }
  template <class Value>
  void from_parts(const char* label, const Exec& exec, Value* whole, Value* parts, int entries) const {
    run(label, exec, whole, parts, entries, false);
  }

 private:
  template <class Value>
  void run(const char* label, const Exec& exec, Value* whole, Value* parts, int entries, bool to_parts) const {
    constexpr int lanes = HostExecutionSpace<Exec> ? vector_length : 1;
    launch(label, LongIndexRange<Exec>(exec, 0, m_groups * vector_length / lanes),
           2.0 * lanes * entries * sizeof(Value),
           CopyParts<Value, vector_length, lanes>{m_whole, whole, parts, m_parts.data(),
                                                  static_cast<int>(m_parts.size()), entries, to_parts});
  }

  SlabMap<vector_length> m_whole;
  std::int64_t m_groups = 0;
  Kokkos::View<PlacedPart<vector_length>*, typename Exec::memory_space> m_parts;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
