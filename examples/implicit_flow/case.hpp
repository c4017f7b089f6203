// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mesh/blocks.hpp"
#include "mesh/mesh.hpp"
#include "mesh/plot3d.hpp"
#include "physics/boundary.hpp"
#include "physics/gas.hpp"

#include <hyperplane/grid/grid.hpp>

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace implicit_flow {

enum class CaseKind {
  wedge,    ///< ramp in a supersonic stream, inviscid; compared with oblique-shock theory
  plate,    ///< laminar boundary layer; skin friction compared with theory
  airfoil,  ///< NACA 0012 in a transonic stream, inviscid; lift and drag beside published ones
  box,      ///< waved grid in a uniform stream: nothing should happen
};

/// What the command line says about the flow; what it leaves open depends on the case.
struct CaseOptions {
  CaseKind kind = CaseKind::wedge;
  std::filesystem::path grid_file{};  ///< PLOT3D or CGNS; empty: the case's own generator
  Plot3dByteOrder grid_byte_order = Plot3dByteOrder::automatic;
  std::optional<double> grid_tolerance{};  ///< of vertices that are the same; none: as in joined()
  std::array<int, 3> parts{1, 1, 1};       ///< into which the grid is cut along i, j and k
  std::optional<hyperplane::Grid> cells{};
  std::optional<double> mach{};
  double ramp_degrees = 10;
  std::optional<double> attack_degrees{};  ///< none: the case decides
  double wall_cell = 0.05;  ///< height of the plate's first cell over the thickness of the boundary layer at its end
  std::optional<double> reynolds{};  ///< per unit of length; none: the case decides
  std::optional<ViscosityLaw> law{};
  /// "side=condition", over those of the case and of a file; "block:side=condition" for one grid block.
  std::vector<std::string> boundaries{};
};

/// A flow problem on the host.
struct Case {
  CaseKind kind;
  MeshBlocks blocks;
  Gas gas;
  std::vector<BoundaryConditions> boundary;  ///< of each grid block
  double mach;
  double attack;  ///< radians
};

/// SteadyOptions::damping of a case. At the nose of the airfoil, where the flow comes to rest, whole steps swing to and
/// fro.
constexpr double default_damping(CaseKind kind) { return kind == CaseKind::airfoil ? 0.5 : 1; }

/// Throws hyperplane::Error for options that make no sense and for grid files that cannot be read.
Case make_case(const CaseOptions& options);

}  // namespace implicit_flow
