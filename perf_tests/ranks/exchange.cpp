// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How values of faces come from rank to rank, by each transport that there is: mpirun -n 2 bench_exchange. Each rank
// has a grid block, and gives its faces to those before and after it. What comes is verified, then timed: one exchange
// from its start until its values are there, and exchanges behind one another, for which nothing waits but the last.
// Bytes are those that are sent, of all ranks; a time is that of the slowest one. Rank 0 reports.

#include "../support/cost_model.hpp"
#include "../support/harness.hpp"
#include "../support/kernel_benchmarks.hpp"
#include "exchange_problem.hpp"
#include "run_on_ranks.hpp"

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/mpi/mpi.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <memory>
#include <string>

namespace hyperplane::perf {
namespace {

template <class Exec>
class ExchangeSuite {
 public:
  static constexpr int n = 5;
  using Problem = ExchangeProblem<n, Exec>;

  explicit ExchangeSuite(const Settings& settings)
      : m_world(MPI_COMM_WORLD),
        m_benchmarks(settings, 0.0, {.count = ranks(), .largest = largest}),
        m_in_a_row(settings, 1e-3, {.count = ranks(), .largest = largest}) {}

  void register_all() {
    // There is nobody to exchange with.
    if (ranks() == 1) return;
    bool const smoke = m_benchmarks.settings().smoke;
    for (int const extent : {32, 128, 512}) {
      if (smoke && extent > 32) continue;
      for (auto const transport : {Transport::host, Transport::gpu_aware, Transport::peer}) {
        DistributedGrid const grid = Problem::chain(m_world, extent, transport);
        if (detail::describe_missing(m_benchmarks.exec(), grid, transport).empty()) register_faces(grid, extent);
      }
    }
  }

 private:
  void register_faces(const DistributedGrid& grid, int extent) {
    auto const size = std::to_string(extent);
    auto const key = std::string(Exec::name()) + "/" + name(grid.transport()) + "/double/n=" + std::to_string(n) + "/" +
                     size + "x" + size;
    auto const make = [=, this] {
      auto made = std::make_shared<Problem>(m_benchmarks.exec(), grid);
      made->check(m_benchmarks.exec());
      return made;
    };
    // Faces between two ranks are sent in both directions.
    auto const points = std::int64_t{2} * (ranks() - 1) * extent * extent;
    Cost const cost{n * sizeof(double), 0.0};
    m_benchmarks.template add<Problem>("exchange/" + key, key, points, cost, make,
                                       [](Problem& p, const Exec& e) { p.exchange(e); });
    m_in_a_row.template add<Problem>("in_a_row/" + key, key, points, cost, make,
                                     [](Problem& p, const Exec& e) { p.exchange(e); });
  }

  Communicator m_world;
  KernelBenchmarks<Exec> m_benchmarks;
  KernelBenchmarks<Exec> m_in_a_row;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) {
  return hyperplane::perf::run_on_ranks<hyperplane::perf::ExchangeSuite<Kokkos::DefaultExecutionSpace>>(argc, argv);
}
