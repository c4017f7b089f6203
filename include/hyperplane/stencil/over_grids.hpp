// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/stencil/for_packs.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The indices of a kernel, grid after grid, and the first one of each.
struct IndicesOfGrids {
  const std::int64_t* m_first;
  int m_count;

  HYPERPLANE_FUNCTION int grid(std::int64_t index) const {
    int begin = 0;
    for (int end = m_count; end - begin > 1;) {
      int const middle = begin + (end - begin) / 2;
      (m_first[middle] <= index ? begin : end) = middle;
    }
    return begin;
  }
};

/// On devices: calls group.kernel(entry, grid)(slot) for each slot of each of several grids.
template <class Exec, class Entry, class Group>
struct OverGridsKernel {
  const Entry* m_entries;
  IndicesOfGrids m_indices;
  Group m_group;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    int const grid = m_indices.grid(index);
    m_group.kernel(m_entries[grid], grid)(index - m_indices.m_first[grid]);
  }
};

/// On hosts: group.kernel(entry, grid)(pack, place) for each SIMD group, an index for several of them.
template <HostExecutionSpace Exec, class Entry, class Group>
struct OverGridsKernel<Exec, Entry, Group> {
  const Entry* m_entries;
  IndicesOfGrids m_indices;
  Group m_group;

  void operator()(std::int64_t index) const {
    int const grid = m_indices.grid(index);
    auto const& entry = m_entries[grid];
    auto const kernel = m_group.kernel(entry, grid);
    PackRange<Entry::vector_length, packs_in_range<Entry::block_size>, decltype(kernel)>{
        kernel, entry.map()}(index - m_indices.m_first[grid]);
  }
};

/// For kernels over all points of several grids, whose points do not depend on one another: in one launch. An Entry is
/// what kernels are told of a grid, with its map(). Copies share the table.
template <class Exec, class Entry>
class OverGrids {
 public:
  /// Waits for the instance.
  OverGrids(const Exec& exec, const std::vector<Entry>& entries) {
    std::vector<std::int64_t> first;
    for (auto const& entry : entries) {
      first.push_back(m_size);
      m_size += indices(entry.map());
      m_points += static_cast<double>(entry.map().grid().size());
    }
    m_entries = to_space(exec, "Hyperplane::OverGrids::entries", entries);
    m_first = to_space(exec, "Hyperplane::OverGrids::first", first);
  }

  int count() const { return static_cast<int>(m_entries.extent(0)); }
  /// Points of all grids.
  double points() const { return m_points; }

  /// `group.kernel(entry, grid)` for all points of each grid, each of which moves as many bytes: on hosts it is called
  /// with a SIMD group and its place, on devices with a slot.
  template <class Group>
  void run(const char* label, const Exec& exec, double bytes, const Group& group) const {
    constexpr int points = HostExecutionSpace<Exec> ? packs_in_range<Entry::block_size> * Entry::vector_length : 1;
    launch(label, LongIndexRange<Exec>(exec, 0, m_size), bytes * points,
           OverGridsKernel<Exec, Entry, Group>{m_entries.data(), {m_first.data(), count()}, group});
  }

  /// Follows the kernels of a factorization: see conclude_grids.
  template <class Group>
  void conclude(const Exec& exec, const Group& group) const {
    conclude_grids(exec, count(), m_entries.data(), group);
  }

 private:
  using Map = SlabMap<Entry::vector_length>;

  static std::int64_t indices(const Map& map) {
    if constexpr (HostExecutionSpace<Exec>) {
      return pack_ranges<Entry::block_size>(map);
    } else {
      return map.pack_count() * Entry::vector_length;
    }
  }

  Kokkos::View<Entry*, typename Exec::memory_space> m_entries;
  Kokkos::View<std::int64_t*, typename Exec::memory_space> m_first;
  std::int64_t m_size = 0;
  double m_points = 0;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
