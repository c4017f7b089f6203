// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/concurrency.hpp>
#include <hyperplane/core/detail/held_up_teams.hpp>
#include <hyperplane/core/function_ref.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Bytes that a kernel of a host has to move for a team of threads to be worth its start and its end, where all threads
/// wait for one another: what a core moves in its own caches in twice that time. The calling thread alone runs what
/// moves less: that takes no longer on a quiet machine, and on a busy one nobody waits for a thread that has lost its
/// core to another process. Measured: see docs/threads.md. A variable for tests alone, which see both with small grids.
inline double least_team_bytes = 128.0 * 1024;

/// Spaces that start a team of threads for each kernel, and have finished it when the launch returns.
template <class Exec>
inline constexpr bool starts_teams = false;
#ifdef KOKKOS_ENABLE_OPENMP
template <>
inline constexpr bool starts_teams<Kokkos::OpenMP> = true;
#endif

/// Whether a kernel that moves as many bytes is worth a team on a quiet machine.
template <ExecutionSpace Exec>
bool worth_a_team([[maybe_unused]] const Exec& exec, [[maybe_unused]] double bytes) {
  if constexpr (starts_teams<Exec>) {
    return bytes >= least_team_bytes && concurrency_of(exec) > 1;
  } else {
    return true;
  }
}

/// Runs a kernel on the calling thread. Tools see it, and kernels of an instance run one after the other, as if Kokkos
/// had launched it.
template <ExecutionSpace Exec>
  requires starts_teams<Exec>
void run_alone(const Exec& exec, const std::string& label, FunctionRef<> run) {
  std::uint64_t kernel = 0;
  bool const seen = Kokkos::Tools::profileLibraryLoaded();
  if (seen) Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec), &kernel);
  {
    std::lock_guard const lock(exec.impl_internal_space_instance()->m_instance_mutex);
    run();
  }
  if (seen) Kokkos::Tools::endParallelFor(kernel);
}

/// A kernel that moves as many bytes: team() launches it, alone() does the same on the calling thread. `gain` is what
/// it gains by a team, as a share of what a loop gains whose threads do not wait for one another.
template <ExecutionSpace Exec>
  requires starts_teams<Exec>
void run_alone_or_as_team(const Exec& exec, const std::string& label, double bytes, FunctionRef<> team,
                          FunctionRef<> alone, double gain = 1.0) {
  if (!worth_a_team(exec, gain * bytes)) return run_alone(exec, label, alone);
  auto const begin = HeldUpTeams::Clock::now();
  // Tests that want teams have them.
  if (least_team_bytes > 0 && HeldUpTeams::alone(begin, bytes, concurrency_of(exec))) {
    return run_alone(exec, label, alone);
  }
  team();
  HeldUpTeams::note(begin, bytes);
}

/// A thread's part of a range.
struct RangePart {
  FunctionRef<std::int64_t, std::int64_t> m_run;  ///< (begin, end)
  std::int64_t m_begin;
  std::int64_t m_size;
  std::int64_t m_parts;

  void operator()(std::int64_t part) const {
    m_run(m_begin + part * m_size / m_parts, m_begin + (part + 1) * m_size / m_parts);
  }
};

/// run(begin, end) for the parts of a range, whose indices move as many bytes each. Compiled once for all kernels.
template <ExecutionSpace Exec>
  requires starts_teams<Exec>
void launch_parts(const Exec& exec, std::string_view label, std::int64_t begin, std::int64_t end, double bytes,
                  FunctionRef<std::int64_t, std::int64_t> run) {
  std::string const name(label);
  // One index is nothing for a team.
  double const moved = end - begin > 1 ? bytes * static_cast<double>(end - begin) : -1.0;
  std::int64_t const parts = concurrency_of(exec);
  auto const team = [&] {
    Kokkos::parallel_for(name, Kokkos::RangePolicy<Exec>(exec, 0, parts), RangePart{run, begin, end - begin, parts});
  };
  auto const alone = [&] { run(begin, end); };
  run_alone_or_as_team(exec, name, moved, team, alone);
}

/// The indices of a kernel, begin to end - 1, and the instance that runs it: what a Kokkos::RangePolicy of these
/// properties is, of which there is one only where Kokkos launches the kernel.
template <ExecutionSpace Exec, class... Properties>
class IndexRange {
 public:
  using execution_space = Exec;
  using Policy = Kokkos::RangePolicy<Exec, Properties...>;

  template <class Begin, class End>
  IndexRange(const Exec& exec, Begin begin, End end)
      : m_exec(exec), m_begin(static_cast<std::int64_t>(begin)), m_end(static_cast<std::int64_t>(end)) {}

  const Exec& exec() const { return m_exec; }
  std::int64_t begin() const { return m_begin; }
  std::int64_t end() const { return m_end; }
  /// Kokkos checks that its type of indices can count them.
  Policy policy() const { return Policy(m_exec, m_begin, m_end); }

 private:
  const Exec& m_exec;
  std::int64_t m_begin;
  std::int64_t m_end;
};

/// For kernels over values, of which there may be more than indices of the execution space's own type.
template <ExecutionSpace Exec>
using LongIndexRange = IndexRange<Exec, Kokkos::IndexType<std::int64_t>>;

/// Indices of which several instances have a part each: for_parts(run) calls run with the PartRange of each.
template <class Range>
concept RangeInParts = requires { typename Range::PartRange; };

// Kernels take indices of the type that they like, as from Kokkos.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif

/// body(e) for all indices of a range, each of which moves as many bytes: one launch, or what run_alone() does.
template <class Exec, class... Properties, class Body>
void launch(std::string_view label, const IndexRange<Exec, Properties...>& range, [[maybe_unused]] double bytes,
            const Body& body) {
  if constexpr (starts_teams<Exec>) {
    auto const run = [&body](std::int64_t begin, std::int64_t end) {
      // A copy, which what is written cannot change: compilers then keep it in registers.
      Body const kernel = body;  // NOLINT(performance-unnecessary-copy-initialization)
      for (std::int64_t e = begin; e < end; ++e) kernel(e);
    };
    launch_parts(range.exec(), label, range.begin(), range.end(), bytes, run);
  } else {
    Kokkos::parallel_for(std::string(label), range.policy(), body);
  }
}

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

/// The same with a launch for each part.
template <RangeInParts Range, class Body>
void launch(std::string_view label, const Range& range, double bytes, const Body& body) {
  range.for_parts([&](const typename Range::PartRange& part) { launch(label, part, bytes, body); });
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
