// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../support/line_problem.hpp"
#include "../support/suites.hpp"
#include "lines.hpp"

#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/line/line_set.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hyperplane::perf {

template <int n, class Storage, class Exec>
void register_case(KernelBenchmarks<Exec>& benchmarks, const Grid& grid, const std::string& storage,
                   BlockTridiagonalOptions options, const std::string& more, LineEnds ends = LineEnds::open) {
  using Kernels = LineProblem<n, Exec, Storage>;
  auto const add = [&](const std::string& kernel, const Cost& cost, void (*run)(Kernels&, const Exec&)) {
    auto const key = std::string(Exec::name()) + "/" + name(options.path) + "/" + storage + "/n=" + std::to_string(n) +
                     "/" + to_string(grid) + more;
    benchmarks.template add<Kernels>(
        kernel + "/" + key, key, grid.size(), cost,
        [=, exec = benchmarks.exec()] {
          return std::make_shared<Kernels>(exec, std::int64_t{grid.ni()} * grid.nj(), grid.nk(), options, ends);
        },
        run);
  };
  add("line_factor", line_factor_cost<typename Kernels::MatrixStorage, Storage>(n),
      [](Kernels& p, const Exec& e) { p.factor(e); });
  add("line_solve", line_solve_cost<Storage>(n, ends), [](Kernels& p, const Exec& e) { p.solve(e); });
  add("line_solve_transposed", line_solve_cost<Storage>(n, ends),
      [](Kernels& p, const Exec& e) { p.solve_transposed(e); });
}

/// Lines along k of M x N x K points. The host's memory is smaller than a device's, its caches too.
template <int n, class Storage, class Exec>
void register_many(KernelBenchmarks<Exec>& benchmarks, const std::string& storage) {
  constexpr bool on_host = HostExecutionSpace<Exec>;
  constexpr bool large = n <= 5;
  auto const grid = benchmarks.settings().smoke ? (large ? Grid(5, 7, 9) : Grid(5, 3, 9))
                    : on_host                   ? (large ? Grid(64, 64, 128) : Grid(32, 32, 128))
                    : large                     ? Grid(128, 128, 128)
                                                : Grid(64, 64, 128);
  if constexpr (CudaExecutionSpace<Exec>) {
    register_case<n, Storage>(benchmarks, grid, storage, {.path = LinePath::staged, .load_bits = 128}, "/load=128");
    register_case<n, Storage>(benchmarks, grid, storage, {.path = LinePath::staged, .load_bits = 64}, "/load=64");
  }
  register_case<n, Storage>(benchmarks, grid, storage, {.path = LinePath::portable}, "");
  if constexpr (n == 5) register_case<n, Storage>(benchmarks, grid, storage, {}, "/periodic", LineEnds::periodic);
}

/// Few lines, whole and cut into parts: what choose_line_partitions is made from.
template <int n, class Exec>
void register_few(KernelBenchmarks<Exec>& benchmarks) {
  constexpr bool on_host = HostExecutionSpace<Exec>;
  for (int const lines : on_host ? std::vector<int>{1, 2, 4} : std::vector<int>{16, 128, 512}) {
    auto const grid = benchmarks.settings().smoke ? Grid(lines, 1, 64) : Grid(lines, 1, on_host ? 4096 : 512);
    for (int const partitions : {1, 2, 4, 8, 16, 32, 64, 0}) {
      register_case<n, double>(benchmarks, grid, "double", {.partitions = partitions},
                               "/parts=" + (partitions == 0 ? "automatic" : std::to_string(partitions)));
    }
    if constexpr (n == 5) {
      register_case<n, double>(benchmarks, grid, "double", {}, "/periodic/parts=automatic", LineEnds::periodic);
    }
  }
}

template <int n, class Exec>
void register_lines(KernelBenchmarks<Exec>& benchmarks) {
  if constexpr (n > 1) register_many<n, double>(benchmarks, "double");
  if constexpr (n == 5) {
    register_many<n, float>(benchmarks, "float");
    register_many<n, Half>(benchmarks, "half");
    register_many<n, BFloat16>(benchmarks, "bfloat16");
  }
  if constexpr (n == 1 || n == 5 || n == 15) register_few<n>(benchmarks);
}

}  // namespace hyperplane::perf
