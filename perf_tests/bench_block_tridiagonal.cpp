// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// BlockTridiagonal on many lines in line storage: factor and solve, verified once by their residual and then timed with
// copy and triad next to every repetition. The cases are those of K. Kim's paper; on CUDA with loads of 128 and 64
// bits.

#include "support/kernel_benchmarks.hpp"
#include "support/line_problem.hpp"
#include "support/suites.hpp"

#include <hyperplane/grid/grid.hpp>

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
    // Lines along k of M x N x K points. The host's memory is smaller than a device's, its caches too.
    constexpr bool on_host = HostExecutionSpace<Exec>;
    auto const large = m_benchmarks.settings().smoke ? Grid(5, 7, 9)
                       : on_host                     ? Grid(64, 64, 128)
                                                     : Grid(128, 128, 128);
    auto const small = m_benchmarks.settings().smoke ? Grid(5, 3, 9) : on_host ? Grid(32, 32, 128) : Grid(64, 64, 128);
    register_storage<3, double>(large, "double");
    register_storage<5, double>(large, "double");
    register_storage<5, float>(large, "float");
    register_storage<10, double>(small, "double");
    register_storage<15, double>(small, "double");
    register_few<1>();
    register_few<5>();
    register_few<15>();
  }

 private:
  template <int n, class Storage>
  void register_storage(const Grid& grid, const std::string& storage) {
    if constexpr (CudaExecutionSpace<Exec>) {
      register_case<n, Storage>(grid, storage, {.path = LinePath::staged, .load_bits = 128}, "/load=128");
      register_case<n, Storage>(grid, storage, {.path = LinePath::staged, .load_bits = 64}, "/load=64");
    }
    register_case<n, Storage>(grid, storage, {.path = LinePath::portable}, "");
  }

  /// Few lines, whole and cut into parts: what choose_line_partitions is made from.
  template <int n>
  void register_few() {
    constexpr bool on_host = HostExecutionSpace<Exec>;
    for (int const lines : on_host ? std::vector<int>{1, 2, 4} : std::vector<int>{16, 128, 512}) {
      auto const grid = m_benchmarks.settings().smoke ? Grid(lines, 1, 64) : Grid(lines, 1, on_host ? 4096 : 512);
      for (int const partitions : {1, 2, 4, 8, 16, 32, 64, 0}) {
        register_case<n, double>(grid, "double", {.partitions = partitions},
                                 "/parts=" + (partitions == 0 ? "automatic" : std::to_string(partitions)));
      }
    }
  }

  template <int n, class Storage>
  void register_case(const Grid& grid, const std::string& storage, BlockTridiagonalOptions options,
                     const std::string& more) {
    using Kernels = LineProblem<n, Exec, Storage>;
    constexpr int bytes = sizeof(Storage);
    auto const add = [&](const std::string& kernel, const Cost& cost, void (*run)(Kernels&, const Exec&)) {
      auto const key = std::string(Exec::name()) + "/" + name(options.path) + "/" + storage +
                       "/n=" + std::to_string(n) + "/" + to_string(grid) + more;
      m_benchmarks.template add<Kernels>(
          kernel + "/" + key, key, grid.size(), cost,
          [=, exec = m_benchmarks.exec()] {
            return std::make_shared<Kernels>(exec, std::int64_t{grid.ni()} * grid.nj(), grid.nk(), options);
          },
          run);
    };
    add("line_factor", line_factor_cost(n, bytes, bytes), [](Kernels& p, const Exec& e) { p.factor(e); });
    add("line_solve", line_solve_cost(n, bytes, sizeof(double)), [](Kernels& p, const Exec& e) { p.solve(e); });
  }

  KernelBenchmarks<Exec> m_benchmarks;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) { return hyperplane::perf::run_on_all_spaces<hyperplane::perf::Suite>(argc, argv); }
