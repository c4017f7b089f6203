// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/grid/grid.hpp>
#include <string>

#include "matrix_market.hpp"
#include "solver.hpp"

// The parts of a grid on the command line: 2x2x1, or their number alone, of which the matrix says where to cut, or
// automatic.
namespace hyperplane::tools {

/// The option that says how many parts there are, whether the preconditioner has it or not.
PreconditionerOption& find_parts(SolverSettings& settings);
const PreconditionerOption& find_parts(const SolverSettings& settings);

/// Throws InputError where the grid has no such parts; `why` is added to what was given.
void check_parts(const SolverSettings& settings, const Grid& grid, const std::string& why);

/// Whether the matrix says where to cut: a number alone is given, or none.
bool are_chosen(const SolverSettings& settings);
/// Of these parts "2x2x1", those that cut the least coupling; where the library chooses the number, for this backend.
/// That number is one with block Jacobi, whose M is the same in parts. For the time of the call there is a copy of the
/// matrix in the memory of the host, or of that backend.
std::string choose_parts(const std::string& backend, const SolverSettings& settings, const HostStencil& a);

}  // namespace hyperplane::tools
