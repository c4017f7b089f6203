// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/mpi/communicator.hpp>
#include <string>

#include "solver.hpp"

namespace hyperplane::tools {

/// Throws InputError where ranks have no such solver; without a number of parts, or where that is automatic, there are
/// as many as ranks.
void complete_for_ranks(SolverSettings& settings, int ranks);

/// Solves the system of rank 0, whose matrix is taken out of it, on the parts of the grid. Collective.
SolverReport solve_over_ranks(const Communicator& world, const std::string& backend, const SolverSettings& settings,
                              const SystemShape& shape, System* system, const Monitor& monitor);

}  // namespace hyperplane::tools
