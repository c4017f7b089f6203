// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "adjoint/drag_gradient.hpp"
#include "case.hpp"
#include "options.hpp"
#include "report/progress.hpp"
#include "report/summary.hpp"
#include "solver/flow_solver.hpp"

#include <Kokkos_Core.hpp>
#include <executables/write_system.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/storage_kind.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <hyperplane/sweep/choose_storage.hpp>

#include <concepts>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace implicit_flow {

inline Kokkos::InitializationSettings kokkos_settings(const Options& options) {
  Kokkos::InitializationSettings settings;
  if (options.threads > 0) settings.set_num_threads(options.threads);
  return settings;
}

/// Only a steady flow has a gradient.
inline void report_gradient(const Options& options, bool steady, const std::vector<Solution>& solutions) {
  if (!steady) {
    std::printf("\nno gradient: the flow is not steady\n");
    return;
  }
  report(drag_gradient(Kokkos::DefaultExecutionSpace(), options.flow, options.steady.order, solutions.front()),
         options.output);
}

/// A.mtx and b.mtx of all grid blocks.
template <hyperplane::ExecutionSpace Exec, class Processes>
void write_last_system(const Exec& exec, const FlowSolver<Exec, Processes>& solver,
                       const std::filesystem::path& folder) {
  auto const& grid = solver.jacobian().grid();
  std::vector<typename Processes::Matrix::Block> a;
  std::vector<typename Processes::Vector::Block> b;
  for (int number = 0; number < grid.block_count(); ++number) {
    a.push_back(solver.jacobian().block(number));
    b.push_back(solver.negative_residual().block(number));
  }
  hyperplane::executables::write_system(exec, grid, a, b, folder);
}

/// From a case to its results, in one process or several. Returns the exit status.
template <hyperplane::ExecutionSpace Exec, class Processes>
int run(const Exec& exec, const Processes& processes, const Case& flow, const Options& options) {
  std::optional<Progress> progress;
  processes.speak([&] {
    prepare(options, flow);
    print_header(flow, options.steady, processes.description());
    progress.emplace(options.output / "history.csv", Processes::may_have_terminal);
  });
  Kokkos::Timer const timer;
  FlowSolver solver(exec, processes, flow.blocks, flow.gas, flow.boundary, options.steady);
  auto const result = solver.run(exec, [&](const StepReport& step) {
    if (progress) progress->show(step);
  });
  if constexpr (std::same_as<typename Processes::Grid, hyperplane::MultiBlockGrid>) {
    if (options.write_system) write_last_system(exec, solver, options.output);
  }
  auto const comparison = solver.comparison();
  auto const solutions = solver.solutions(exec);
  processes.speak([&] {
    progress->finish(result, timer.seconds());
    print(comparison);
    std::filesystem::remove(options.output / gradient_file);
    write_results(options, flow, solutions);
    if (options.adjoint) report_gradient(options, result.converged, solutions);
  });
  return result.converged ? 0 : 2;
}

/// Factors of fewer bits than a float are those of BILU(0) and SSOR alone.
inline void check_storage(const Options& options) {
  if (options.storage == Storage::of_double || options.storage == Storage::of_float) return;
  auto const preconditioner = options.steady.linear.preconditioner;
  if (preconditioner != Preconditioner::bilu0 && preconditioner != Preconditioner::ssor) {
    throw hyperplane::Error(
        std::string("--storage half, bfloat16, quarter and automatic are for bilu0 and ssor, not for ") +
        name(preconditioner));
  }
  if (options.storage == Storage::automatic && options.steady.linear.parts) {
    throw hyperplane::Error("--storage automatic: it is for whole grid blocks, not for --preconditioner-parts");
  }
}

/// The narrowest storage of factors that is near enough to double for the matrix of the first step.
template <hyperplane::ExecutionSpace Exec>
Storage choose_storage(const Exec& exec, const Case& flow, const Options& options) {
  auto once = options.steady;
  once.max_steps = 1;
  once.compare = false;
  FlowSolver solver(exec, OneProcess<Exec, float>(flow.blocks.cells), flow.blocks, flow.gas, flow.boundary, once);
  solver.run(exec, [](const StepReport&) {});
  auto const& linear = once.linear;
  auto const choose = [&]<class P>(std::type_identity<P>, const typename P::Options& block) {
    return hyperplane::choose_storage<hyperplane::MultiBlock<P>>(exec, solver.jacobian(), {},
                                                                 {.coupling = linear.coupling, .block = block});
  };
  using Ilu = hyperplane::BlockIlu0<double, equations, Exec>;
  using Ssor = hyperplane::Ssor<double, equations, Exec>;
  auto const chosen = linear.preconditioner == Preconditioner::ssor
                          ? choose(std::type_identity<Ssor>{},
                                   {.relaxation = linear.relaxation, .path = linear.path, .folded = linear.folded})
                          : choose(std::type_identity<Ilu>{}, {.path = linear.path, .folded = linear.folded});
  std::printf("--storage automatic: %s\n", name(chosen));
  switch (chosen) {
    case hyperplane::StorageKind::double_precision: break;
    case hyperplane::StorageKind::single_precision: return Storage::of_float;
    case hyperplane::StorageKind::half: return Storage::of_half;
    case hyperplane::StorageKind::bfloat16: return Storage::of_bfloat16;
    case hyperplane::StorageKind::quarter: return Storage::of_quarter;
  }
  return Storage::of_double;
}

template <hyperplane::ExecutionSpace Exec>
int run_in_one_process(const Exec& exec, const Case& flow, const Options& options) {
  if (options.adjoint) check_drag_gradient(options.flow);
  check_storage(options);
  auto const& cells = flow.blocks.cells;
  auto stored = options;
  auto& factor_storage = stored.steady.linear.factor_storage;
  switch (options.storage == Storage::automatic ? choose_storage(exec, flow, options) : options.storage) {
    case Storage::of_double:
    case Storage::automatic: return run(exec, OneProcess<Exec>(cells), flow, options);
    case Storage::of_float: break;
    case Storage::of_half: factor_storage = hyperplane::StorageKind::half; break;
    case Storage::of_bfloat16: factor_storage = hyperplane::StorageKind::bfloat16; break;
    case Storage::of_quarter: factor_storage = hyperplane::StorageKind::quarter; break;
  }
  return run(exec, OneProcess<Exec, float>(cells), flow, stored);
}

}  // namespace implicit_flow
