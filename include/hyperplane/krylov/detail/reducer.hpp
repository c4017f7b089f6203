// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/macros.hpp>
#include <string>

namespace hyperplane::detail {

/// `count` values that are summed in one pass.
template <int count>
struct Sums {
  double m_values[count];
};

/// Elements of a partial sum.
inline constexpr std::int64_t reducer_chunk = 4096;
inline constexpr int reducer_max_sums = 4;

// Kernels are not nested in the class: CUDA has to be able to name them.

template <int count, class Body>
struct ReducerHostChunk {
  // As many independent sums as a vector register may have lanes.
  static constexpr int lanes = 16;

  Body m_body;
  double* m_partial;
  std::int64_t m_size;

  void operator()(std::int64_t index) const {
    std::int64_t const begin = index * reducer_chunk;
    std::int64_t const end = std::min(begin + reducer_chunk, m_size);
    double sums[count][lanes] = {};
    std::int64_t e = begin;
    for (; e + lanes <= end; e += lanes) {
      HYPERPLANE_INDEPENDENT
      for (int lane = 0; lane < lanes; ++lane) {
        auto const values = m_body(e + lane);
        for (int s = 0; s < count; ++s) sums[s][lane] += values.m_values[s];
      }
    }
    for (; e < end; ++e) {
      auto const values = m_body(e);
      for (int s = 0; s < count; ++s) sums[s][0] += values.m_values[s];
    }
    for (int s = 0; s < count; ++s) {
      for (int width = lanes / 2; width > 0; width /= 2) {
        for (int lane = 0; lane < width; ++lane) sums[s][lane] += sums[s][lane + width];
      }
      m_partial[index * reducer_max_sums + s] = sums[s][0];
    }
  }
};

template <int count, class Exec, class Body>
struct ReducerTeamChunk {
  Body m_body;
  double* m_partial;
  std::int64_t m_size;

  KOKKOS_FUNCTION void operator()(const typename Kokkos::TeamPolicy<Exec>::member_type& team) const {
    std::int64_t const begin = team.league_rank() * reducer_chunk;
    std::int64_t const end = begin + reducer_chunk < m_size ? begin + reducer_chunk : m_size;
    double sums[count] = {};
    for (std::int64_t e = begin + team.team_rank(); e < end; e += team.team_size()) {
      auto const values = m_body(e);
      for (int s = 0; s < count; ++s) sums[s] += values.m_values[s];
    }
    for (int s = 0; s < count; ++s) {
      double total = sums[s];
      team.team_reduce(Kokkos::Sum<double>(total));
      if (team.team_rank() == 0) m_partial[team.league_rank() * reducer_max_sums + s] = total;
    }
  }
};

template <int count, class Finish>
struct ReducerCombine {
  Finish m_finish;
  const double* m_partial;
  std::int64_t m_chunks;

  KOKKOS_FUNCTION void operator()(int) const {
    Sums<count> total{};
    for (std::int64_t c = 0; c < m_chunks; ++c) {
      for (int s = 0; s < count; ++s) total.m_values[s] += m_partial[c * reducer_max_sums + s];
    }
    m_finish(total);
  }
};

/// Reductions with the same bits whatever the number of threads: partial sums over fixed chunks, combined in a fixed
/// order by one thread, which also runs a functor on the result. So scalars of a method stay on the device.
///
/// Two launches, no allocation, no fence. Sums are in double.
template <ExecutionSpace Exec>
class Reducer {
 public:
  Reducer(const Exec& exec, std::int64_t size)
      : m_size(size),
        m_chunks((size + reducer_chunk - 1) / reducer_chunk),
        m_partial(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Hyperplane::Reducer::partial"),
                  m_chunks * reducer_max_sums) {}

  /// `body(e)` is called once for every element and returns Sums<count>; it may write element e of vectors.
  /// `finish(sums)` is called once, after all of them.
  template <int count, class Body, class Finish>
  void run(const Exec& exec, const std::string& label, const Body& body, const Finish& finish) const {
    static_assert(count >= 1 && count <= reducer_max_sums);
    double* const partial = m_partial.data();
    if constexpr (HostExecutionSpace<Exec>) {
      Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, m_chunks),
                           ReducerHostChunk<count, Body>{body, partial, m_size});
    } else {
      Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(m_chunks), team_size),
                           ReducerTeamChunk<count, Exec, Body>{body, partial, m_size});
    }
    Kokkos::parallel_for(label + "::finish", Kokkos::RangePolicy<Exec>(exec, 0, 1),
                         ReducerCombine<count, Finish>{finish, partial, m_chunks});
  }

 private:
  static constexpr int team_size = 128;

  std::int64_t m_size;
  std::int64_t m_chunks;
  Kokkos::View<double*, typename Exec::memory_space> m_partial;
};

}  // namespace hyperplane::detail
