// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/grid/outside_lanes.hpp>
#include <hyperplane/grid/slab_map.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Packs that follow one another, so that where they are is found by division for the first one alone.
template <int vector_length, int packs, class Body>
struct PackRange {
  Body m_body;
  SlabMap<vector_length> m_map;

  void operator()(std::int64_t range) const {
    std::int64_t const begin = range * packs, end = std::min(begin + packs, m_map.pack_count());
    auto place = PackPlace::of(m_map, begin);
    for (std::int64_t pack = begin; pack < end; ++pack, place.advance(m_map)) m_body(pack, place);
  }
};

/// Packs of a range, of blocks that are n x n: so many that a division is little beside them, and so few that threads
/// have equal shares.
template <int n>
inline constexpr int packs_in_range = n == 1 ? 16 : 4;

/// The ranges of a layout.
template <int n, int vector_length>
std::int64_t pack_ranges(const SlabMap<vector_length>& map) {
  return (map.pack_count() + packs_in_range<n> - 1) / packs_in_range<n>;
}

/// Calls body(pack, place) for all packs of a layout on a host, whose blocks are n x n, each of which moves as many
/// bytes.
template <int n, HostExecutionSpace Exec, int vector_length, class Body>
void for_packs(const std::string& label, const Exec& exec, const SlabMap<vector_length>& map, double bytes,
               const Body& body) {
  constexpr int packs = packs_in_range<n>;
  using Range = PackRange<vector_length, packs, Body>;
  launch(label, IndexRange<Exec>(exec, 0, pack_ranges<n>(map)),
         bytes * static_cast<double>(std::min<std::int64_t>(packs, map.pack_count())), Range{body, map});
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
