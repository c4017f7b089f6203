// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/grid/factor_status.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Calls body(entry, index) for each index of each of several grids.
template <class Entry, class Body>
struct OverGridsKernel {
  const Entry* m_entries;
  const std::int64_t* m_first_packs;
  int m_count;
  int m_slots;
  Body m_body;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    std::int64_t const pack = index / m_slots;
    int begin = 0;
    for (int end = m_count; end - begin > 1;) {
      int const middle = begin + (end - begin) / 2;
      (m_first_packs[middle] <= pack ? begin : end) = middle;
    }
    m_body(m_entries[begin], index - m_first_packs[begin] * m_slots);
  }
};

/// ConcludeFactorization of each of several grids, whose matrices are one allocation, by a Diagnosis of a matrix.
template <class Entry, class Diagnosis, class MatrixStorage>
struct ConcludeGrids {
  const Entry* m_entries;
  MatrixStorage* m_a;

  KOKKOS_FUNCTION void operator()(int grid) const {
    auto const& entry = m_entries[grid];
    ConcludeFactorization<Diagnosis>{entry.m_words, {entry.matrix(m_a)}}(0);
  }
};

/// For kernels over all points of several grids, whose points do not depend on one another: in one launch. An Entry is
/// what kernels are told of a grid, with its map(). Copies share the table.
template <class Exec, class Entry>
class OverGrids {
  static constexpr int vector_length = Entry::vector_length;

 public:
  /// On hosts an index of a kernel is a SIMD group of its grid, on devices a slot.
  static constexpr int slots = HostExecutionSpace<Exec> ? 1 : vector_length;

  /// Waits for the instance.
  OverGrids(const Exec& exec, const std::vector<Entry>& entries) {
    std::vector<std::int64_t> first_packs;
    for (auto const& entry : entries) {
      first_packs.push_back(m_packs);
      m_packs += entry.map().pack_count();
      m_points += static_cast<double>(entry.map().grid().size());
    }
    m_entries = to_space(exec, "Hyperplane::OverGrids::entries", entries);
    m_first_packs = to_space(exec, "Hyperplane::OverGrids::first_packs", first_packs);
  }

  int count() const { return static_cast<int>(m_entries.extent(0)); }
  /// Points of all grids.
  double points() const { return m_points; }

  /// body(entry, index) for all indices, each of which moves as many bytes.
  template <class Body>
  void run(const char* label, const Exec& exec, double bytes, const Body& body) const {
    launch(label, LongIndexRange<Exec>(exec, 0, m_packs * slots), bytes,
           OverGridsKernel<Entry, Body>{m_entries.data(), m_first_packs.data(), count(), slots, body});
  }

  /// Follows the kernels of a factorization: what the records of all grids, whose words entries have, are to say.
  template <class Diagnosis, class MatrixStorage>
  void conclude(const Exec& exec, MatrixStorage* a) const {
    launch("Hyperplane::FactorStatus::conclude", IndexRange<Exec>(exec, 0, count()), sizeof(std::uint64_t),
           ConcludeGrids<Entry, Diagnosis, MatrixStorage>{m_entries.data(), a});
  }

 private:
  Kokkos::View<Entry*, typename Exec::memory_space> m_entries;
  Kokkos::View<std::int64_t*, typename Exec::memory_space> m_first_packs;
  std::int64_t m_packs = 0;
  double m_points = 0;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
