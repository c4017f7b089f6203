// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../support/assemble.hpp"
#include "paths.hpp"

#include "unit_tests/support/transfer.hpp"

#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/sweep/sweep_path.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace hyperplane::perf {

template <int n, class Storage>
class PathProblem {
 public:
  using Exec = Kokkos::Cuda;
  /// Of the matrix, too, where that is no type of 16 bits.
  using MatrixStorage = detail::WideStorage<double, Storage>;

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

  /// All CUDA paths give the same bits: of a grid with half of the layers, where a device may not have the memory for
  /// the factors of two plans.
  static void verify(const Exec& exec, const Grid& grid) {
    Grid const verified(grid.ni(), grid.nj(), grid.size() > 10'000'000 ? grid.nk() / 2 : grid.nk());
    PathProblem const slab(exec, verified, SweepPath::slab);
    slab.solve(exec);
    auto const x = test::to_host(exec, slab.m_x);
    BlockIlu0<double, n, Exec, Storage> graph(exec, verified, {.path = SweepPath::cuda_graph});
    graph.factor(exec, slab.m_a);
    graph.solve(exec, slab.m_b, slab.m_x);
    if (x != test::to_host(exec, slab.m_x)) {
      throw std::runtime_error("BILU(0) on " + to_string(verified) + ", n = " + std::to_string(n) +
                               ": slab differs from cuda_graph");
    }
  }

 private:
  BlockStencil7<double, n, Exec, MatrixStorage> m_a;
  BlockVector<double, n, Exec> m_b;
  BlockVector<double, n, Exec> m_x;
  BlockIlu0<double, n, Exec, Storage> m_ilu;
};

template <int n, class Storage>
void register_storage(KernelBenchmarks<Kokkos::Cuda>& benchmarks, const Grid& grid, const std::string& storage) {
  using Problem = PathProblem<n, Storage>;
  using Exec = Kokkos::Cuda;
  constexpr int matrix_bytes = sizeof(typename Problem::MatrixStorage), storage_bytes = sizeof(Storage);
  for (auto const path : {SweepPath::slab, SweepPath::cuda_graph}) {
    auto const key = std::string(name(path)) + '/' + storage + "/n=" + std::to_string(n) + '/' + to_string(grid);
    auto const add = [&](const std::string& kernel, const Cost& cost, void (*run)(Problem&, const Exec&)) {
      benchmarks.add<Problem>(
          kernel + '/' + key, key, grid.size(), cost,
          [=, exec = benchmarks.exec()] {
            Problem::verify(exec, grid);
            return std::make_shared<Problem>(exec, grid, path);
          },
          run);
    };
    add("factor", factor_cost(n, matrix_bytes, storage_bytes), [](Problem& p, const Exec& e) { p.factor(e); });
    add("solve", solve_cost(n, storage_bytes, sizeof(double)), [](Problem& p, const Exec& e) { p.solve(e); });
  }
}

template <int n>
void register_wide_paths(KernelBenchmarks<Kokkos::Cuda>& benchmarks, const Grid& grid) {
  register_storage<n, double>(benchmarks, grid, "double");
  register_storage<n, float>(benchmarks, grid, "float");
}
template <int n>
void register_short_paths(KernelBenchmarks<Kokkos::Cuda>& benchmarks, const Grid& grid) {
  register_storage<n, Half>(benchmarks, grid, "half");
  register_storage<n, BFloat16>(benchmarks, grid, "bfloat16");
}

}  // namespace hyperplane::perf
