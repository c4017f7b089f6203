// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace hyperplane::detail {

/// A pack for each thread of a team, a vector of it for each vector lane.
template <int vectors, class Body>
struct LineTeams {
  Body m_body;
  std::int64_t m_packs;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    auto const pack = std::int64_t{member.league_rank()} * member.team_size() + member.team_rank();
    if (pack >= m_packs) return;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, vectors), [&](int v) { m_body(pack, v); });
  }
};

/// Calls `body(pack, v)` for all packs and for v < vectors, a power of two: a team policy over packs of lines, as in K.
/// Kim's paper (SAND2019-2037C). Vector lanes are the vectors of a pack, which follow one another: on a device
/// neighbouring threads access neighbouring memory. A team has as many packs as fill a block of threads there, one on a
/// host. There is no scratch memory, which allocates at launch: vectors share no data.
template <int vectors, ExecutionSpace Exec, class Body>
void for_line_packs(const std::string& label, const Exec& exec, std::int64_t packs, const Body& body) {
  constexpr int device_threads = 128;
  constexpr int packs_a_team = HostExecutionSpace<Exec> ? 1 : device_threads / vectors;
  constexpr int vector_lanes = HostExecutionSpace<Exec> ? 1 : vectors;
  auto const teams = static_cast<int>((packs + packs_a_team - 1) / packs_a_team);
  Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, teams, packs_a_team, vector_lanes),
                       LineTeams<vectors, Body>{body, packs});
}

struct NoLinePack {
  KOKKOS_FUNCTION void operator()(std::int64_t, int) const {}
};

/// For constructors: host instances allocate what they have for teams at the first team policy that they launch.
template <ExecutionSpace Exec>
void prepare_line_packs(const Exec& exec) {
  if constexpr (HostExecutionSpace<Exec>) {
    for_line_packs<1>("Hyperplane::prepare_line_packs", exec, 0, NoLinePack());
  }
}

}  // namespace hyperplane::detail
