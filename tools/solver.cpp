// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solver.hpp"

#include <Kokkos_Timer.hpp>
#include <hyperplane/core/error.hpp>

namespace hyperplane::tools {

namespace {

std::vector<int> line_directions(LineDirectionKind kind) {
  if (kind == LineDirectionKind::alternating) return {0, 1, 2};
  return {static_cast<int>(kind)};
}

}  // namespace

SolverReport solve_system(const std::string& backend, const SolverSettings& settings, const HostStencil& host_a,
                          const std::vector<double>& host_b, std::vector<double>& host_x) {
  using run_time::MemorySpace;
  auto const context = run_time::make_context(backend);
  run_time::Shape const shape{host_a.grid, host_a.block_size};
  SolverReport report;
  report.concurrency = context->concurrency();
  Kokkos::Timer timer;
  auto const lap = [&] {
    context->fence();
    double const seconds = timer.seconds();
    timer.reset();
    return seconds;
  };

  auto const a = context->make_matrix(shape, settings.preconditioner.storage);
  a->set(host_a.values.data(), run_time::BlockOrder::row_major, MemorySpace::host);
  auto const b = context->make_vector(shape);
  auto const x = context->make_vector(shape);
  b->set(host_b.data(), MemorySpace::host);
  report.times.setup = lap();

  auto preconditioner_settings = settings.preconditioner;
  preconditioner_settings.line_directions = line_directions(settings.line_direction);
  auto const preconditioner = context->make_preconditioner(shape, preconditioner_settings);
  preconditioner->measure();
  preconditioner->factor(*a);
  report.times.factor = lap();
  if (auto const singular = preconditioner->singular_pivot(); !singular.empty()) throw Error(singular);

  auto const method = context->make_krylov(shape, settings.method, settings.krylov);
  report.result = method->solve(*a, *preconditioner, *b, *x);
  report.times.solve = lap();
  report.times.preconditioner_solves = preconditioner->seconds();

  host_x.resize(host_b.size());
  x->get(host_x.data(), MemorySpace::host);
  return report;
}

}  // namespace hyperplane::tools
