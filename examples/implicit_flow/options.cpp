// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

#include <CLI/CLI.hpp>

#include <array>
#include <charconv>
#include <cstddef>
#include <map>
#include <optional>
#include <sstream>
#include <string>

namespace implicit_flow {

namespace {

template <class Enum>
void add_choice(CLI::App& app, const std::string& flag, Enum& value, const std::map<std::string, Enum>& names,
                const std::string& text) {
  std::string choices;
  std::string current;
  for (auto const& [name, choice] : names) {
    choices += (choices.empty() ? "" : "|") + name;
    if (choice == value) current = name;
  }
  app.add_option_function<std::string>(
         flag, [&value, names](const std::string& name) { value = names.at(name); }, text)
      ->check(CLI::IsMember(names).description(""))
      ->type_name(choices)
      ->default_str(current);
}

/// "150x100x4"
std::array<int, 3> parse_extents(const std::string& option, const std::string& text) {
  std::array<int, 3> extent{};
  char const* at = text.data();
  char const* const end = text.data() + text.size();
  for (std::size_t d = 0; d < 3; ++d) {
    auto const [stop, error] = std::from_chars(at, end, extent[d]);
    bool const separated = d < 2 ? stop != end && *stop == 'x' : stop == end;
    if (error != std::errc{} || !separated || extent[d] < 1 || extent[d] > 10000) {
      throw CLI::ValidationError(option, "'" + text + "' is not a number along i, j and k such as 150x100x4");
    }
    at = stop + 1;
  }
  return extent;
}

/// "8x8x1", "64" or "automatic"
Parts parse_parts(const std::string& option, const std::string& text) {
  if (text == "automatic") return AutomaticParts{};
  if (text.find('x') != std::string::npos) return parse_extents(option, text);
  int count = 0;
  auto const [stop, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || stop != text.data() + text.size() || count < 1) {
    throw CLI::ValidationError(
        option, "'" + text + "' is neither parts along i, j and k such as 8x8x1, nor their number, nor automatic");
  }
  return count;
}

void add_flow_options(CLI::App& app, CaseOptions& flow) {
  add_choice(
      app, "--case", flow.kind,
      {{"wedge", CaseKind::wedge}, {"plate", CaseKind::plate}, {"airfoil", CaseKind::airfoil}, {"box", CaseKind::box}},
      "what to compute: a supersonic ramp, a laminar flat plate, a transonic airfoil, or a uniform stream through a "
      "waved grid");
  app.add_option(
      "--grid-file", flow.grid_file,
      "PLOT3D grid of one or several blocks, 3-D or 2-D, whole: ASCII, Fortran unformatted or plain binary; or CGNS; "
      "the case then gives the gas, and boundary conditions where a CGNS file has none");
  add_choice(
      app, "--grid-byte-order", flow.grid_byte_order,
      {{"automatic", Plot3dByteOrder::automatic}, {"little", Plot3dByteOrder::little}, {"big", Plot3dByteOrder::big}},
      "order of the bytes of a number in a binary file of --grid-file");
  app.add_option(
         "--grid-tolerance", flow.grid_tolerance,
         "how far apart vertices may be that are the same, where grid blocks meet [1e-9 of the grid's size, 1e-6 in "
         "single precision, far less than any cell]")
      ->check(CLI::NonNegativeNumber);
  app.add_option_function<std::string>(
         "--cells",
         [&flow](const std::string& text) {
           auto const [ni, nj, nk] = parse_extents("--cells", text);
           flow.cells = hyperplane::Grid(ni, nj, nk);
         },
         "cells of the case's own grid along i, j and k")
      ->type_name("NxMxL");
  app.add_option_function<std::string>(
         "--parts", [&flow](const std::string& text) { flow.parts = parse_extents("--parts", text); },
         "cut the grid into grid blocks along i, j and k [1x1x1]")
      ->type_name("NxMxL");
  app.add_option("--mach", flow.mach, "Mach number of the free stream [airfoil: 0.8, else 2]");
  app.add_option("--angle", flow.ramp_degrees, "angle of the wedge's ramp in degrees")->capture_default_str();
  app.add_option("--attack", flow.attack_degrees,
                 "angle of attack in degrees, in the x-y plane [airfoil: 1.25, else 0]");
  app.add_option("--reynolds", flow.reynolds,
                 "Reynolds number per unit of length: Navier-Stokes equations [plate: 100000, else none: Euler]");
  app.add_option("--wall-cell", flow.wall_cell,
                 "height of the plate's first cell over the thickness of the boundary layer at its end")
      ->capture_default_str();
  app.add_option_function<std::string>(
         "--viscosity",
         [&flow](const std::string& name) {
           flow.law = name == "constant" ? ViscosityLaw::constant
                      : name == "linear" ? ViscosityLaw::linear
                                         : ViscosityLaw::sutherland;
         },
         "how viscosity depends on temperature [plate: linear, else sutherland]")
      ->check(CLI::IsMember({"constant", "linear", "sutherland"}).description(""))
      ->type_name("constant|linear|sutherland");
  app.add_option("--boundary", flow.boundaries,
                 "side=condition over that of the case, or block:side=condition, as often as wanted; sides imin imax "
                 "jmin jmax kmin kmax, "
                 "conditions supersonic_inflow outflow pressure_outflow slip_wall no_slip_wall far_field")
      ->allow_extra_args(false);
}

void add_solver_options(CLI::App& app, SteadyOptions& steady, std::optional<double>& damping) {
  app.add_option("--steps", steady.max_steps, "most implicit steps")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_option("--tolerance", steady.tolerance, "fall of the residual at which the flow is steady")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--cfl", steady.cfl, "CFL number of the first step")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--max-cfl", steady.max_cfl, "largest CFL number")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--damping", damping,
                 "fraction of the change that a step takes, for where the residual stalls [airfoil: 0.5, else 1]")
      ->check(CLI::Range(0.01, 1.0));
  add_choice(app, "--order", steady.order, {{"first", Order::first}, {"second", Order::second}},
             "order of accuracy in space");
}

void add_method_options(CLI::App& app, LinearOptions& linear) {
  add_choice(app, "--method", linear.method,
             {{"bicgstab", Method::bicgstab},
              {"fgmres", Method::fgmres},
              {"fgcrodr", Method::fgcrodr},
              {"correction", Method::correction}},
             "iteration for the linear system; fgcrodr is FGMRES that keeps a subspace from one system to the next");
  app.add_option("--restart", linear.restart, "directions of fgmres and fgcrodr before they restart")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--recycled", linear.recycled, "dimensions of the subspace that fgcrodr keeps, less than --restart")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000));
  app.add_option("--linear-tolerance", linear.tolerance, "fall of the linear residual at which a system is solved")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--linear-iterations", linear.max_iterations, "most linear iterations of a step")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
}

void add_storage_option(CLI::App& app, Storage& storage) {
  add_choice(
      app, "--storage", storage,
      {{"double", Storage::of_double},
       {"float", Storage::of_float},
       {"half", Storage::of_half},
       {"bfloat16", Storage::of_bfloat16},
       {"quarter", Storage::of_quarter},
       {"automatic", Storage::automatic}},
      "of matrix and preconditioner, in one process; float is half the bytes, and the flow stays that of double; half, "
      "bfloat16 and quarter, 8 bits, are of the factors of bilu0 and ssor, beside a matrix of float; automatic says "
      "what the first matrix chooses");
}

void add_linear_options(CLI::App& app, SteadyOptions& steady) {
  auto& linear = steady.linear;
  add_choice(app, "--preconditioner", linear.preconditioner,
             {{"bilu0", Preconditioner::bilu0},
              {"lines", Preconditioner::lines},
              {"ssor", Preconditioner::ssor},
              {"jacobi", Preconditioner::jacobi}},
             "of the linear system of a step");
  add_choice(
      app, "--coupling", linear.coupling,
      {{"none", hyperplane::Coupling::none},
       {"coloured", hyperplane::Coupling::coloured},
       {"natural", hyperplane::Coupling::natural}},
      "of grid blocks or parts in the preconditioner; bilu0 and ssor have coloured and natural (grid blocks that "
      "are parts of one box)");
  app.add_option_function<std::string>(
         "--preconditioner-parts",
         [&linear](const std::string& text) { linear.parts = parse_parts("--preconditioner-parts", text); },
         "make bilu0 or ssor of parts of the only grid block, along i, j and k, or of so many, or as many as pay, cut "
         "where "
         "couplings are weakest; the grid itself stays whole [not cut]")
      ->type_name("NxMxL|N|automatic");
  app.add_option_function<std::string>(
         "--folded",
         [&linear](const std::string& text) {
           auto const has = [&](char direction) { return text.find(direction) != std::string::npos; };
           linear.folded = {.i = has('i'), .j = has('j'), .k = has('k')};
         },
         "directions in which bilu0 and ssor take cells from both ends to the middle [none]")
      ->check(CLI::IsMember({"i", "j", "k", "ij", "ik", "jk", "ijk"}).description(""))
      ->type_name("i|j|k|ij|ik|jk|ijk");
  app.add_option("--relaxation", linear.relaxation, "of ssor and lines, more than 0 and less than 2")
      ->capture_default_str();
  add_choice(app, "--line-direction", linear.line_direction,
             {{"i", LineDirections::i},
              {"j", LineDirections::j},
              {"k", LineDirections::k},
              {"alternating", LineDirections::alternating}},
             "direction of lines; j leaves the wall; alternating is j, i and k in turn");
  app.add_option("--line-sweeps", linear.line_sweeps, "sweeps of lines for one application")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_flag("--compare-preconditioners", steady.compare,
               "solve the linear system of every step with all preconditioners, and say what they needed");
  add_choice(app, "--path", linear.path,
             {{"automatic", hyperplane::SweepPath::automatic},
              {"portable", hyperplane::SweepPath::portable},
              {"slab", hyperplane::SweepPath::slab}},
             "how BILU(0), SSOR and lines run; lines have no slab path");
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv, int& exit_status, Start start) {
  CLI::App app(
      "Steady compressible flow on a structured grid: finite volumes, implicit pseudo-time steps, block ILU(0).\n"
      "Writes flow.vts (ParaView), history.csv and, where there is a theory, comparison.csv to the output folder.\n"
      "Exit status: 0 steady, 1 error, 2 not steady (everything is written all the same).");
  Options options;
  add_flow_options(app, options.flow);
  std::optional<double> damping;
  add_solver_options(app, options.steady, damping);
  add_linear_options(app, options.steady);
  add_storage_option(app, options.storage);
  add_method_options(app, options.steady.linear);
  app.add_flag("--adjoint", options.adjoint,
               "also the gradient of the wedge's drag by Mach number and angle, on one grid block in one process");
  app.add_option("--output", options.output, "folder for the results")->capture_default_str();
  app.add_option("--write-grid", options.write_grid, "also write the grid to this PLOT3D file");
  add_choice(
      app, "--grid-format", options.grid_format,
      {{"ascii", Plot3dFormat::ascii}, {"unformatted", Plot3dFormat::unformatted}, {"stream", Plot3dFormat::stream}},
      "encoding of the file of --write-grid");
  app.add_flag("--write-system", options.write_system,
               "also write the matrix of the last step and the residual after it to A.mtx and b.mtx, in one process");
  app.add_option("--threads", options.threads, "host threads [what Kokkos takes], of each rank where there are several")
      ->check(CLI::PositiveNumber);
  if (start != Start::alone) app.footer("On ranks of MPI: mpirun -n 2 implicit_flow --parts 2x1x1");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream nowhere;
    bool const speaks = start != Start::other_rank;
    exit_status = (speaks ? app.exit(error) : app.exit(error, nowhere, nowhere)) == 0 ? 0 : 1;
    return std::nullopt;
  }
  options.steady.damping = damping.value_or(default_damping(options.flow.kind));
  return options;
}

}  // namespace implicit_flow
