// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "case.hpp"
#include "mesh/plot3d.hpp"
#include "solver/steady.hpp"

#include <filesystem>
#include <optional>

namespace implicit_flow {

/// What the matrix and the preconditioner are stored as, but for factors of fewer bits; all else is double.
enum class Storage { of_double, of_float, of_half, of_bfloat16, of_quarter, automatic };

/// The command line of implicit_flow.
struct Options {
  CaseOptions flow;
  SteadyOptions steady;
  Storage storage = Storage::of_double;
  bool adjoint = false;  ///< the gradient of the wedge's drag, see drag_gradient()
  std::filesystem::path output = "implicit-flow-output";
  std::filesystem::path write_grid;  ///< empty: not written
  bool write_system = false;         ///< the linear system after the last step
  Plot3dFormat grid_format = Plot3dFormat::ascii;
  int threads = 0;  ///< 0: Kokkos decides
};

/// How the process was started: without MPI, as the rank that speaks, or as another one.
enum class Start { alone, first_rank, other_rank };

/// Nothing where the process should end at once with `exit_status`: after --help, or after an error, which has been
/// explained by the rank that speaks.
std::optional<Options> parse_options(int argc, char** argv, int& exit_status, Start start);

}  // namespace implicit_flow
