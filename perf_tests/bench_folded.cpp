// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// BlockIlu0 where directions are folded beside natural order: factor, solve and solve with M^T, each verified once
// against a serial reference in the same order and then timed with copy and triad next to every repetition.

#include "support/cache.hpp"
#include "support/kernel_benchmarks.hpp"
#include "support/problem.hpp"
#include "support/suites.hpp"

#include "unit_tests/support/folded_order.hpp"

#include <hyperplane/grid/folded_order.hpp>
#include <hyperplane/sweep/sweep_path.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <memory>
#include <string>
#include <vector>

namespace hyperplane::perf {
namespace {

template <class Exec>
class FoldedSuite {
 public:
  /// One call of a small grid takes as long as its start.
  explicit FoldedSuite(const Settings& settings) : m_benchmarks(settings, settings.smoke ? 0 : 1e-3) {}

  void register_all() {
    if (m_benchmarks.settings().smoke) return add_orders<5>(Grid(13, 6, 7));
    add_orders<6>(Grid(15, 15, 15));
    add_orders<6>(Grid(55, 55, 55));
    add_orders<5>(Grid(150, 100, 4));
    add_orders<5>(Grid(600, 400, 4));
  }

 private:
  template <int n>
  void add_orders(const Grid& grid) {
    FoldedDirections const ij{.i = true, .j = true}, all{.i = true, .j = true, .k = true};
    for (auto const& folded : {FoldedDirections{}, ij, all}) {
      add<n>(grid, folded, SweepPath::automatic);
      if (folded.any()) add<n>(grid, folded, SweepPath::portable);
    }
  }

  template <int n>
  void add(const Grid& grid, const FoldedDirections& folded, SweepPath path) {
    using Kernels = Problem<n, Exec, double>;
    auto const order = (folded.any() ? "folded " + test::letters(folded) : "natural") + "/n=" + std::to_string(n) +
                       "/" + to_string(grid);
    auto const key = std::string(Exec::name()) + "/" + name(path) + "/" + order;
    auto const make = [=, this, exec = m_benchmarks.exec()] {
      using Reference = test::ReferenceIlu0<RandomSystem>;
      auto made = std::make_shared<Kernels>(exec, grid, path, folded);
      auto const& reference = m_references.template get<Reference>(
          order, [&] { return std::make_shared<Reference>(made->system(), test::folded_order(grid, folded)); });
      made->verify(exec, reference);
      return made;
    };
    auto const planes = [=](benchmark::State& state) {
      state.counters["planes"] = FoldedOrder(grid, folded).plane_count();
    };
    auto const add_kernel = [&](const std::string& kernel, const Cost& cost, void (*run)(Kernels&, const Exec&)) {
      m_benchmarks.template add<Kernels>(kernel + "/" + key, key, grid.size(), cost, make, run, planes);
    };
    add_kernel("factor", factor_cost(n, 8, 8), [](Kernels& p, const Exec& e) { p.factor(e); });
    add_kernel("solve", solve_cost(n, 8, 8), [](Kernels& p, const Exec& e) { p.solve(e); });
    add_kernel("solve_transposed", solve_cost(n, 8, 8), [](Kernels& p, const Exec& e) { p.solve_transposed(e); });
  }

  KernelBenchmarks<Exec> m_benchmarks;
  Cache m_references;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) {
  return hyperplane::perf::run_on_all_spaces<hyperplane::perf::FoldedSuite>(argc, argv);
}
