// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../support/problem.hpp"
#include "points.hpp"

#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/sweep/sweep_path.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <memory>
#include <string>
#include <vector>

namespace hyperplane::perf {

template <int n, class Storage, class Exec>
std::shared_ptr<Problem<n, Exec, Storage>> make_problem(const Exec& exec, Cache& references, const Grid& grid,
                                                        SweepPath path) {
  using Reference = test::ReferenceIlu0<RandomSystem>;
  auto made = std::make_shared<Problem<n, Exec, Storage>>(exec, grid, path);
  auto const& reference = references.get<Reference>(std::to_string(n) + "/" + to_string(grid),
                                                    [&] { return std::make_shared<Reference>(made->system()); });
  made->verify(exec, reference);
  return made;
}

template <int n, class Storage, class Exec>
void register_storage(KernelBenchmarks<Exec>& benchmarks, Cache& references, const Grid& grid,
                      const std::string& storage) {
  using Kernels = Problem<n, Exec, Storage>;
  constexpr int scalar_bytes = sizeof(double);
  using Factors = typename BlockIlu0<double, n, Exec, Storage>::Sweeps::Factors;
  using Written = typename BlockIlu0<double, n, Exec, Storage>::Sweeps::WrittenFactors::Storage;
  constexpr int storage_bytes = sizeof(Written);
  constexpr double factor_bytes = (Factors::lower_entries + Factors::upper_entries) * sizeof(Storage);
  constexpr int matrix_bytes = sizeof(typename Kernels::MatrixStorage);
  std::vector<SweepPath> const paths = {SweepPath::portable,
                                        HostExecutionSpace<Exec> ? SweepPath::slab : SweepPath::automatic};
  for (auto const path : paths) {
    auto const add = [&](const std::string& kernel, const Cost& cost, void (*run)(Kernels&, const Exec&)) {
      auto const key = std::string(Exec::name()) + "/" + name(path) + "/" + storage + "/n=" + std::to_string(n) + "/" +
                       to_string(grid);
      auto const more = [=](benchmark::State& state) {
        if (kernel != "factor") return;
        auto const strict = factor_cost_strict(n, matrix_bytes, storage_bytes);
        state.counters["of_triad_strict"] = state.counters["of_triad"] * (strict.bytes / cost.bytes);
      };
      auto const make = [=, &references, exec = benchmarks.exec()] {
        return make_problem<n, Storage>(exec, references, grid, path);
      };
      benchmarks.template add<Kernels>(kernel + "/" + key, key, grid.size(), cost, make, run, more);
    };
    Cost factor = factor_cost(n, matrix_bytes, storage_bytes);
    // What is written is read again and compressed.
    if constexpr (!StorageReal<Storage>) factor.bytes += 7.0 * n * n * storage_bytes + factor_bytes;
    add("factor", factor, [](Kernels& p, const Exec& e) { p.factor(e); });
    add("solve", solve_cost_of(n, factor_bytes, scalar_bytes), [](Kernels& p, const Exec& e) { p.solve(e); });
    add("solve_transposed", solve_cost_of(n, factor_bytes, scalar_bytes),
        [](Kernels& p, const Exec& e) { p.solve_transposed(e); });
    // Products are those of the matrix, which is stored as float beside factors of 16 bits or less.
    if (!Real<Storage>) continue;
    add("correction", correction_cost(n, storage_bytes, scalar_bytes), [](Kernels& p, const Exec& e) { p.correct(e); });
    // The products do not depend on the path of the solver.
    if (path != paths.back()) continue;
    add("apply", apply_cost(n, storage_bytes, scalar_bytes), [](Kernels& p, const Exec& e) { p.apply(e); });
    add("apply_transposed", apply_cost(n, storage_bytes, scalar_bytes),
        [](Kernels& p, const Exec& e) { p.apply_transposed(e); });
    add("residual", residual_cost(n, storage_bytes, scalar_bytes), [](Kernels& p, const Exec& e) { p.residual(e); });
  }
}

template <int n, class Exec>
void register_points(KernelBenchmarks<Exec>& benchmarks, Cache& references, const Grid& grid) {
  register_storage<n, double>(benchmarks, references, grid, "double");
  register_storage<n, float>(benchmarks, references, grid, "float");
  register_storage<n, Half>(benchmarks, references, grid, "half");
  register_storage<n, BFloat16>(benchmarks, references, grid, "bfloat16");
  register_storage<n, Quarter>(benchmarks, references, grid, "quarter");
}

}  // namespace hyperplane::perf
