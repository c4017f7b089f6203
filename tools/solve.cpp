// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "interruption.hpp"
#include "library.hpp"
#include "option_text.hpp"
#include "output_file.hpp"
#include "parts.hpp"
#include "processes.hpp"
#include "progress.hpp"
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

void check_block_size(const SolveCommand& command) {
  int const n = command.block_size;
  if (hyperplane_has_block_size(n) == 0) {
    throw InputError(
        fmt::format("--block-size: {} is not in this build, which has: {}", n, fmt::join(block_sizes(), ", ")));
  }
  auto const& name = command.settings.preconditioner;
  int const largest = describe_preconditioner(name).largest_block_size;
  if (n > largest) {
    throw InputError(fmt::format("--preconditioner {}: takes --block-size {}{}, not {}", name,
                                 largest > 1 ? "1 to " : "", largest, n));
  }
}

/// Other preconditioners than that which is chosen may have the option. But who asks for parts, or for what belongs to
/// them, wants to know where there are none; ranks have parts without any.
void check_option_of_others(const PreconditionerOption& option, const std::string& preconditioner, bool has_ranks) {
  auto const& description = option.meanings.front().description;
  std::string const missing = option.is_parts() ? description.name : description.needs;
  if (missing.empty() || (option.is_parts() && has_ranks)) return;
  throw InputError(
      fmt::format("{} {}: --preconditioner {} has no {}", option.flag, option.text, preconditioner, missing));
}

void check_settings(const SolveCommand& command, bool has_ranks) {
  for (auto const& option : command.settings.options) {
    if (option.text.empty()) continue;
    auto const* const meaning = option.meaning_for(command.settings.preconditioner);
    if (meaning == nullptr) {
      check_option_of_others(option, command.settings.preconditioner, has_ranks);
      continue;
    }
    if (auto const refusal = meaning->refusal(option.text); !refusal.empty()) {
      throw InputError(fmt::format("{}: {}", option.flag, refusal));
    }
  }
  for (auto const& [option, value] : {std::pair{"--tolerance", command.settings.krylov.tolerance},
                                      {"--absolute-tolerance", command.settings.krylov.absolute_tolerance}}) {
    if (!(value >= 0)) throw InputError(fmt::format("{}: {} is less than 0", option, value));
  }
}

/// There is one standard input.
void check_inputs(const SolveCommand& command) {
  const char* taken = nullptr;
  auto const take = [&](const char* name, const std::filesystem::path& path) {
    if (path != "-") return;
    if (taken != nullptr) {
      throw InputError(fmt::format("{} and {}: both are -, and there is one standard input", taken, name));
    }
    taken = name;
  };
  take("A", command.matrix);
  take("--rhs", command.rhs);
  take("--initial", command.initial);
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

System read_system(const SolveCommand& command, const Grid& grid) {
  auto const rows = grid.size() * command.block_size;
  System system{read_stencil(command.matrix, grid, command.block_size), read_vector(command.rhs, rows), {}};
  system.x = command.initial.empty() ? std::vector<double>(rows, 0.0) : read_vector(command.initial, rows);
  if (command.settings.storage == HYPERPLANE_STORAGE_FLOAT) {
    for (double const value : system.a.values) {
      if (std::abs(value) > std::numeric_limits<float>::max()) {
        throw InputError(fmt::format("--storage float: {} has the value {}, which a float cannot hold",
                                     command.matrix.string(), value));
      }
    }
  }
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

/// "openmp, 2 threads", or "openmp, 4 ranks of 1 thread, 2x2x1 parts"
std::string place_of(const std::string& backend, const SolverReport& report, const std::string& chosen_parts) {
  auto const ranks = report.ranks == 1 ? "" : fmt::format("{} ranks of ", report.ranks);
  auto const parts = chosen_parts.empty() ? "" : fmt::format(", {} parts", chosen_parts);
  return fmt::format("{}, {}{} {}{}", backend, ranks, report.concurrency,
                     report.concurrency == 1 ? "thread" : "threads", parts);
}

/// Of the system that the first process has.
SolverReport solve(const SolveCommand& command, const SystemShape& shape, const std::string& backend, System* system,
                   const Processes& processes) {
  auto const& krylov = command.settings.krylov;
  std::optional<Progress> progress;
  double const rhs_norm = system == nullptr ? 0.0 : norm(system->b);
  double const tolerance = std::max(krylov.tolerance, relative(krylov.absolute_tolerance, rhs_norm));
  if (processes.is_first()) progress.emplace(command.progress, processes.count() == 1);
  finish_when_stopped();
  auto const monitor = [&](int iteration, double residual_norm) {
    if (progress) {
      progress->show([&] {
        return fmt::format("iteration {}: residual {:.3e} of the right-hand side, tolerance {:.3g}", iteration,
                           relative(residual_norm, rhs_norm), tolerance);
      });
    }
    return stop_requested();
  };
  return processes.solve(backend, command.settings, shape, system, monitor);
}

}  // namespace

int run_solve(SolveCommand command, const Processes& processes) {
  Grid const grid = parse_grid(command.grid);
  check_settings(command, processes.count() > 1);
  check_block_size(command);
  check_inputs(command);
  bool const has_parts = !find_parts(command.settings).text.empty();
  processes.complete(command.settings);
  check_parts(command.settings, grid, has_parts ? "" : fmt::format(", as there are {} ranks", processes.count()));
  auto const backend = choose_backend(command.backend);
  std::optional<Outputs> outputs;
  std::optional<System> system;
  double read_seconds = 0.0;
  processes.on_first([&] {
    outputs.emplace(command);
    Kokkos::Timer const timer;
    system.emplace(read_system(command, grid));
    read_seconds = timer.seconds();
  });

  std::string chosen_parts;
  if (is_count_of_parts(command.settings)) {
    processes.on_first([&] { chosen_parts = choose_parts(command.settings, system->a); });
    find_parts(command.settings).text = chosen_parts = processes.from_first(chosen_parts);
  }
  auto const report = solve(command, {grid, command.block_size}, backend, system ? &*system : nullptr, processes);

  auto const& result = report.result;
  processes.on_first([&] {
    if (outputs->solution) outputs->solution->commit(format_vector(system->x));
    if (outputs->history) outputs->history->commit(format_history(command, grid, backend, read_seconds, report));
    fmt::print(outputs->summary(), "{} after {} iterations{}:{} factor {:.3f} s, solve {:.3f} s ({})\n",
               outcome_of(result.outcome), result.iterations, reason_of(report), residual_of(result),
               report.times.factor, report.times.solve, place_of(backend, report, chosen_parts));
  });
  if (result.outcome == HYPERPLANE_STOPPED) return exit_stopped;
  return result.outcome == HYPERPLANE_CONVERGED ? exit_converged : exit_not_converged;
}

}  // namespace hyperplane::tools
