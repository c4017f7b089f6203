// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/krylov/monitor.hpp>
#include <hyperplane/krylov/options.hpp>
#include <hyperplane/krylov/processes.hpp>
#include <hyperplane/mpi/communicator.hpp>
#include <hyperplane/mpi/detail/rank_reducer.hpp>
#include <hyperplane/mpi/distributed_grid.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A monitor that all ranks call: any of them stops all, and what one of them throws, all throw. Ranks without a
/// monitor take part.
inline KrylovMonitor monitor_of_all(const Communicator& communicator, const KrylovMonitor& own) {
  return [communicator, own](int iteration, double residual_norm) {
    bool const stops = communicator.agree(
        [&] { return static_cast<bool>(own) && own(iteration, residual_norm) == MonitorAction::stop; });
    return communicator.any(stops) ? MonitorAction::stop : MonitorAction::proceed;
  };
}

inline auto as_numbers(const KrylovLimits& limits) {
  return std::array{std::bit_cast<std::uint64_t>(limits.tolerance),
                    std::bit_cast<std::uint64_t>(limits.absolute_tolerance),
                    static_cast<std::uint64_t>(limits.max_iterations)};
}

/// Krylov methods over ranks: every rank has the same sums, options and limits, and so decides the same.
template <>
struct KrylovProcesses<DistributedGrid> : KrylovElements {
  template <ExecutionSpace Exec>
  using ReducerOf = RankReducer<Exec>;

  template <ExecutionSpace Exec, class Vector>
  static RankReducer<Exec> reducer(const Exec& exec, const Vector& v) {
    return RankReducer<Exec>(exec, v.grid().communicator(), static_cast<std::int64_t>(v.flat().size()));
  }

  template <class Make>
  static auto made(const DistributedGrid& grid, const Make& make) {
    return grid.communicator().agree(make);
  }

  static KrylovOptions options(const DistributedGrid& grid, const std::string& method, const KrylovOptions& given) {
    auto const& communicator = grid.communicator();
    communicator.agree([&] { check_options(method, given); });
    communicator.require_same(method + ": tolerance, absolute_tolerance and max_iterations",
                              as_numbers(given.limits()));
    communicator.require_same(
        method + ": restart, recycled and check_interval",
        std::array{static_cast<std::uint64_t>(given.restart), static_cast<std::uint64_t>(given.recycled),
                   static_cast<std::uint64_t>(given.check_interval)});
    KrylovOptions result = given;
    // Sums wait for the host in any case, and no rank may decide otherwise than the others.
    if (result.check_interval == 0) result.check_interval = 1;
    if (communicator.any(static_cast<bool>(given.monitor)))
      result.monitor = monitor_of_all(communicator, given.monitor);
    return result;
  }

  template <class Check>
  static void check(const DistributedGrid& grid, const std::string& method, const KrylovLimits& limits,
                    const Check& check) {
    grid.communicator().agree(check);
    grid.communicator().require_same(method + ": limits", as_numbers(limits));
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
