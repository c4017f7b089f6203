// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mesh/mesh.hpp"
#include "mesh/plot3d.hpp"
#include "physics/boundary.hpp"
#include "physics/gas.hpp"

#include <hyperplane/grid/grid.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace implicit_flow {

enum class CaseKind {
  wedge,  ///< ramp in a supersonic stream, inviscid; compared with oblique-shock theory
  plate,  ///< laminar boundary layer; skin friction compared with theory
  box,    ///< waved grid in a uniform stream: nothing should happen
};

/// What the command line says about the flow; what it leaves open depends on the case.
struct CaseOptions {
  CaseKind kind = CaseKind::wedge;
  std::filesystem::path grid_file{};  ///< PLOT3D; empty: the case's own generator
  Plot3dByteOrder grid_byte_order = Plot3dByteOrder::automatic;
  std::optional<hyperplane::Grid> cells{};
  std::optional<double> mach{};
  double ramp_degrees = 10;
  double attack_degrees = 0;
  double wall_cell = 0.05;  ///< height of the plate's first cell over the thickness of the boundary layer at its end
  std::optional<double> reynolds{};  ///< per unit of length; none: the case decides
  std::optional<ViscosityLaw> law{};
  std::vector<std::string> boundaries{};  ///< "side=condition", over those of the case
};

/// A flow problem on the host.
struct Case {
  CaseKind kind;
  Mesh mesh;
  Gas gas;
  BoundaryConditions boundary;
  double mach;
};

/// Throws hyperplane::Error for options that make no sense and for grid files that cannot be read.
Case make_case(const CaseOptions& options);

}  // namespace implicit_flow
