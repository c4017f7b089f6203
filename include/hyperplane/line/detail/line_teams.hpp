// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

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

/// Points that the packs of a layout have room for.
template <class Layout>
double line_slots(const Layout& layout) {
  return static_cast<double>(layout.items()) * Layout::vector_length;
}

/// All vectors of a pack, on a host.
template <int vectors, class Body>
struct LinePack {
  Body m_body;
  void operator()(std::int64_t pack) const {
    for (int v = 0; v < vectors; ++v) m_body(pack, v);
  }
};

/// Calls `body(pack, v)` for all packs, which together move as many bytes, and for v < vectors, a power of two: on
/// devices a team policy over packs of lines, as in K. Kim's paper (SAND2019-2037C). Vector lanes are the vectors of a
/// pack, which follow one another, so that neighbouring threads access neighbouring memory. A team is a warp, so that
/// few packs are spread over all multiprocessors. There is no scratch memory, which allocates at launch: vectors share
/// no data.
template <int vectors, ExecutionSpace Exec, class Body>
void for_line_packs(const std::string& label, const Exec& exec, std::int64_t packs, [[maybe_unused]] double bytes,
                    const Body& body) {
  if constexpr (HostExecutionSpace<Exec>) {
    launch(label, LongIndexRange<Exec>(exec, 0, packs), bytes / static_cast<double>(std::max<std::int64_t>(packs, 1)),
           LinePack<vectors, Body>{body});
  } else {
    constexpr int packs_a_team = 32 / vectors;
    constexpr std::int64_t most_teams = 1 << 30;
    auto const teams = std::min((packs + packs_a_team - 1) / packs_a_team, most_teams);
    Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(teams), packs_a_team, vectors),
                         LineTeams<vectors, Body>{body, packs});
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
