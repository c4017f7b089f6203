// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// BILU(0), (1) and (2) of block CSR on a mesh, in all orders of the rows: levels, blocks and iterations, and the times
// of factor, solve and product with copy and triad next to every repetition. Verified by the residual of a system that
// is solved, computed from x.

#include "../support/cache.hpp"
#include "../support/harness.hpp"
#include "../support/suites.hpp"
#include "csr_problem.hpp"

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <memory>
#include <string>

namespace hyperplane::perf {
namespace {

template <class Exec>
class Suite {
 public:
  explicit Suite(const Settings& settings)
      : m_settings(settings), m_stream(std::make_shared<Stream<Exec>>(m_exec, settings.stream_bytes<Exec>())) {}

  void register_all() {
    bool const on_host = HostExecutionSpace<Exec>;
    Grid const box = m_settings.smoke ? Grid(5, 4, 6) : on_host ? Grid(48, 48, 48) : Grid(100, 100, 100);
    for (int const fill : {0, 1, 2}) {
      for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours}) {
        register_problem<double>("double", box, fill, order);
        if (fill == 0) register_problem<float>("float", box, fill, order);
      }
    }
  }

 private:
  template <class Storage>
  struct Measured {
    std::shared_ptr<CsrProblem<Exec, Storage>> problem;
    int iterations;
  };

  template <class Storage>
  void register_problem(const std::string& storage, const Grid& box, int fill, RowOrder order) {
    using Problem = CsrProblem<Exec, Storage>;
    auto const key = std::string(Exec::name()) + "/iluk=" + std::to_string(fill) + "/" + name(order) + "/" + storage +
                     "/n=5/" + to_string(box);
    auto const add = [&](const std::string& kernel, Cost (Problem::*cost)() const, const auto& run) {
      add_benchmark(m_settings, kernel + "/" + key, [=, this](benchmark::State& state) {
        auto& measured = m_measured.get<Measured<Storage>>(key, [&] {
          auto problem =
              std::make_shared<Problem>(m_exec, MeshSystem(box), BlockIlukCsrOptions{.fill = fill, .order = order});
          int const iterations = problem->iterations(m_exec);
          return std::make_shared<Measured<Storage>>(Measured<Storage>{problem, iterations});
        });
        auto& problem = *measured.problem;
        time_kernel(state, m_exec, *m_stream, problem.points(), (problem.*cost)(), [&] { run(problem, m_exec); });
        state.counters["iterations"] = measured.iterations;
        state.counters["levels"] = problem.ilu().forward_levels();
        state.counters["fill"] = problem.fill();
      });
    };
    add("factor", &Problem::factor_cost, [](Problem& problem, const Exec& exec) { problem.factor(exec); });
    add("solve", &Problem::solve_cost, [](Problem& problem, const Exec& exec) { problem.solve(exec); });
    if (fill == 0) add("apply", &Problem::apply_cost, [](Problem& problem, const Exec& exec) { problem.apply(exec); });
  }

  Settings m_settings;
  Exec m_exec;
  std::shared_ptr<Stream<Exec>> m_stream;
  Cache m_measured;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) { return hyperplane::perf::run_on_all_spaces<hyperplane::perf::Suite>(argc, argv); }
