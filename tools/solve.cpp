// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "host_rows.hpp"
#include "interruption.hpp"
#include "library.hpp"
#include "option_text.hpp"
#include "output_file.hpp"
#include "parts.hpp"
#include "processes.hpp"
#include "progress.hpp"
#include "solve_checks.hpp"
#include "spelling.hpp"

namespace hyperplane::tools {

namespace {

Grid parse_grid(const std::string& text) {
  std::array<int, 3> extents{};
  if (!read_extents(text, extents)) {
    throw InputError(fmt::format("--grid: '{}' is not of the form IxJxK with extents of at least 1", text));
  }
  return Grid(extents[0], extents[1], extents[2]);
}

/// The 2-norm, of values whose squares overflow or underflow too.
double norm(const std::vector<double>& v) {
  double largest = 0.0, sum = 0.0;
  for (double const value : v) largest = std::max(largest, std::abs(value));
  if (largest == 0.0) return 0.0;
  for (double const value : v) sum += (value / largest) * (value / largest);
  return largest * std::sqrt(sum);
}

/// A residual norm as summary and progress say it: relative to the right-hand side, if that is not zero.
double relative(double residual_norm, double rhs_norm) {
  return rhs_norm > 0.0 ? residual_norm / rhs_norm : residual_norm;
}

/// The files that a solve writes, opened before it begins. None of them is one that it reads: what is read cannot be
/// made again. Only what x is at first may become what x is.
struct Outputs {
  std::optional<OutputFile> solution, history;

  explicit Outputs(const SolveCommand& command) {
    auto const open = [&](std::optional<OutputFile>& file, const char* option, const std::filesystem::path& path) {
      if (path.empty()) return;
      file.emplace(path);
      auto const keep = [&](const char* name, const std::filesystem::path& input) {
        if (input.empty() || !file->replaces(input)) return;
        throw InputError(fmt::format("{} and {}: both are {}", name, option, path.string()));
      };
      keep("A", command.matrix);
      keep("--rhs", command.rhs);
      if (&file == &history) keep("--initial", command.initial);
    };
    open(solution, "--solution", command.solution);
    open(history, "--history", command.history);
    if (solution && history && solution->is_same(*history)) {
      throw InputError("--solution and --history: both are " + command.history.string());
    }
  }
  /// The summary is not mixed with what a program reads.
  std::FILE* summary() const {
    bool const taken = (solution && solution->is_standard_output()) || (history && history->is_standard_output());
    return taken ? stderr : stdout;
  }
};

/// What x is at first.
std::vector<double> read_initial(const SolveCommand& command, std::int64_t rows) {
  return command.initial.empty() ? std::vector<double>(static_cast<std::size_t>(rows), 0.0)
                                 : read_vector(command.initial, rows);
}

/// Where A is to be stored as float, or copied to it.
void check_fits_float(const SolveCommand& command, const std::vector<double>& values) {
  auto const& settings = command.settings;
  bool const copies = settings.product_storage == HYPERPLANE_STORAGE_FLOAT;
  if (!copies && settings.matrix_storage() != HYPERPLANE_STORAGE_FLOAT) return;
  for (double const value : values) {
    if (std::abs(value) > std::numeric_limits<float>::max()) {
      throw InputError(fmt::format("{} float: {} has the value {}, which a float cannot hold",
                                   copies ? "--product-storage" : "--storage", command.matrix.string(), value));
    }
  }
}

System read_system(const SolveCommand& command, const Grid& grid) {
  auto const rows = grid.size() * command.block_size;
  System system{read_stencil(command.matrix, grid, command.block_size), read_vector(command.rhs, rows), {}};
  system.x = read_initial(command, rows);
  check_fits_float(command, system.a.values);
  return system;
}

RowsSystem read_rows_system(const SolveCommand& command) {
  RowsSystem system{read_rows(command.matrix, command.block_size), {}, {}};
  check_fits_float(command, system.a.values);
  check_diagonal(command, system.a);
  auto const rows = system.a.rows();
  system.b = read_vector(command.rhs, rows);
  system.x = read_initial(command, rows);
  return system;
}

const char* outcome_of(hyperplane_outcome outcome) {
  switch (outcome) {
    case HYPERPLANE_CONVERGED: return "converged";
    case HYPERPLANE_MAX_ITERATIONS: return "not converged";
    case HYPERPLANE_BREAKDOWN: return "broke down";
    case HYPERPLANE_STOPPED: return "stopped";
  }
  return "unknown";
}

/// " (the residual is not finite any more)" for a breakdown.
std::string reason_of(const SolverReport& report) {
  return report.result.outcome == HYPERPLANE_BREAKDOWN ? fmt::format(" ({})", report.reason) : "";
}

/// " residual 1.000e-09 of the right-hand side;"; nothing where a norm is not finite.
std::string residual_of(const hyperplane_krylov_result& result) {
  double const residual = relative(result.residual_norm, result.rhs_norm);
  return std::isfinite(residual) ? fmt::format(" residual {:.3e} of the right-hand side;", residual) : "";
}

/// "openmp, 2 threads", or "openmp, 4 ranks of 1 thread, 2x2x1 parts, factors as half", or "cuda, 2 ranks of ...
/// threads, through the devices"
std::string place_of(const std::string& backend, const SolverReport& report, const std::string& chosen_parts,
                     bool is_storage_chosen) {
  auto const ranks = report.ranks == 1 ? "" : fmt::format("{} ranks of ", report.ranks);
  auto const parts = chosen_parts.empty() ? "" : fmt::format(", {} parts", chosen_parts);
  auto const factors = is_storage_chosen ? fmt::format(", factors as {}", name_of(storages, report.storage)) : "";
  auto const devices = report.goes_through_devices ? ", through the devices" : "";
  return fmt::format("{}, {}{} {}{}{}{}", backend, ranks, report.concurrency,
                     report.concurrency == 1 ? "thread" : "threads", parts, devices, factors);
}

/// "; 2 pivots were replaced, the first at point 7"; nothing where none was.
std::string replaced_of(const SolverReport& report) {
  if (report.replaced == 0) return "";
  auto const what = report.replaced == 1 ? "pivot was replaced," : "pivots were replaced, the first";
  return fmt::format("; {} {} at point {}", report.replaced, what, report.first_replaced);
}

/// Calls solve(monitor). `rhs` is what the first process has, null in others.
template <class Solve>
SolverReport watch(const SolveCommand& command, const Processes& processes, const std::vector<double>* rhs,
                   const Solve& solve) {
  auto const& krylov = command.settings.krylov;
  std::optional<Progress> progress;
  double const rhs_norm = rhs == nullptr ? 0.0 : norm(*rhs);
  double const tolerance = std::max(krylov.tolerance, relative(krylov.absolute_tolerance, rhs_norm));
  if (processes.is_first()) progress.emplace(command.progress, processes.count() == 1);
  finish_when_stopped();
  return solve([&](int iteration, double residual_norm) {
    if (progress) {
      progress->show([&] {
        return fmt::format("iteration {}: residual {:.3e} of the right-hand side, tolerance {:.3g}", iteration,
                           relative(residual_norm, rhs_norm), tolerance);
      });
    }
    return stop_requested();
  });
}

/// What is known when a system has been solved.
struct Solved {
  SystemSize size;
  std::string backend;
  double read_seconds;
  SolverReport report;
  std::string chosen_parts;
};

/// In the first process: writes the files and the summary.
void report_solved(const SolveCommand& command, Outputs& outputs, const Solved& solved, const std::vector<double>& x) {
  auto const& [size, backend, read_seconds, report, chosen_parts] = solved;
  auto const& result = report.result;
  if (outputs.solution) outputs.solution->commit(format_vector(x));
  if (outputs.history) outputs.history->commit(format_history(command, size, backend, read_seconds, report));
  fmt::print(outputs.summary(), "{} after {} iterations{}:{} factor {:.3f} s, solve {:.3f} s ({}){}\n",
             outcome_of(result.outcome), result.iterations, reason_of(report), residual_of(result), report.times.factor,
             report.times.solve,
             place_of(backend, report, chosen_parts, command.settings.storage == HYPERPLANE_STORAGE_AUTOMATIC),
             replaced_of(report));
}

int exit_status_of(hyperplane_outcome outcome) {
  if (outcome == HYPERPLANE_STOPPED) return exit_stopped;
  return outcome == HYPERPLANE_CONVERGED ? exit_converged : exit_not_converged;
}

int solve_on_grid(SolveCommand command, const Processes& processes) {
  Grid const grid = parse_grid(*command.grid);
  check_command(command, processes.count());
  auto const given_parts = find_parts(command.settings).text;
  processes.complete(command.settings);
  bool const are_given = find_parts(command.settings).text == given_parts;
  check_parts(command.settings, grid, are_given ? "" : fmt::format(", as there are {} ranks", processes.count()));
  Solved solved{{grid, grid.size()}, choose_backend(command.backend), 0.0, {}, ""};
  std::optional<Outputs> outputs;
  std::optional<System> system;
  processes.on_first([&] {
    outputs.emplace(command);
    Kokkos::Timer const timer;
    system.emplace(read_system(command, grid));
    solved.read_seconds = timer.seconds();
  });

  if (are_chosen(command.settings)) {
    processes.on_first([&] { solved.chosen_parts = choose_parts(solved.backend, command.settings, system->a); });
    find_parts(command.settings).text = solved.chosen_parts = processes.from_first(solved.chosen_parts);
  }
  solved.report = watch(command, processes, system ? &system->b : nullptr, [&](const Monitor& monitor) {
    return processes.solve(solved.backend, command.settings, {grid, command.block_size}, system ? &*system : nullptr,
                           monitor);
  });
  processes.on_first([&] { report_solved(command, *outputs, solved, system->x); });
  return exit_status_of(solved.report.result.outcome);
}

int solve_without_grid(const SolveCommand& command, const Processes& processes) {
  check_command(command, processes.count());
  auto const backend = choose_backend(command.backend);
  Outputs outputs(command);
  Kokkos::Timer const timer;
  auto system = read_rows_system(command);
  Solved solved{{std::nullopt, system.a.points()}, backend, timer.seconds(), {}, ""};
  solved.report = watch(command, processes, &system.b, [&](const Monitor& monitor) {
    return solve_rows_system(backend, command.settings, system, monitor);
  });
  report_solved(command, outputs, solved, system.x);
  return exit_status_of(solved.report.result.outcome);
}

}  // namespace

int run_solve(SolveCommand command, const Processes& processes) {
  command.settings.matrix = command.grid ? MatrixKind::stencil : MatrixKind::rows;
  return command.grid ? solve_on_grid(std::move(command), processes) : solve_without_grid(command, processes);
}

}  // namespace hyperplane::tools
