// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// BlockIlu0 and the products around it: factor, solve, apply, residual and one correction iteration, each verified once
// against a serial reference and then timed with copy and triad next to every repetition.

#include "support/cache.hpp"
#include "support/kernel_benchmarks.hpp"
#include "support/problem.hpp"
#include "support/suites.hpp"

#include <hyperplane/sweep/sweep_path.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <memory>
#include <string>
#include <vector>

namespace hyperplane::perf {
namespace {

template <class Exec>
class Suite {
 public:
  explicit Suite(const Settings& settings) : m_benchmarks(settings) {}

  void register_all() {
    for (auto const& grid : grids_of(m_benchmarks.settings())) {
      register_block_size<5>(grid);
      register_block_size<6>(grid);
      register_block_size<4>(grid);
      register_block_size<1>(grid);
    }
  }

 private:
  template <int n>
  void register_block_size(const Grid& grid) {
    register_storage<n, double>(grid, "double");
    register_storage<n, float>(grid, "float");
  }

  template <int n, class Storage>
  void register_storage(const Grid& grid, const std::string& storage) {
    using Kernels = Problem<n, Exec, Storage>;
    constexpr int scalar_bytes = sizeof(double);
    constexpr int storage_bytes = sizeof(Storage);
    std::vector<SweepPath> paths = {SweepPath::portable};
    if constexpr (HostExecutionSpace<Exec>) paths.push_back(SweepPath::slab);
    for (auto const path : paths) {
      auto const add = [&](const std::string& kernel, const Cost& cost, void (*run)(Kernels&, const Exec&)) {
        register_kernel<n, Storage>(kernel, storage, grid, path, cost, run);
      };
      add("factor", factor_cost(n, storage_bytes, storage_bytes), [](Kernels& p, const Exec& e) { p.factor(e); });
      add("solve", solve_cost(n, storage_bytes, scalar_bytes), [](Kernels& p, const Exec& e) { p.solve(e); });
      add("correction", correction_cost(n, storage_bytes, scalar_bytes),
          [](Kernels& p, const Exec& e) { p.correct(e); });
      // The products do not depend on the path of the solver.
      if (path != paths.back()) continue;
      add("apply", apply_cost(n, storage_bytes, scalar_bytes), [](Kernels& p, const Exec& e) { p.apply(e); });
      add("residual", residual_cost(n, storage_bytes, scalar_bytes), [](Kernels& p, const Exec& e) { p.residual(e); });
    }
  }

  template <int n, class Storage>
  void register_kernel(const std::string& kernel, const std::string& storage, const Grid& grid, SweepPath path,
                       const Cost& cost, void (*run)(Problem<n, Exec, Storage>&, const Exec&)) {
    auto const block = "n=" + std::to_string(n);
    auto const key = std::string(Exec::name()) + "/" + name(path) + "/" + storage + "/" + block + "/" + to_string(grid);
    auto const more = [=](benchmark::State& state) {
      if (kernel != "factor") return;
      auto const strict = factor_cost_strict(n, sizeof(Storage), sizeof(Storage));
      state.counters["of_triad_strict"] = state.counters["of_triad"] * (strict.bytes / cost.bytes);
    };
    m_benchmarks.template add<Problem<n, Exec, Storage>>(
        kernel + "/" + key, key, grid.size(), cost, [=, this] { return make_problem<n, Storage>(grid, path); }, run,
        more);
  }

  template <int n, class Storage>
  std::shared_ptr<Problem<n, Exec, Storage>> make_problem(const Grid& grid, SweepPath path) {
    using Reference = test::ReferenceIlu0<RandomSystem>;
    auto made = std::make_shared<Problem<n, Exec, Storage>>(m_benchmarks.exec(), grid, path);
    auto const& reference = m_reference.get<Reference>(std::to_string(n) + "/" + to_string(grid),
                                                       [&] { return std::make_shared<Reference>(made->system()); });
    made->verify(m_benchmarks.exec(), reference);
    return made;
  }

  KernelBenchmarks<Exec> m_benchmarks;
  Cache m_reference;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) { return hyperplane::perf::run_on_all_spaces<hyperplane::perf::Suite>(argc, argv); }
