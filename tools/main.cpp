// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <exception>
#include <hyperplane/version.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "backends.hpp"
#include "commands.hpp"

namespace {

using namespace hyperplane::tools;
using hyperplane::run_time::Method;
using hyperplane::run_time::PreconditionerKind;
using hyperplane::run_time::StorageKind;

// Lines of at most 80 characters, printed as they are.
constexpr const char* solve_help =
    R"(Files are Matrix Market: A coordinate or array, real or integer, general or
symmetric; b and x one column. Unknown c of point (i, j, k) is row
  (i + I*(j + J*k))*n + c
counted from 0, where I x J x K is the grid and n the block size. An entry may
couple a point with itself and its six neighbours alone, and is there once.

Example:
  hyperplane solve A.mtx --rhs b.mtx --grid 32x16x8 --block-size 5 \
    --solution x.mtx --history history.json

One application of the preconditioner, x = M^-1 b:
  hyperplane solve A.mtx --rhs b.mtx --grid 32x16x8 --block-size 5 \
    --method richardson --tolerance 0 --max-iterations 1 --solution x.mtx

The number of threads is that of Kokkos (OMP_NUM_THREADS for openmp). Without
--backend the environment's HYPERPLANE_BACKEND says where to run, and
HYPERPLANE_DEVICE on which CUDA device. With HYPERPLANE_TIMERS=stderr, or the
name of a file for JSON, kernels are timed.

Exit status: 0 converged, 2 not converged (files are written all the same),
1 error.)";

/// An option that takes one of several names and no other spelling of them.
template <class Choice>
void add_choice(CLI::App& app, const std::string& option, Choice& choice,
                const std::vector<std::pair<std::string, Choice>>& choices, const std::string& description) {
  std::string names;
  for (auto const& [name, value] : choices) {
    names += (names.empty() ? "" : "|") + name;
    if (value == choice) app.add_option(option, choice, description)->default_str(name);
  }
  auto const to_value = [choices, names](std::string& text) {
    for (auto const& [name, value] : choices) {
      if (name != text) continue;
      text = std::to_string(static_cast<int>(value));
      return std::string{};
    }
    return fmt::format("'{}' is not one of {}", text, names);
  };
  app.get_option(option)->transform(CLI::Validator(to_value, "", option))->type_name(names);
}

void add_solve(CLI::App& app, SolveCommand& command) {
  auto& solve = *app.add_subcommand(
      "solve", "Solve A x = b from x = 0, for a block matrix on the seven-point stencil of a structured grid");
  solve.footer(solve_help);
  auto& settings = command.settings;
  solve.add_option("matrix", command.matrix, "The matrix A")->required()->type_name("FILE");
  solve.add_option("--rhs", command.rhs, "The right-hand side b")->required()->type_name("FILE");
  solve.add_option("--grid", command.grid, "Grid points")->required()->type_name("IxJxK");
  solve.add_option("--block-size", command.block_size, "Unknowns of a point, 1 to 16")->required()->type_name("N");
  add_choice<PreconditionerKind>(
      solve, "--preconditioner", settings.preconditioner.kind,
      {{"bilu0", PreconditionerKind::bilu0},
       {"lines", PreconditionerKind::lines},
       {"sip", PreconditionerKind::sip},
       {"ssor", PreconditionerKind::ssor},
       {"jacobi", PreconditionerKind::jacobi},
       {"none", PreconditionerKind::none}},
      "Block ILU(0), line-implicit iteration, SIP for one unknown a point, block SSOR, block Jacobi or none");
  solve
      .add_option("--alpha", settings.preconditioner.alpha,
                  "Share of the extrapolation of sip, at least 0 and less than 1")
      ->type_name("A")
      ->capture_default_str();
  solve
      .add_option("--relaxation", settings.preconditioner.relaxation,
                  "Relaxation of ssor and lines, more than 0 and less than 2")
      ->type_name("W")
      ->capture_default_str();
  add_choice<LineDirectionKind>(solve, "--line-direction", settings.line_direction,
                                {{"i", LineDirectionKind::i},
                                 {"j", LineDirectionKind::j},
                                 {"k", LineDirectionKind::k},
                                 {"alternating", LineDirectionKind::alternating}},
                                "Direction of lines: that of the strongest coupling; or i, j and k in turn");
  solve.add_option("--line-sweeps", settings.preconditioner.line_sweeps, "Sweeps of lines through their directions")
      ->check(CLI::Range(1, 1000).description(""))
      ->type_name("N")
      ->capture_default_str();
  add_choice<Method>(solve, "--method", settings.method,
                     {{"richardson", Method::richardson}, {"bicgstab", Method::bicgstab}, {"fgmres", Method::fgmres}},
                     "Correction iteration x += M^-1 (b - A x), BiCGStab or FGMRES(m)");
  solve.add_option("--tolerance", settings.krylov.tolerance, "Converged at ||b - A x|| <= tolerance * ||b||")
      ->check(CLI::NonNegativeNumber.description(""))
      ->type_name("T")
      ->capture_default_str();
  solve.add_option("--max-iterations", settings.krylov.max_iterations, "Iterations at most")
      ->check(CLI::Range(0, 100'000'000).description(""))
      ->type_name("N")
      ->capture_default_str();
  solve.add_option("--restart", settings.krylov.restart, "Directions that FGMRES keeps, 1 to 1000")
      ->check(CLI::Range(1, 1000).description(""))
      ->type_name("M")
      ->capture_default_str();
  solve.add_option("--check-interval", settings.krylov.check_interval, "Iterations between two looks at the residual")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()).description(""))
      ->type_name("N")
      ->capture_default_str();
  solve.add_option("--solution", command.solution, "Where to write x")->type_name("FILE");
  solve.add_option("--history", command.history, "Where to write residual norms, times and versions, as JSON")
      ->type_name("FILE");
  solve
      .add_option("--backend", command.backend,
                  "Where to run; auto: HYPERPLANE_BACKEND, or the last that `hyperplane info` lists")
      ->type_name("auto|serial|openmp|cuda")
      ->capture_default_str();
  add_choice<StorageKind>(solve, "--storage", settings.preconditioner.storage,
                          {{"double", StorageKind::double_precision}, {"float", StorageKind::single_precision}},
                          "Type that A and its factors are stored in; arithmetic is double");
}

constexpr const char* swept_help =
    R"(heat    a bar of length 1 with insulated ends
ks      Kuramoto-Sivashinsky on a ring, points 0.5 apart
euler   Sod's shock tube of length 1

All variants give the same values. FILE is CSV: a line for each point.

Example:
  hyperplane swept --equation euler --points 1000 --steps 1000 --output u.csv)";

void add_swept(CLI::App& app, SweptCommand& command) {
  auto& swept = *app.add_subcommand(
      "swept", "Advance an unsteady equation on a line of points with the swept rule, from a state that it brings");
  swept.footer(swept_help);
  add_choice<SweptEquation>(
      swept, "--equation", command.equation,
      {{"heat", SweptEquation::heat}, {"ks", SweptEquation::kuramoto_sivashinsky}, {"euler", SweptEquation::euler}},
      "The equation");
  swept.add_option("--points", command.points, "Points of the line")
      ->required()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 28).description(""))
      ->type_name("N");
  swept.add_option("--steps", command.steps, "Time steps")
      ->required()
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40).description(""))
      ->type_name("S");
  using hyperplane::SweptVariant;
  std::vector<std::pair<std::string, SweptVariant>> variants;
  for (auto const variant :
       {SweptVariant::automatic, SweptVariant::classic, SweptVariant::shared, SweptVariant::hybrid, SweptVariant::tiles,
        SweptVariant::cuda_graph, SweptVariant::registers, SweptVariant::resident}) {
    variants.emplace_back(name(variant), variant);
  }
  add_choice<SweptVariant>(swept, "--variant", command.variant, variants, "How; those after tiles are CUDA's");
  swept.add_option("--tile-points", command.tile_points, "Points of a tile; 0: as many as suit")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 28).description(""))
      ->type_name("N")
      ->capture_default_str();
  swept.add_option("--output", command.output, "Where to write the state after the last step")->type_name("FILE");
  swept
      .add_option("--backend", command.backend,
                  "Where to run; auto: HYPERPLANE_BACKEND, or the last that `hyperplane info` lists")
      ->type_name("auto|serial|openmp|cuda")
      ->capture_default_str();
}

/// CLI11 >= 2.5 would join and indent the lines anew.
template <class Formatter>
void print_help_as_it_is(Formatter& formatter) {
  if constexpr (requires { formatter.enable_footer_formatting(false); }) formatter.enable_footer_formatting(false);
}

int run(int argc, char** argv) {
  CLI::App app("Solvers for structured grids: implicit block-sparse systems, and explicit steps on a line.",
               "hyperplane");
  app.require_subcommand(1);
  print_help_as_it_is(*app.get_formatter());
  app.set_version_flag("--version", HYPERPLANE_VERSION_STRING);
  SolveCommand command;
  add_solve(app, command);
  SweptCommand swept_command;
  add_swept(app, swept_command);
  app.add_subcommand("info", "Say what this build has: backends, versions, vector length, device");
  app.footer("`hyperplane solve --help` and `hyperplane swept --help` say more.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {
    return app.exit(wanted);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "hyperplane: error: {}\n", error.what());
    return exit_error;
  }
  Kokkos::ScopeGuard const kokkos(hyperplane::run_time::kokkos_settings());
  hyperplane::run_time::EnvironmentTimers timers;
  timers.start();
  if (app.got_subcommand("info")) return run_info();
  return app.got_subcommand("swept") ? run_swept(swept_command) : run_solve(command);
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
