// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace hyperplane::detail {

/// A pack for each thread of a team, a vector of it for each vector lane; more packs where there are too many for a
/// league.
template <int vectors, class Body>
struct LineTeams {
  Body m_body;
  std::int64_t m_packs;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    auto const threads = std::int64_t{member.league_size()} * member.team_size();
    auto pack = std::int64_t{member.league_rank()} * member.team_size() + member.team_rank();
    for (; pack < m_packs; pack += threads) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, vectors), [&](int v) { m_body(pack, v); });
    }
  }
};

/// Calls `body(pack, v)` for all packs and for v < vectors, a power of two: a team policy over packs of lines, as in K.
/// Kim's paper (SAND2019-2037C). Vector lanes are the vectors of a pack, which follow one another: on a device
/// neighbouring threads access neighbouring memory. A team is a warp there, so that few packs are spread over all
/// multiprocessors, and has one pack on a host. There is no scratch memory, which allocates at launch: vectors share no
/// data.
template <int vectors, ExecutionSpace Exec, class Body>
void for_line_packs(const std::string& label, const Exec& exec, std::int64_t packs, const Body& body) {
  constexpr int device_threads = 32;
  constexpr int packs_a_team = HostExecutionSpace<Exec> ? 1 : device_threads / vectors;
  constexpr int vector_lanes = HostExecutionSpace<Exec> ? 1 : vectors;
  constexpr std::int64_t most_teams = 1 << 30;
  auto const teams = std::min((packs + packs_a_team - 1) / packs_a_team, most_teams);
  Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(teams), packs_a_team, vector_lanes),
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
