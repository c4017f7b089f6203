// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The two fastest CUDA paths of BlockIlu0 on grids with large planes and small blocks, where either may win: what
// detail::choose_cuda_path was made from. Both are verified against each other once, then timed with copy and triad
// next to every repetition.

#include "support/kernel_benchmarks.hpp"
#include "support/problem.hpp"
#include "support/suites.hpp"

#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/sweep/sweep_path.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <memory>
#include <stdexcept>
#include <string>

namespace hyperplane::perf {
namespace {

using Exec = Kokkos::Cuda;

template <int n, class Storage>
class PathProblem {
 public:
  PathProblem(const Exec& exec, const Grid& grid, SweepPath path)
      : m_a(exec, grid, "a"), m_b(exec, grid, "b"), m_x(exec, grid, "x"), m_ilu(exec, grid, {.path = path}) {
    RandomSystem const system{grid, n};
    assemble(exec, system, m_a);
    assemble(exec, system, m_b);
    factor(exec);
    if (auto const status = m_ilu.status(exec); !status.ok()) throw std::runtime_error(status.message());
  }

  void factor(const Exec& exec) { m_ilu.factor(exec, m_a); }
  void solve(const Exec& exec) const { m_ilu.solve(exec, m_b, m_x); }

  /// All CUDA paths give the same bits.
  void verify(const Exec& exec, const Grid& grid) const {
    solve(exec);
    auto const x = to_host(exec, m_x);
    SweepPath const other = m_ilu.path() == SweepPath::slab ? SweepPath::cuda_graph : SweepPath::slab;
    BlockIlu0<double, n, Exec, Storage> ilu(exec, grid, {.path = other});
    ilu.factor(exec, m_a);
    ilu.solve(exec, m_b, m_x);
    if (x != to_host(exec, m_x)) {
      throw std::runtime_error("BILU(0) on " + to_string(grid) + ", n = " + std::to_string(n) + ": path " +
                               name(m_ilu.path()) + " differs from path " + name(other));
    }
  }

 private:
  BlockStencil7<double, n, Exec, Storage> m_a;
  BlockVector<double, n, Exec> m_b;
  BlockVector<double, n, Exec> m_x;
  BlockIlu0<double, n, Exec, Storage> m_ilu;
};

class Suite {
 public:
  explicit Suite(const Settings& settings) : m_benchmarks(settings) {}

  void register_all() {
    if (m_benchmarks.settings().smoke) return register_storage<1, double>(Grid(13, 6, 7));
    for (auto const& grid : {Grid(96, 96, 96), Grid(128, 128, 128), Grid(160, 160, 160), Grid(192, 192, 192),
                             Grid(256, 256, 256), Grid(512, 96, 96), Grid(100, 300, 300)}) {
      register_block_size<1>(grid);
      register_block_size<2>(grid);
    }
    for (auto const& grid : {Grid(128, 128, 128), Grid(192, 192, 192), Grid(100, 300, 300)}) {
      register_block_size<3>(grid);
      register_block_size<4>(grid);
    }
  }

 private:
  template <int n>
  void register_block_size(const Grid& grid) {
    register_storage<n, double>(grid);
    register_storage<n, float>(grid);
  }

  template <int n, class Storage>
  void register_storage(const Grid& grid) {
    using Problem = PathProblem<n, Storage>;
    for (auto const path : {SweepPath::slab, SweepPath::cuda_graph}) {
      auto const key = std::string(name(path)) + (sizeof(Storage) == 4 ? "/float" : "/double") +
                       "/n=" + std::to_string(n) + "/" + to_string(grid);
      auto const add = [&](const std::string& kernel, const Cost& cost, void (*run)(Problem&, const Exec&)) {
        m_benchmarks.add<Problem>(
            kernel + "/" + key, key, grid.size(), cost,
            [=, exec = m_benchmarks.exec()] {
              auto made = std::make_shared<Problem>(exec, grid, path);
              made->verify(exec, grid);
              return made;
            },
            run);
      };
      add("factor", factor_cost(n, sizeof(Storage), sizeof(Storage)), [](Problem& p, const Exec& e) { p.factor(e); });
      add("solve", solve_cost(n, sizeof(Storage), sizeof(double)), [](Problem& p, const Exec& e) { p.solve(e); });
    }
  }

  KernelBenchmarks<Exec> m_benchmarks;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) { return hyperplane::perf::run_suites<hyperplane::perf::Suite>(argc, argv); }
