// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <filesystem>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/swept/variant.hpp>
#include <optional>
#include <string>

#include "processes.hpp"

namespace hyperplane::tools {

inline constexpr int exit_converged = 0;
inline constexpr int exit_error = 1;
inline constexpr int exit_not_converged = 2;

struct SolveCommand {
  std::filesystem::path matrix;
  std::filesystem::path rhs;
  std::filesystem::path initial;
  std::filesystem::path solution;
  std::filesystem::path history;
  std::optional<std::string> grid;  ///< without it the matrix is a general one
  int block_size = 1;
  std::string backend = "auto";
  bool progress = false;
  SolverSettings settings{};
};

/// Reads, solves, writes; returns the exit status. Collective. Throws InputError or Error.
int run_solve(SolveCommand command, const Processes& processes);

enum class SweptEquation { heat, kuramoto_sivashinsky, euler };

struct SweptCommand {
  SweptEquation equation = SweptEquation::heat;
  std::int64_t points = 0;
  std::int64_t steps = 0;
  SweptVariant variant = SweptVariant::automatic;
  std::int64_t tile_points = 0;
  std::filesystem::path output;
  std::string backend = "auto";
  bool progress = false;
};

/// Advances an equation and writes what it comes to; returns the exit status. Throws InputError or Error.
int run_swept(const SweptCommand& command);

/// Says what this build can do.
int run_info();

/// How large a system is.
struct SystemSize {
  std::optional<Grid> grid;  ///< where there is one
  std::int64_t points;
};

/// The report of a solve as JSON text.
std::string format_history(const SolveCommand& command, const SystemSize& size, const std::string& backend,
                           double read_seconds, const SolverReport& report);

}  // namespace hyperplane::tools
