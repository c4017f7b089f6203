// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/grid/grid.hpp>
#include <string>

#include "matrix_market.hpp"
#include "solver.hpp"

// The parts of a grid on the command line: 2x2x1, or their number alone, of which the matrix says where to cut.
namespace hyperplane::tools {

/// The option that says how many parts there are, whether the preconditioner has it or not.
PreconditionerOption& find_parts(SolverSettings& settings);
const PreconditionerOption& find_parts(const SolverSettings& settings);

/// Throws InputError where the grid has no such parts; `why` is added to what was given.
void check_parts(const SolverSettings& settings, const Grid& grid, const std::string& why);

/// Whether their number alone is given.
bool is_count_of_parts(const SolverSettings& settings);
/// Of that many parts "2x2x1", those that cut the least coupling. For the time of the call there is a copy of the
/// matrix in the host's memory.
std::string choose_parts(const SolverSettings& settings, const HostStencil& a);

}  // namespace hyperplane::tools
