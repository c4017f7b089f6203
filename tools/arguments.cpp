// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <hyperplane/version.hpp>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "options.hpp"
#include "spelling.hpp"

namespace hyperplane::tools {

namespace {

// Lines of at most 80 characters, printed as they are.
constexpr const char* solve_help =
    R"(Files are Matrix Market: A coordinate or array, real or integer, general or
symmetric; b and x one column. Unknown c of point (i, j, k) is row
  (i + I*(j + J*k))*n + c
counted from 0, where I x J x K is the grid and n the block size. An entry may
couple a point with itself and its six neighbours alone, and is there once.

Without --grid, A is any square matrix. Its blocks are those that have entries,
with zeros where the file has none; unknown c of point p is row p*n + c, counted
from 0. Preconditioners want an entry in the block on the diagonal of each
point. Messages count points from 0, as these, and rows of files from 1.

Example:
  hyperplane solve A.mtx --rhs b.mtx --grid 32x16x8 --block-size 5 \
    --solution x.mtx --history history.json

A general matrix:
  hyperplane solve mesh.mtx --rhs b.mtx --block-size 5 \
    --preconditioner iluk --fill 1 --order rcm --method fgmres --solution x.mtx

One application of the preconditioner, x = M^-1 b:
  hyperplane solve A.mtx --rhs b.mtx --grid 32x16x8 --block-size 5 \
    --method richardson --tolerance 0 --max-iterations 1 --solution x.mtx

Four ranks of MPI, where `hyperplane info` has it:
  mpirun -n 4 hyperplane solve A.mtx --rhs b.mtx --grid 32x16x8 \
    --block-size 5 --parts 1x1x4 --coupling natural --solution x.mtx

The number of threads is that of Kokkos (OMP_NUM_THREADS for openmp). Without
--backend the environment's HYPERPLANE_BACKEND says where to run, and
HYPERPLANE_DEVICE on which CUDA device. With HYPERPLANE_TIMERS=stderr, or the
name of a file for JSON, kernels are timed.

Files are opened before the work begins, and have their names only when they are
complete. A file that is - is the standard input or output; where a result goes
there, the summary is on the standard error.

Exit status: 0 converged, 2 not converged, 130 stopped by Ctrl-C or SIGTERM (in
all three cases the summary and the files are written), 1 error. A second signal
ends without files, as does one that comes while files are read; 130 too.)";

void add_backend(CLI::App& app, std::string& backend) {
  app.add_option("--backend", backend,
                 "Where to run; auto: HYPERPLANE_BACKEND, or the last that `hyperplane info` lists")
      ->type_name("auto|serial|openmp|cuda")
      ->capture_default_str();
}

void add_progress(CLI::App& app, bool& progress) {
  app.add_flag("--progress", progress, "Say how far it is where the standard error is no terminal, too");
}

void add_preconditioner_option(CLI::App& app, PreconditionerOption& option) {
  // Whether the preconditioner that is chosen takes it can be said when all is read.
  auto const check = [&option](const std::string& text) { return option.refusal(text); };
  app.add_option(option.flag, option.text, help_of(option))
      ->check(CLI::Validator(check, "", option.flag))
      ->type_name(type_name_of(option))
      ->default_str(standard_of(option));
}

const CLI::App* add_solve(CLI::App& app, SolveCommand& command) {
  auto& solve = *app.add_subcommand(
      "solve", "Solve A x = b, for a block matrix on the seven-point stencil of a structured grid, or a general one");
  solve.footer(solve_help);
  auto& settings = command.settings;
  add_file(solve, "matrix", command.matrix, "The matrix A")->required();
  add_file(solve, "--rhs", command.rhs, "The right-hand side b")->required();
  add_file(solve, "--initial", command.initial, "What x is at first; 0 without it");
  solve.add_option("--grid", command.grid, "Grid points; without it A is a general matrix")->type_name("IxJxK");
  add_integer(solve, "--block-size", command.block_size, std::numeric_limits<int>::min(),
              std::numeric_limits<int>::max(), "Unknowns of a point, 1 to 16")
      ->capture_default_str();
  solve.add_flag("--transpose", settings.transpose, "Solve A^T x = b");
  auto const preconditioners = preconditioner_names();
  solve.add_option("--preconditioner", settings.preconditioner, preconditioner_summaries())
      ->check(one_of("--preconditioner", preconditioners))
      ->type_name(join_words(preconditioners))
      ->capture_default_str();
  for (auto& option : settings.options) add_preconditioner_option(solve, option);
  add_choice(solve, "--method", settings.krylov.method, methods,
             "Correction iteration x += M^-1 (b - A x), BiCGStab, FGMRES(m) or FGCRO-DR(m, k)");
  add_number(solve, "--tolerance", settings.krylov.tolerance,
             "Converged at ||b - A x|| <= max(tolerance * ||b||, absolute tolerance)")
      ->capture_default_str();
  add_number(solve, "--absolute-tolerance", settings.krylov.absolute_tolerance, "Residual norm that is small enough")
      ->capture_default_str();
  add_integer(solve, "--max-iterations", settings.krylov.max_iterations, 0, 100'000'000, "Iterations at most")
      ->capture_default_str();
  add_integer(solve, "--restart", settings.krylov.restart, 1, 1000,
              "Directions that FGMRES and FGCRO-DR keep, 1 to 1000")
      ->type_name("M")
      ->capture_default_str();
  add_integer(solve, "--recycled", settings.krylov.recycled, 0, 1000,
              "Directions that FGCRO-DR keeps when it restarts, less than those, 0 to 1000")
      ->type_name("K")
      ->capture_default_str();
  add_integer(solve, "--check-interval", settings.krylov.check_interval, 0, std::numeric_limits<int>::max(),
              "Iterations between two looks at the residual, and for a signal; 4096 at most, 0 is 1")
      ->capture_default_str();
  add_file(solve, "--solution", command.solution, "Where to write x; -: standard output");
  add_file(solve, "--history", command.history,
           "Where to write residual norms, times and versions, as JSON; -: standard output");
  add_progress(solve, command.progress);
  add_backend(solve, command.backend);
  add_choice(solve, "--storage", settings.storage, storages,
             "Type that factors are stored in, automatic: the narrowest that is near enough; with --grid, in one "
             "process, A is stored as float with float, else as double; arithmetic is double");
  add_number(solve, "--storage-fraction", settings.storage_fraction,
             "By how much M^-1 of random vectors may differ with --storage automatic from that of double")
      ->capture_default_str();
  add_choice(
      solve, "--product-storage", settings.product_storage, product_storages,
      "Type in which products of the method read A, same: as it is stored; float, with --grid half and bfloat16: a "
      "copy, beside A as double, which residuals of x are computed with; in one process");
  return &solve;
}

constexpr const char* swept_help =
    R"(heat    a bar of length 1 with insulated ends
ks      Kuramoto-Sivashinsky on a ring, points 0.5 apart
euler   Sod's shock tube of length 1

All variants give the same values. FILE is CSV: a line for each point.

Example:
  hyperplane swept --equation euler --points 1000 --steps 1000 --output u.csv

Exit status: 0 all steps done, 130 stopped by Ctrl-C or SIGTERM (the summary and
the file are written for the step that was reached), 1 error. A second signal
ends without a file; 130 too.)";

constexpr const char* info_help = R"(Exit status: 0, or 1 where the environment asks for what is not there.)";

constexpr const char* app_help =
    R"(`hyperplane solve --help` and `hyperplane swept --help` say more.

Exit status: 0 done, 1 error, 2 not converged, 130 stopped by Ctrl-C or SIGTERM.)";

const CLI::App* add_swept(CLI::App& app, SweptCommand& command) {
  auto& swept = *app.add_subcommand(
      "swept", "Advance an unsteady equation on a line of points with the swept rule, from a state that it brings");
  swept.footer(swept_help);
  add_choice<SweptEquation>(
      swept, "--equation", command.equation,
      {{"heat", SweptEquation::heat}, {"ks", SweptEquation::kuramoto_sivashinsky}, {"euler", SweptEquation::euler}},
      "The equation");
  add_integer(swept, "--points", command.points, 1, std::int64_t{1} << 28, "Points of the line")->required();
  add_integer(swept, "--steps", command.steps, 0, std::int64_t{1} << 40, "Time steps")->type_name("S")->required();
  using hyperplane::SweptVariant;
  std::vector<std::pair<std::string, SweptVariant>> variants;
  for (auto const variant :
       {SweptVariant::automatic, SweptVariant::classic, SweptVariant::shared, SweptVariant::hybrid, SweptVariant::tiles,
        SweptVariant::cuda_graph, SweptVariant::registers, SweptVariant::resident}) {
    variants.emplace_back(name(variant), variant);
  }
  add_choice<SweptVariant>(swept, "--variant", command.variant, variants, "How; those after tiles are CUDA's");
  add_integer(swept, "--tile-points", command.tile_points, 0, std::int64_t{1} << 28,
              "Points of a tile; 0: as many as suit")
      ->capture_default_str();
  add_file(swept, "--output", command.output, "Where to write the state after the last step; -: standard output");
  add_progress(swept, command.progress);
  add_backend(swept, command.backend);
  return &swept;
}

/// CLI11 >= 2.5 would join and indent the lines anew.
template <class Formatter>
void print_help_as_it_is(Formatter& formatter) {
  if constexpr (requires { formatter.enable_footer_formatting(false); }) formatter.enable_footer_formatting(false);
}

/// The option of a word like --name or --name=value; empty for others, numbers among them.
std::string option_of(const std::string& word) {
  bool const is_option = word.size() > 1 && word[0] == '-' && word != "--" &&
                         std::string_view("0123456789.").find(word[1]) == std::string_view::npos;
  return is_option ? word.substr(0, word.find('=')) : "";
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (auto const* option : app.get_options()) {
    for (auto const& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

const CLI::App* command_of(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (auto const* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == word) return command;
    names.push_back(command->get_name());
  }
  throw InputError(
      fmt::format("'{}' is not a command; there are {}{}", word, fmt::join(names, ", "), suggestion(word, names)));
}

void check_spelling(const CLI::App& app, int argc, const char* const* argv) {
  auto const* command = &app;
  for (int i = 1; i < argc; ++i) {
    std::string const word = argv[i];
    auto const option = option_of(word);
    auto const name = command == &app ? "hyperplane" : "hyperplane " + command->get_name();
    if (!option.empty() && command->get_option_no_throw(option) == nullptr) {
      throw InputError(fmt::format("'{}' is no option of `{}`{} (`{} --help` has all)", option, name,
                                   suggestion(option, options_of(*command)), name));
    }
    if (command == &app && option.empty()) command = command_of(app, word);
  }
  if (command == &app && argc < 2) {
    throw InputError("a command is missing: solve, swept or info; `hyperplane --help` says more");
  }
}

}  // namespace

std::optional<Arguments> parse_arguments(int argc, const char* const* argv, bool speaks) {
  Arguments arguments;
  CLI::App app("Solvers for structured grids: implicit block-sparse systems, and explicit steps on a line.",
               "hyperplane");
  app.require_subcommand(1);
  print_help_as_it_is(*app.get_formatter());
  app.set_version_flag("--version", HYPERPLANE_VERSION_STRING);
  auto const* const solve = add_solve(app, arguments.solve);
  auto const* const swept = add_swept(app, arguments.swept);
  app.add_subcommand("info", "Say what this build has: backends, versions, vector length, device")->footer(info_help);
  app.footer(app_help);
  check_spelling(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {
    if (speaks) app.exit(wanted);
    return std::nullopt;
  }
  if (solve->parsed()) arguments.command = Command::solve;
  if (swept->parsed()) arguments.command = Command::swept;
  return arguments;
}

}  // namespace hyperplane::tools
