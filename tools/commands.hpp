// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <hyperplane/grid/grid.hpp>
#include <string>

#include "solver.hpp"

namespace hyperplane::tools {

inline constexpr int exit_converged = 0;
inline constexpr int exit_error = 1;
inline constexpr int exit_not_converged = 2;

struct SolveCommand {
  std::filesystem::path matrix;
  std::filesystem::path rhs;
  std::filesystem::path solution;
  std::filesystem::path history;
  std::string grid;
  int block_size = 0;
  std::string backend = "auto";
  SolverSettings settings{};
};

/// Reads, solves, writes; returns the exit status. Throws InputError or Error.
int run_solve(SolveCommand command);

/// Says what this build can do.
int run_info();

/// The report of a solve as JSON text.
std::string format_history(const SolveCommand& command, const Grid& grid, const std::string& backend, int concurrency,
                           double read_seconds, const SolverReport& report);

}  // namespace hyperplane::tools
