// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <exception>
#include <hyperplane/version.hpp>
#include <map>
#include <string>

#include "commands.hpp"

namespace {

using namespace hyperplane::tools;

constexpr const char* solve_help =
    R"(Solves A x = b from x = 0, for a block matrix on the seven-point stencil of a structured grid.

Files are Matrix Market: A coordinate or array, real, general or symmetric; b and x arrays with one column. The row of
unknown c of point (i, j, k) is (i + I*(j + J*k))*n + c, from 0. Entries may couple a point with itself and its six
neighbours alone.

Example:
  hyperplane solve A.mtx --rhs b.mtx --grid 32x16x8 --block-size 5 --solution x.mtx --history history.json

One application of the preconditioner, x = M^-1 b:
  hyperplane solve A.mtx --rhs b.mtx --grid 32x16x8 --block-size 5 --method richardson --tolerance 0 --max-iterations 1

Exit status: 0 converged, 2 not converged (files are written all the same), 1 error.)";

void add_solve(CLI::App& app, SolveCommand& command) {
  auto& solve = *app.add_subcommand("solve", solve_help);
  auto& settings = command.settings;
  solve.add_option("matrix", command.matrix, "The matrix A")->required();
  solve.add_option("--rhs", command.rhs, "The right-hand side b")->required();
  solve.add_option("--grid", command.grid, "Grid points, IxJxK")->required();
  solve.add_option("--block-size", command.block_size, "Unknowns of a point, 1 to 16")->required();
  std::map<std::string, PreconditionerKind> const preconditioners = {
      {"bilu0", PreconditionerKind::bilu0}, {"jacobi", PreconditionerKind::jacobi}, {"none", PreconditionerKind::none}};
  solve.add_option("--preconditioner", settings.preconditioner, "Block ILU(0), block Jacobi or none; default bilu0")
      ->transform(CLI::CheckedTransformer(preconditioners))
      ->type_name("bilu0|jacobi|none");
  std::map<std::string, Method> const methods = {
      {"richardson", Method::richardson}, {"bicgstab", Method::bicgstab}, {"fgmres", Method::fgmres}};
  solve.add_option("--method", settings.method, "Correction iteration, BiCGStab or FGMRES(m); default bicgstab")
      ->transform(CLI::CheckedTransformer(methods))
      ->type_name("richardson|bicgstab|fgmres");
  solve.add_option("--tolerance", settings.krylov.tolerance, "Converged at ||b - A x|| <= tolerance * ||b||")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  solve.add_option("--max-iterations", settings.krylov.max_iterations, "Iterations at most")
      ->check(CLI::Range(0, 100'000'000))
      ->capture_default_str();
  solve.add_option("--restart", settings.krylov.restart, "Directions that FGMRES keeps")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  solve.add_option("--check-interval", settings.krylov.check_interval, "Iterations between two looks at the residual")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  solve.add_option("--solution", command.solution, "Where to write x");
  solve.add_option("--history", command.history, "Where to write residual norms, times and versions, as JSON");
  solve.add_option("--backend", command.backend, "auto|serial|openmp|cuda")->capture_default_str();
  std::map<std::string, StorageKind> const storages = {{"double", StorageKind::double_precision},
                                                       {"float", StorageKind::single_precision}};
  solve.add_option("--storage", settings.storage, "Type that A and its factors are stored in; arithmetic is double")
      ->transform(CLI::CheckedTransformer(storages))
      ->type_name("double|float");
}

int run(int argc, char** argv) {
  CLI::App app("Implicit solvers for block-sparse systems on structured grids.", "hyperplane");
  app.require_subcommand(1);
  app.set_version_flag("--version", HYPERPLANE_VERSION_STRING);
  SolveCommand command;
  add_solve(app, command);
  app.add_subcommand("info", "Backends, versions, vector length, device");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {
    return app.exit(wanted);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "hyperplane: error: {}\n", error.what());
    return exit_error;
  }
  // Kokkos' advice on thread placement is not what a user of a command wants to read.
  Kokkos::ScopeGuard const kokkos(Kokkos::InitializationSettings().set_disable_warnings(true));
  return app.got_subcommand("info") ? run_info() : run_solve(command);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "hyperplane: error: {}\n", error.what());
    return exit_error;
  }
}
