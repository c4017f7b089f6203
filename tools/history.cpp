// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/version.hpp>
#include <nlohmann/json.hpp>
#include <numeric>

#include "commands.hpp"
#include "versions.hpp"

namespace hyperplane::tools {

namespace {

using run_time::Method;
using run_time::PreconditionerKind;

const char* name(Method method) {
  switch (method) {
    case Method::richardson: return "richardson";
    case Method::bicgstab: return "bicgstab";
    case Method::fgmres: return "fgmres";
  }
  return "unknown";
}

const char* name(LineDirectionKind kind) {
  switch (kind) {
    case LineDirectionKind::i: return "i";
    case LineDirectionKind::j: return "j";
    case LineDirectionKind::k: return "k";
    case LineDirectionKind::alternating: return "alternating";
  }
  return "unknown";
}

const char* name(PreconditionerKind kind) {
  switch (kind) {
    case PreconditionerKind::none: return "none";
    case PreconditionerKind::jacobi: return "jacobi";
    case PreconditionerKind::ssor: return "ssor";
    case PreconditionerKind::sip: return "sip";
    case PreconditionerKind::lines: return "lines";
    case PreconditionerKind::bilu0: return "bilu0";
  }
  return "unknown";
}

}  // namespace

std::string format_history(const SolveCommand& command, const Grid& grid, const std::string& backend,
                           double read_seconds, const SolverReport& report) {
  auto const& settings = command.settings;
  auto const& preconditioner = settings.preconditioner;
  auto const& result = report.result;
  auto const& solves = report.times.preconditioner_solves;
  nlohmann::ordered_json json;
  json["matrix"] = command.matrix.string();
  json["rhs"] = command.rhs.string();
  json["grid"] = {grid.ni(), grid.nj(), grid.nk()};
  json["block_size"] = command.block_size;
  json["method"] = name(settings.method);
  json["preconditioner"] = name(preconditioner.kind);
  bool const lines = preconditioner.kind == PreconditionerKind::lines;
  if (lines || preconditioner.kind == PreconditionerKind::ssor) json["relaxation"] = preconditioner.relaxation;
  if (preconditioner.kind == PreconditionerKind::sip) json["alpha"] = preconditioner.alpha;
  if (lines) {
    json["line_direction"] = name(settings.line_direction);
    json["line_sweeps"] = preconditioner.line_sweeps;
  }
  json["storage"] = preconditioner.storage == run_time::StorageKind::double_precision ? "double" : "float";
  json["tolerance"] = settings.krylov.tolerance;
  json["max_iterations"] = settings.krylov.max_iterations;
  json["restart"] = settings.krylov.restart;
  json["check_interval"] = settings.krylov.check_interval;
  json["backend"] = backend;
  json["threads"] = report.concurrency;
  json["outcome"] = hyperplane::name(result.outcome);
  json["iterations"] = result.iterations;
  json["rhs_norm"] = result.rhs_norm;
  json["residual_norm"] = result.residual_norm;
  json["residual_norms"] = result.history;
  json["seconds"] = {{"read", read_seconds},
                     {"setup", report.times.setup},
                     {"factor", report.times.factor},
                     {"solve", report.times.solve},
                     {"preconditioner_total", std::accumulate(solves.begin(), solves.end(), 0.0)},
                     {"preconditioner_solves", solves}};
  json["versions"] = {
      {"hyperplane", HYPERPLANE_VERSION_STRING}, {"kokkos", kokkos_version()}, {"compiler", compiler_version()}};
  return json.dump(2) + "\n";
}

}  // namespace hyperplane::tools
