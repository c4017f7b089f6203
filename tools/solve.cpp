// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>
#include <unistd.h>

#include <Kokkos_Timer.hpp>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <functional>

#include <limits>
#include <memory>
#include <optional>

#include "backends.hpp"
#include "commands.hpp"
#include "output_file.hpp"

namespace hyperplane::tools {

namespace {

/// "32x16x8"
Grid parse_grid(const std::string& text) {
  int extents[3] = {};
  const char* next = text.data();
  const char* const end = next + text.size();
  for (int d = 0; d < 3; ++d) {
    auto const [after, error] = std::from_chars(next, end, extents[d]);
    bool const separated = d == 2 ? after == end : after != end && (*after == 'x' || *after == 'X');
    if (error != std::errc{} || !separated || extents[d] < 1) {
      throw InputError(fmt::format("--grid: '{}' is not of the form IxJxK with extents of at least 1", text));
    }
    next = after + 1;
  }
  return Grid(extents[0], extents[1], extents[2]);
}

/// A line that is written again and again, for a person who watches.
class ProgressLine {
 public:
  explicit ProgressLine(double tolerance) : m_active(::isatty(STDERR_FILENO) == 1), m_tolerance(tolerance) {}
  ~ProgressLine() {
    if (m_written) fmt::print(stderr, "\r\033[K");
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(int iteration, double residual_norm) {
    if (!m_active) return;
    if (iteration == 0) m_first = residual_norm;
    fmt::print(stderr, "\r\033[Kiteration {}  residual {:.3e} of {:.3e}  (tolerance {:.1e})", iteration, residual_norm,
               m_first, m_tolerance);
    std::fflush(stderr);
    m_written = true;
  }

 private:
  bool m_active;
  bool m_written = false;
  double m_tolerance;
  double m_first = 0.0;
};

}  // namespace

int run_solve(SolveCommand command) {
  Grid const grid = parse_grid(command.grid);
  run_time::require_block_size(command.block_size, "--block-size");
  double const relaxation = command.settings.preconditioner.relaxation;
  if (!(relaxation > 0 && relaxation < 2)) {
    throw InputError(fmt::format("--relaxation: {} is not more than 0 and less than 2", relaxation));
  }
  double const alpha = command.settings.preconditioner.alpha;
  if (!(alpha >= 0 && alpha < 1)) throw InputError(fmt::format("--alpha: {} is not at least 0 and less than 1", alpha));
  if (command.settings.preconditioner.kind == run_time::PreconditionerKind::sip && command.block_size != 1) {
    throw InputError(fmt::format("--preconditioner sip: takes --block-size 1, not {}", command.block_size));
  }
  auto const backend = run_time::choose_backend(command.backend, "--backend");
  std::optional<OutputFile> solution_file, history_file;
  if (!command.solution.empty()) solution_file.emplace(command.solution);
  if (!command.history.empty()) history_file.emplace(command.history);
  if (solution_file && history_file && solution_file->is_same(*history_file)) {
    throw InputError("--solution and --history: both are " + command.history.string());
  }

  Kokkos::Timer const timer;
  auto const a = read_stencil(command.matrix, grid, command.block_size);
  auto const b = read_vector(command.rhs, grid.size() * command.block_size);
  double const read_seconds = timer.seconds();
  if (command.settings.preconditioner.storage == run_time::StorageKind::single_precision) {
    for (double const value : a.values) {
      if (std::abs(value) > std::numeric_limits<float>::max()) {
        throw InputError(fmt::format("--storage float: {} has the value {}, which a float cannot hold",
                                     command.matrix.string(), value));
      }
    }
  }

  SolverReport report;
  std::vector<double> x;
  {
    ProgressLine line(command.settings.krylov.tolerance);
    command.settings.krylov.monitor = [&](int iteration, double norm) { line.show(iteration, norm); };
    report = solve_system(backend, command.settings, a, b, x);
  }

  if (solution_file) solution_file->commit(format_vector(x));
  if (history_file) {
    history_file->commit(format_history(command, grid, backend, read_seconds, report));
  }
  auto const& result = report.result;
  double const relative = result.rhs_norm > 0.0 ? result.residual_norm / result.rhs_norm : 0.0;
  fmt::print(
      "{} after {} iterations: residual {:.3e} of the right-hand side; factor {:.3f} s, solve {:.3f} s ({}, {} {})\n",
      result.outcome == KrylovOutcome::converged        ? "converged"
      : result.outcome == KrylovOutcome::max_iterations ? "not converged"
                                                        : "broke down",
      result.iterations, relative, report.times.factor, report.times.solve, backend, report.concurrency,
      report.concurrency == 1 ? "thread" : "threads");
  return result.converged() ? exit_converged : exit_not_converged;
}

}  // namespace hyperplane::tools
