// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// BILU(0) of a box whose parts are spread over the ranks of MPI, with each coupling, and the product: mpirun -n 2
// bench_ranks. All are verified once against serial references and then timed with copy and triad next to every
// repetition: a time is that of the slowest rank, bandwidths are those of all ranks together. Rank 0 reports.

#include "../blocks/block_case.hpp"
#include "../blocks/blocks.hpp"
#include "../blocks/reference.hpp"
#include "../support/cost_model.hpp"
#include "../support/harness.hpp"
#include "../support/kernel_benchmarks.hpp"
#include "problem.hpp"
#include "run_on_ranks.hpp"

#include <hyperplane/blocks/coupling.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/mpi/mpi.hpp>

#include <mpi.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

namespace hyperplane::perf {
namespace {

template <class Exec>
class RankSuite {
 public:
  static constexpr int n = 5;
  using Problem = RanksProblem<n, Exec>;

  explicit RankSuite(const Settings& settings)
      : m_world(MPI_COMM_WORLD), m_benchmarks(settings, 0.0, {.count = ranks(), .largest = largest}) {}

  void register_all() {
    bool const smoke = m_benchmarks.settings().smoke;
    int const extent = HostExecutionSpace<Exec> ? 64 : 128;
    Grid const box = smoke ? Grid(13, 6, 7) : Grid(extent, extent, extent);
    for (auto const coupling : all_couplings) {
      // One on top of the other, those of the natural order go through the devices of ranks.
      std::array const stack{1, 1, std::max(2, ranks())};
      for (auto const& parts : {std::array{1, 1, 1}, stack, std::array{2, 2, 2}}) {
        BlockCase const blocks(box, parts);
        // One part is the same whatever the coupling. Copy and triad are those of all ranks, so each has a part.
        if (blocks.grid().block_count() == 1 && coupling != Coupling::none) continue;
        if (blocks.grid().block_count() < ranks()) continue;
        register_parts(blocks, coupling);
      }
    }
  }

 private:
  void register_parts(const BlockCase& blocks, Coupling coupling) {
    using Values = std::vector<double>;
    auto const key =
        std::string(Exec::name()) + "/" + name(coupling) + "/double/n=" + std::to_string(n) + "/" + blocks.name();
    auto const make = [=, this] {
      auto const& exec = m_benchmarks.exec();
      auto made = std::make_shared<Problem>(exec, m_world, blocks, coupling);
      made->solve(exec);
      made->check(exec, "solve", reference_solve(blocks, n, coupling));
      made->apply(exec);
      made->check(exec, "apply", m_products.template get<Values>(to_string(blocks.systems(n).front().grid), [&] {
        return std::make_shared<Values>(reference_apply(blocks, n));
      }));
      return made;
    };
    auto const add = [&](const std::string& kernel, const Cost& cost, void (*run)(Problem&, const Exec&)) {
      m_benchmarks.template add<Problem>(kernel + "/" + key, key, blocks.grid().size(), cost, make, run);
    };
    add("factor", factor_cost(n, sizeof(double), sizeof(double)), [](Problem& p, const Exec& e) { p.factor(e); });
    add("solve", solve_cost(n, sizeof(double), sizeof(double)), [](Problem& p, const Exec& e) { p.solve(e); });
    if (coupling != Coupling::none) return;
    add("apply", apply_cost(n, sizeof(double), sizeof(double)), [](Problem& p, const Exec& e) { p.apply(e); });
  }

  Communicator m_world;
  KernelBenchmarks<Exec> m_benchmarks;
  Cache m_products;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) {
  return hyperplane::perf::run_on_ranks<hyperplane::perf::RankSuite<Kokkos::DefaultExecutionSpace>>(argc, argv);
}
