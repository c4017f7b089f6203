// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ten iterations of SIP: one by one (a residual, a solve and an update each), and as one operation, in one order of the
// points and with orders that alternate; each verified once, then timed with copy and triad next to every repetition.

#include "support/kernel_benchmarks.hpp"
#include "support/problem.hpp"
#include "support/suites.hpp"

#include <hyperplane/sip/sip.hpp>
#include <hyperplane/sip_iteration/sip_iteration.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace hyperplane::perf {
namespace {

constexpr int iterations = 10;

enum class Way { single, one_order, alternating };

constexpr const char* name(Way way) {
  switch (way) {
    case Way::single: return "single";
    case Way::one_order: return "one_order";
    case Way::alternating: return "alternating";
  }
  return "unknown";
}

/// What iterations as one operation move: of A and of the factors 7 values each; r, x and the correction read by the
/// residual, r and x written; r read and y written, y read and the correction written by the sweeps.
constexpr Cost iterations_cost() { return {iterations * (7 + 7 + 5 + 4) * 8.0, iterations * 36.0}; }

template <class Exec>
class IterationProblem {
 public:
  IterationProblem(const Exec& exec, const Grid& grid, Way way)
      : m_way(way),
        m_system{grid, 1},
        m_a(exec, grid, "a"),
        m_b(exec, grid, "b"),
        m_x(exec, grid, "x"),
        m_r(exec, grid, "r") {
    assemble(exec, m_system, m_a);
    assemble(exec, m_system, m_b);
    if (m_way == Way::single) {
      m_sip = std::make_unique<Sip<double, Exec>>(exec, grid);
      m_sip->factor(exec, m_a);
    } else {
      m_iteration =
          std::make_unique<Iteration>(exec, grid, SipIterationOptions{.alternate = m_way == Way::alternating});
      m_iteration->factor(exec, m_a);
      if (auto const status = m_iteration->status(exec); !status.ok()) throw std::runtime_error(status.message());
    }
  }

  void iterate(const Exec& exec) const {
    if (m_iteration) return m_iteration->iterate(exec, m_a, m_b, m_x, iterations);
    auto const x = m_x.flat();
    auto const dx = m_r.flat();
    for (int m = 0; m < iterations; ++m) {
      residual(exec, m_a, m_b, m_x, m_r);
      m_sip->solve(exec, m_r, m_r);
      Kokkos::parallel_for(
          "Hyperplane::perf::update", Kokkos::RangePolicy<Exec>(exec, 0, x.size()),
          KOKKOS_LAMBDA(std::size_t i) { x(i) += dx(i); });
    }
  }

  /// The iteration is that of the portable path, and converges.
  void verify(const Exec& exec) const {
    Kokkos::deep_copy(exec, m_x.flat(), 0.0);
    iterate(exec);
    auto const x = to_host(exec, m_x);
    Iteration portable(exec, m_system.grid,
                       {.alternate = m_way == Way::alternating, .path = SipIterationPath::portable});
    portable.factor(exec, m_a);
    Kokkos::deep_copy(exec, m_x.flat(), 0.0);
    portable.iterate(exec, m_a, m_b, m_x, iterations);
    double const difference = relative_difference(x, to_host(exec, m_x));
    if (!(difference <= 1024 * std::numeric_limits<double>::epsilon())) {
      throw std::runtime_error(std::string("iterations of SIP, ") + name(m_way) + ", on " + to_string(m_system.grid) +
                               ": relative difference from the portable path " + std::to_string(difference));
    }
    for (int repetition = 0; repetition < 3; ++repetition) iterate(exec);
    auto const solution = to_host(exec, m_x);
    iterate(exec);
    double const change = relative_difference(solution, to_host(exec, m_x));
    if (!(change <= 1e-3)) {
      throw std::runtime_error(std::string("iterations of SIP, ") + name(m_way) + ", on " + to_string(m_system.grid) +
                               ": 40 of them leave a change of " + std::to_string(change));
    }
  }

 private:
  using Iteration = SipIteration<double, Exec>;

  Way m_way;
  RandomSystem m_system;
  BlockStencil7<double, 1, Exec> m_a;
  BlockVector<double, 1, Exec> m_b;
  BlockVector<double, 1, Exec> m_x;
  BlockVector<double, 1, Exec> m_r;
  std::unique_ptr<Sip<double, Exec>> m_sip;
  std::unique_ptr<Iteration> m_iteration;
};

template <class Exec>
class Suite {
  using Problem = IterationProblem<Exec>;

 public:
  explicit Suite(const Settings& settings) : m_benchmarks(settings) {}

  void register_all() {
    for (auto const& grid : grids()) {
      for (Way const way : {Way::single, Way::one_order, Way::alternating}) add(grid, way);
    }
  }

 private:
  std::vector<Grid> grids() const {
    if (m_benchmarks.settings().smoke) return {Grid(13, 6, 7)};
    if (HostExecutionSpace<Exec>) return {Grid(64, 64, 64)};
    return {Grid(64, 64, 64), Grid(128, 128, 128), Grid(256, 256, 256), Grid(512, 128, 128)};
  }

  void add(const Grid& grid, Way way) {
    auto const key = std::string(Exec::name()) + "/" + name(way) + "/" + to_string(grid);
    m_benchmarks.template add<Problem>(
        "sip_ten_iterations/" + key, key, grid.size(), iterations_cost(),
        [=, exec = m_benchmarks.exec()] {
          auto made = std::make_shared<Problem>(exec, grid, way);
          made->verify(exec);
          return made;
        },
        [](Problem& problem, const Exec& exec) { problem.iterate(exec); },
        [](benchmark::State& state) { state.counters["us/iteration"] = 1e3 * state.counters["best_ms"] / iterations; });
  }

  KernelBenchmarks<Exec> m_benchmarks;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) { return hyperplane::perf::run_on_all_spaces<hyperplane::perf::Suite>(argc, argv); }
