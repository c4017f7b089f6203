// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solver.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Kokkos_Timer.hpp>
#include <cstdint>
#include <hyperplane/core/error.hpp>
#include <memory>
#include <string_view>
#include <utility>

#include "library.hpp"

namespace hyperplane::tools {

namespace {

/// All doubles that `get(object, to, capacity, &count)` has.
template <class Handle>
std::vector<double> get_all(hyperplane_status (*get)(Handle, double*, std::int64_t, std::int64_t*), Handle object) {
  std::int64_t count = 0;
  check(get(object, nullptr, 0, &count));
  std::vector<double> values(static_cast<std::size_t>(count));
  check(get(object, values.data(), count, &count));
  return values;
}

void report_result(hyperplane_krylov method, SolverReport& report) {
  const char* cause = nullptr;
  check(hyperplane_krylov_cause(method, &cause));
  report.cause = cause;
  report.reason = hyperplane_breakdown_message(report.result.breakdown);
  if (!report.cause.empty()) report.reason += "; " + report.cause;
  report.history = get_all(hyperplane_krylov_history, method);
}

/// Throws Error where they are of no use. Points of general matrices are what the library calls rows, of blocks.
void check_factors(hyperplane_preconditioner m, MatrixKind matrix) {
  if (hyperplane_preconditioner_check(m) == HYPERPLANE_SUCCESS) return;
  constexpr std::string_view row = " at row ";
  auto message = library_message();
  auto const place = message.find(row);
  if (matrix == MatrixKind::rows && place != std::string::npos) message.replace(place, row.size(), " at point ");
  throw Error(message);
}

/// A, or A with a copy of it that products read.
Owned<hyperplane_matrix> matrix_of(hyperplane_matrix a, const SolverSettings& settings) {
  if (!settings.narrows()) {
    check(hyperplane_retain(a));
    return Owned<hyperplane_matrix>(a);
  }
  Owned<hyperplane_matrix> made(hyperplane_matrix_create_narrowed, a, settings.product_storage);
  check(hyperplane_matrix_narrow(made.get()));
  return Owned<hyperplane_matrix>(made.release());
}

/// A and M, or both transposed.
std::pair<std::unique_ptr<Owned<hyperplane_matrix>>, std::unique_ptr<Owned<hyperplane_preconditioner>>> operators_of(
    hyperplane_matrix a, hyperplane_preconditioner m, bool transpose) {
  using A = Owned<hyperplane_matrix>;
  using M = Owned<hyperplane_preconditioner>;
  if (transpose) {
    try {
      return {std::make_unique<A>(hyperplane_matrix_transpose, a),
              std::make_unique<M>(hyperplane_preconditioner_transpose, m)};
    } catch (const Error& error) {
      throw Error(fmt::format("--transpose: {}", error.what()));
    }
  }
  check(hyperplane_retain(a));
  check(hyperplane_retain(m));
  return {std::make_unique<A>(a), std::make_unique<M>(m)};
}

void add_storage(std::vector<std::string>& options, const SolverSettings& settings) {
  options.push_back("storage=" + name_of(storages, settings.storage));
  if (settings.storage != HYPERPLANE_STORAGE_AUTOMATIC) return;
  options.push_back(fmt::format("storage_fraction={}", settings.storage_fraction));
}

}  // namespace

SolverReport solve_with(const SolverObjects& objects, const SolverSettings& settings, double setup,
                        const Monitor& monitor) {
  SolverReport report;
  report.times.setup = setup;
  check(hyperplane_context_concurrency(objects.context, &report.concurrency));
  Kokkos::Timer timer;
  auto const lap = [&] {
    check(hyperplane_context_fence(objects.context));
    double const seconds = timer.seconds();
    timer.reset();
    return seconds;
  };

  auto const matrix = matrix_of(objects.a, settings);
  Owned<hyperplane_preconditioner> const factored(objects.make_preconditioner());
  auto const [a, m] = operators_of(matrix.get(), factored.get(), settings.transpose);
  report.times.setup += lap();
  check(hyperplane_preconditioner_factor(factored.get(), matrix.get()));
  report.times.factor = lap();
  check_factors(factored.get(), settings.matrix);
  if (settings.matrix == MatrixKind::rows) {
    check(hyperplane_csr_preconditioner_replaced(factored.get(), &report.replaced, &report.first_replaced));
  }
  check(hyperplane_preconditioner_storage(factored.get(), &report.storage));
  check(hyperplane_preconditioner_measure(m->get()));

  auto krylov = settings.krylov;
  krylov.monitor_data = const_cast<Monitor*>(&monitor);
  krylov.monitor = [](int iteration, double norm, void* data) {
    return (*static_cast<const Monitor*>(data))(iteration, norm) ? 1 : 0;
  };
  Owned<hyperplane_krylov> const method(objects.make_krylov(krylov));
  check(hyperplane_krylov_solve(method.get(), a->get(), m->get(), objects.b, objects.x, &report.result));
  report.times.solve = lap();
  report.times.preconditioner_solves = get_all(hyperplane_preconditioner_seconds, m->get());
  report_result(method.get(), report);
  return report;
}

SolverReport solve_system(const std::string& backend, const SolverSettings& settings, System& system,
                          const Monitor& monitor) {
  auto const& [host_a, host_b, host_x] = system;
  Owned<hyperplane_context> const owned(hyperplane_context_create, backend.c_str(), nullptr);
  auto* const context = owned.get();
  hyperplane_grid const grid{host_a.grid.ni(), host_a.grid.nj(), host_a.grid.nk()};
  int const n = host_a.block_size;
  auto const rows = static_cast<std::int64_t>(host_b.size());
  Kokkos::Timer const timer;
  Owned<hyperplane_matrix> const a(hyperplane_matrix_create, context, grid, n, settings.matrix_storage());
  check(hyperplane_matrix_set(a.get(), host_a.values.data(), static_cast<std::int64_t>(host_a.values.size()),
                              HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST));
  Owned<hyperplane_vector> const b(hyperplane_vector_create, context, grid, n);
  Owned<hyperplane_vector> const x(hyperplane_vector_create, context, grid, n);
  check(hyperplane_vector_set(b.get(), host_b.data(), rows, HYPERPLANE_HOST));
  check(hyperplane_vector_set(x.get(), host_x.data(), rows, HYPERPLANE_HOST));
  check(hyperplane_context_fence(context));
  auto const make_preconditioner = [&] {
    auto named = make_named(settings.matrix, settings.preconditioner, settings.options);
    add_storage(named.options, settings);
    return Owned<hyperplane_preconditioner>(hyperplane_preconditioner_create_named, context, grid, n,
                                            named.name.c_str(),
                                            fmt::format("{}", fmt::join(named.options, ",")).c_str())
        .release();
  };
  auto const make_krylov = [&](const hyperplane_krylov_options& options) {
    return Owned<hyperplane_krylov>(hyperplane_krylov_create, context, grid, n, &options).release();
  };
  auto report = solve_with({context, a.get(), b.get(), x.get(), make_preconditioner, make_krylov}, settings,
                           timer.seconds(), monitor);
  check(hyperplane_vector_get(x.get(), system.x.data(), rows, HYPERPLANE_HOST));
  return report;
}

SolverReport solve_rows_system(const std::string& backend, const SolverSettings& settings, RowsSystem& system,
                               const Monitor& monitor) {
  auto const& host_a = system.a;
  Owned<hyperplane_context> const owned(hyperplane_context_create, backend.c_str(), nullptr);
  auto* const context = owned.get();
  int const n = host_a.block_size;
  auto const points = host_a.points(), rows = host_a.rows();
  Kokkos::Timer const timer;
  hyperplane_csr csr;
  check(hyperplane_csr_init(&csr));
  csr.rows = rows;
  csr.entries = static_cast<std::int64_t>(host_a.columns.size());
  csr.unknowns_per_point = n;
  csr.index_type = HYPERPLANE_INDEX_64;
  csr.row_offsets = host_a.offsets.data();
  csr.columns = host_a.columns.data();
  csr.values = host_a.values.data();
  Owned<hyperplane_matrix> const a(hyperplane_csr_matrix_create, context, &csr, HYPERPLANE_HOST);
  Owned<hyperplane_vector> const b(hyperplane_csr_vector_create, context, points, n);
  Owned<hyperplane_vector> const x(hyperplane_csr_vector_create, context, points, n);
  check(hyperplane_vector_set(b.get(), system.b.data(), rows, HYPERPLANE_HOST));
  check(hyperplane_vector_set(x.get(), system.x.data(), rows, HYPERPLANE_HOST));
  check(hyperplane_context_fence(context));
  auto const make_preconditioner = [&] {
    auto named = make_named(settings.matrix, settings.preconditioner, settings.options);
    bool const has_factors = settings.preconditioner != no_preconditioner;
    if (settings.transpose && has_factors) named.options.emplace_back("transposed=1");
    add_storage(named.options, settings);
    return Owned<hyperplane_preconditioner>(hyperplane_csr_preconditioner_create_named, a.get(), named.name.c_str(),
                                            fmt::format("{}", fmt::join(named.options, ",")).c_str())
        .release();
  };
  auto const make_krylov = [&](const hyperplane_krylov_options& options) {
    return Owned<hyperplane_krylov>(hyperplane_csr_krylov_create, context, points, n, &options).release();
  };
  auto report = solve_with({context, a.get(), b.get(), x.get(), make_preconditioner, make_krylov}, settings,
                           timer.seconds(), monitor);
  check(hyperplane_vector_get(x.get(), system.x.data(), rows, HYPERPLANE_HOST));
  return report;
}

}  // namespace hyperplane::tools
