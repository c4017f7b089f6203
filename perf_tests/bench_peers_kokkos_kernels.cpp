// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// BlockTridiagonal beside the batched building blocks of Kokkos Kernels (LU, trsm and gemm, trsv and gemv on SIMD
// vector types), put together as in K. Kim's paper: packs of lines in parallel, in place, the same interleaved layout,
// the same systems, both in one run and both verified by their residual. On host execution spaces a thread has a pack
// and calls the functions for one thread; elsewhere a team has a pack and calls those for teams, with internal vectors
// of two doubles, or a thread has an internal vector of the pack and calls those for one thread.

#include "support/kernel_benchmarks.hpp"
#include "support/kokkos_kernels_lines.hpp"
#include "support/line_problem.hpp"
#include "support/suites.hpp"

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <memory>
#include <string>

namespace hyperplane::perf {
namespace {

template <class Exec>
class Suite {
 public:
  explicit Suite(const Settings& settings) : m_benchmarks(settings) {}

  void register_all() {
    // The paper's grids on a device, a quarter of them on a host.
    constexpr bool on_host = HostExecutionSpace<Exec>;
    auto const large = m_benchmarks.settings().smoke ? Grid(5, 7, 9)
                       : on_host                     ? Grid(64, 64, 128)
                                                     : Grid(128, 128, 128);
    auto const small = m_benchmarks.settings().smoke ? Grid(5, 3, 9) : on_host ? Grid(32, 32, 128) : Grid(64, 64, 128);
    register_block_size<3>(large);
    register_block_size<5>(large);
    register_block_size<10>(small);
    register_block_size<15>(small);
  }

 private:
  template <int n>
  void register_block_size(const Grid& grid) {
    register_case<n, LineProblem<n, Exec, double>>(grid, "Hyperplane", BlockTridiagonalOptions{});
    using Unblocked = OneThread<kb::Algo::Level3::Unblocked, kb::Algo::Level2::Unblocked>;
    using Blocked = OneThread<kb::Algo::Level3::Blocked, kb::Algo::Level2::Blocked>;
    register_case<n, PeerProblem<n, Exec, Unblocked>>(grid, "KokkosKernels_unblocked");
    register_case<n, PeerProblem<n, Exec, Blocked>>(grid, "KokkosKernels_blocked");
    if constexpr (!HostExecutionSpace<Exec>) {
      using TeamUnblocked = OneTeam<kb::Algo::Level3::Unblocked, kb::Algo::Level2::Unblocked>;
      // The blocked trsv for teams takes vectors of stride 1 alone (4.5.1).
      using TeamBlocked = OneTeam<kb::Algo::Level3::Blocked, kb::Algo::Level2::Unblocked>;
      register_case<n, PeerProblem<n, Exec, TeamUnblocked>>(grid, "KokkosKernels_team_unblocked");
      register_case<n, PeerProblem<n, Exec, TeamBlocked>>(grid, "KokkosKernels_team_blocked");
    }
  }

  template <int n, class Problem, class... Options>
  void register_case(const Grid& grid, const std::string& library, const Options&... options) {
    auto const key =
        library + "/" + std::string(Exec::name()) + "/double/n=" + std::to_string(n) + "/" + to_string(grid);
    auto const add = [&](const std::string& kernel, const Cost& cost, void (*run)(Problem&, const Exec&)) {
      m_benchmarks.template add<Problem>(
          kernel + "/" + key, key, grid.size(), cost,
          [=, exec = m_benchmarks.exec()] {
            return std::make_shared<Problem>(exec, std::int64_t{grid.ni()} * grid.nj(), grid.nk(), options...);
          },
          run);
    };
    add("line_factor", line_factor_cost<double, double>(n), [](Problem& p, const Exec& e) { p.factor(e); });
    add("line_solve", line_solve_cost<double>(n), [](Problem& p, const Exec& e) { p.solve(e); });
  }

  KernelBenchmarks<Exec> m_benchmarks;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) { return hyperplane::perf::run_on_all_spaces<hyperplane::perf::Suite>(argc, argv); }
