// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "summary.hpp"

#include "blasius.hpp"
#include "comparison.hpp"
#include "oblique_shock.hpp"
#include "plate.hpp"
#include "vtk.hpp"
#include "wall_forces.hpp"
#include "wedge.hpp"

#include <hyperplane/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numbers>
#include <span>

namespace implicit_flow {

namespace {

constexpr double degree = std::numbers::pi / 180;

bool has_plate_theory(const Case& flow) { return flow.kind == CaseKind::plate && flow.gas.law == ViscosityLaw::linear; }

bool is_published(const Case& flow) {
  return flow.kind == CaseKind::airfoil && flow.gas.viscosity == 0 && std::abs(flow.mach - 0.8) < 1e-9 &&
         std::abs(flow.attack - 1.25 * degree) < 1e-9;
}

std::vector<Comparison> compare_with_theory(const Case& flow, const CaseOptions& options, const Solution& solution) {
  if (flow.kind == CaseKind::wedge && flow.gas.viscosity == 0 && flow.mach > 1) {
    auto const theory = weak_oblique_shock(flow.mach, options.ramp_degrees * degree, flow.gas.gamma);
    auto const found = measure_wedge_shock(solution);
    return {{"shock angle [degrees]", found.shock_angle / degree, theory.shock_angle / degree},
            {"pressure ratio", found.pressure_ratio, theory.pressure_ratio},
            {"Mach number behind it", found.mach, theory.mach}};
  }
  if (has_plate_theory(flow)) {
    auto const profile = measure_plate_profile(solution, flow.mach);
    Blasius const theory;
    std::vector<Comparison> result = {
        {"skin friction * sqrt(Re_x)", measure_plate_friction(solution, flow.mach), Blasius::friction}};
    for (double const eta : {1.0, 2.0, 3.0, 4.0, 5.0}) {
      result.push_back(
          {"u / U at eta = " + std::to_string(static_cast<int>(eta)), velocity_at(profile, eta), theory.velocity(eta)});
    }
    return result;
  }
  if (flow.kind == CaseKind::airfoil) {
    auto const [lift, drag] = measure_wall_forces(solution, flow.mach, flow.attack);
    if (!is_published(flow)) {
      std::printf("\nlift coefficient %.5f, drag coefficient %.5f\n", lift, drag);
      return {};
    }
    return {{"lift coefficient", lift, vassberg_jameson.lift}, {"drag coefficient", drag, vassberg_jameson.drag}};
  }
  return {};
}

void compare(const Options& options, const Case& flow, const Solution& solution) {
  auto const profile_file = options.output / "profile.csv";
  std::filesystem::remove(profile_file);
  if (has_plate_theory(flow)) write_profile(profile_file, measure_plate_profile(solution, flow.mach));
  try {
    auto const comparison = compare_with_theory(flow, options.flow, solution);
    if (!comparison.empty()) print(comparison, is_published(flow) ? "published" : "theory");
    write_csv(options.output / "comparison.csv", comparison);
  } catch (const hyperplane::Error& reason) {
    std::printf("\nno comparison with theory: %s\n", reason.what());
  }
}

}  // namespace

void prepare(const Options& options, const Case& flow) {
  std::filesystem::create_directories(options.output);
  if (!options.write_grid.empty()) write_plot3d(options.write_grid, flow.blocks.meshes, options.grid_format);
}

void print_header(const Case& flow, const SteadyOptions& steady, const std::string& processes) {
  using Exec = Kokkos::DefaultExecutionSpace;
  auto const& grid = flow.blocks.cells;
  bool const several = grid.block_count() > 1;
  auto const cells = several ? "the cells of " + to_string(grid) : to_string(grid.block(0)) + " cells";
  std::printf("%s equations at Mach %g on %s, %lld unknowns\n", flow.gas.viscosity > 0 ? "Navier-Stokes" : "Euler",
              flow.mach, cells.c_str(), static_cast<long long>(equations * grid.size()));
  // Each is there from both sides.
  auto const interfaces = grid.interfaces().size() / 2;
  if (several || interfaces > 0) std::printf("interfaces where grid blocks meet: %zu\n", interfaces);
  if (several && interfaces == 0) {
    std::printf(
        "warning: no grid block meets another; vertices may be --grid-tolerance apart where they are the same, and a "
        "CGNS file has to say where zones meet\n");
  }
  auto const* const mesh = flow.blocks.one_mesh();
  if (flow.kind == CaseKind::plate && mesh != nullptr) {
    std::printf("cells next to the wall are up to %.0f times as long as high\n", largest_wall_aspect(*mesh));
  }
  auto const& linear = steady.linear;
  std::string const pieces = several ? "grid blocks" : linear.parts ? to_string(*linear.parts) + " parts" : "";
  std::string const coupled = pieces.empty() ? "" : ", " + pieces + " coupled: " + name(linear.coupling);
  std::string const factors = linear.factor_storage ? std::string(", factors as ") + name(*linear.factor_storage) : "";
  std::printf("implicit steps with %s%s; %s, %d threads%s%s\n", name(linear.preconditioner), coupled.c_str(),
              Exec::name(), Exec().concurrency(), processes.c_str(), factors.c_str());
}

void write_results(const Options& options, const Case& flow, const std::vector<Solution>& solutions) {
  auto const whole = whole_solution(flow.blocks, solutions);
  write_vtk(options.output, whole ? std::span<const Solution>(&*whole, 1) : solutions);
  if (whole) {
    compare(options, flow, *whole);
  } else {
    std::printf("\nno comparison with theory: the grid blocks are not parts of one grid\n");
  }
  std::printf("\nresults in %s\n", options.output.string().c_str());
  std::fflush(stdout);
}

}  // namespace implicit_flow
